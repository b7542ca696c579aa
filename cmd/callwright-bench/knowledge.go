package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs"
)

const (
	knowledgeDocuments = 500
	knowledgeChunks    = 20 // per document: 10,000 in all
	knowledgeWords     = 20_000
	knowledgeQueries   = 300
)

// knowledgeQuery asks a knowledge base of 10,000 passages, whose words are as unevenly frequent as those of a language,
// questions of six words of which one is misspelled.
func knowledgeQuery(ctx context.Context, b *bench) error {
	customer, err := newCustomer(ctx, b.pool, 1, greeter)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 10, knowledgeWords-1)
	for range knowledgeDocuments {
		if err := addKnowledge(ctx, b, customer.accountID, zipf); err != nil {
			return err
		}
	}
	if _, err := b.pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("analyze: %w", err)
	}
	var latencies []time.Duration
	for range knowledgeQueries {
		question := make([]string, 6)
		for i := range question {
			question[i] = syllables(zipf.Uint64())
		}
		question[0] = question[0][:2] + "x" + question[0][2:]
		started := time.Now()
		_, err := jobs.SearchKnowledge(ctx, b.pool, jobs.KnowledgeQuery{AccountID: customer.accountID, Question: strings.Join(question, " "), Limit: 5})
		if err != nil {
			return err
		}
		latencies = append(latencies, time.Since(started))
	}
	report("knowledge_query_p50_ms", percentile(latencies, 0.50), "ms")
	report("knowledge_query_p95_ms", percentile(latencies, 0.95), "ms")
	return nil
}

func addKnowledge(ctx context.Context, b *bench, accountID uuid.UUID, zipf *rand.Zipf) error {
	var text strings.Builder
	for range knowledgeChunks {
		for size := 0; size < 760; {
			word := syllables(zipf.Uint64()) + " "
			text.WriteString(word)
			size += len(word)
		}
		text.WriteString(". ")
	}
	return db.InTx(ctx, b.pool, func(tx pgx.Tx) error {
		_, err := jobs.Learner{}.Add(ctx, tx, &jobs.Knowledge{ID: uuid.Must(uuid.NewV7()), AccountID: accountID, Title: "Document", Text: text.String()})
		return err
	})
}

// syllables makes a word of a number: the same one for the same number, and the longer the rarer.
func syllables(number uint64) string {
	const consonants, vowels = "bdfghklmnprstvwz", "aeiou"
	var word strings.Builder
	for number += 100; number > 0; number /= 80 {
		word.WriteByte(consonants[number%16])
		word.WriteByte(vowels[number/16%5])
	}
	word.WriteString("nd")
	return word.String()
}
