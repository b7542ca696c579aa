package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/providers/embed"
)

const (
	knowledgeDocuments = 500
	knowledgeChunks    = 20 // per document: 10,000 in all
	knowledgeWords     = 20_000
	knowledgeQueries   = 300
	knowledgeTopics    = 50
	// knowledgeCommon is how many of the words, the most frequent, stand for those that say nothing: a tenth of the passages have
	// the next one. Questions of common words are asked, too.
	knowledgeCommon = 100

	knowledgeDimensions = 1536 // OpenAI's text-embedding-3-small has as many
)

// knowledgeQuery asks a knowledge base of 10,000 passages, whose words are as unevenly frequent as those of a language,
// questions of six words of which one is misspelled; then with the meanings of the questions too, of a model that
// takes no time; then questions of words as frequent as they are in the passages, of which most have one that most passages have.
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
	ask := func(name string, common uint64, questions *embed.Questions) error {
		var latencies []time.Duration
		err := b.costOf(ctx, name, knowledgeQueries, func() error {
			for range knowledgeQueries {
				question := make([]string, 6)
				for i := range question {
					question[i] = syllables(wordFrom(zipf, common))
				}
				question[0] = question[0][:2] + "x" + question[0][2:]
				query := knowledge.Query{
					AccountID: customer.accountID,
					Question:  strings.Join(question, " "),
					Questions: questions,
					Limit:     5,
				}
				started := time.Now()
				if _, err := knowledge.Search(ctx, b.pool, query); err != nil {
					return err
				}
				latencies = append(latencies, time.Since(started))
			}
			return nil
		})
		if err != nil {
			return err
		}
		report(name+"_p50_ms", percentile(latencies, 0.50), "ms")
		report(name+"_p95_ms", percentile(latencies, 0.95), "ms")
		return nil
	}
	if err := ask("knowledge_query", knowledgeCommon, nil); err != nil {
		return err
	}
	if err := ask("knowledge_query_common", 0, nil); err != nil {
		return err
	}
	model := newTopics(random)
	if err := embedKnowledge(ctx, b, model); err != nil {
		return err
	}
	if err := ask("knowledge_query_hybrid", knowledgeCommon, embed.NewQuestions(model, b.logger)); err != nil {
		return err
	}
	return ask("knowledge_query_common_hybrid", 0, embed.NewQuestions(model, b.logger))
}

// wordFrom draws a word that is not among the most frequent.
func wordFrom(zipf *rand.Zipf, frequent uint64) uint64 {
	for {
		if word := zipf.Uint64(); word >= frequent {
			return word
		}
	}
}

// topics is an embedding model that takes no time, to which everything is about one of some topics.
type topics struct {
	random *rand.Rand
	all    [knowledgeTopics][knowledgeDimensions]float32
}

func newTopics(random *rand.Rand) *topics {
	t := &topics{random: random}
	for i := range t.all {
		for k := range t.all[i] {
			t.all[i][k] = float32(random.NormFloat64())
		}
	}
	return t
}

func (t *topics) Name() string { return "topics" }

func (t *topics) Model() string { return "topics" }

func (t *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = t.vector()
	}
	return vectors, nil
}

func (t *topics) vector() []float32 {
	vector := slices.Clone(t.all[t.random.IntN(knowledgeTopics)][:])
	for k := range vector {
		vector[k] += float32(t.random.NormFloat64())
	}
	return vector
}

func embedKnowledge(ctx context.Context, b *bench, model embed.Provider) error {
	documents, err := dbsqlc.New().
		KnowledgeEmbeddingListUnembedded(ctx, b.pool, &dbsqlc.KnowledgeEmbeddingListUnembeddedParams{Model: model.Model(),
			Max: knowledgeDocuments})
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	worker := &knowledge.EmbedKnowledgeWorker{DB: b.pool, Embed: model}
	for _, document := range documents {
		args := knowledge.EmbedKnowledgeArgs{DocumentID: document.ID, Generation: document.Generation}
		if err := worker.Work(ctx, &river.Job[knowledge.EmbedKnowledgeArgs]{Args: args}); err != nil {
			return err
		}
	}
	if _, err := b.pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("analyze: %w", err)
	}
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
		_, err := knowledge.Writer{}.Add(
			ctx,
			tx,
			&knowledge.Document{ID: uuid.Must(uuid.NewV7()), AccountID: accountID, Title: "Document", Text: text.String()},
		)
		return err
	})
}

// syllables makes a word of a number: the same one for the same number, and the longer the rarer. Words end in many ways, as
// those of a language do: what they share is looked up when one is misspelled.
func syllables(number uint64) string {
	const consonants, vowels = "bdfghklmnprstvwz", "aeiou"
	endings := []string{"nd", "k", "lt", "m", "rf", "p", "st", "x", "b", "gt", "nk", "l", "r"}
	ending := endings[number%uint64(len(endings))]
	var word strings.Builder
	for number += 100; number > 0; number /= 80 {
		word.WriteByte(consonants[number%16])
		word.WriteByte(vowels[number/16%5])
	}
	word.WriteString(ending)
	return word.String()
}
