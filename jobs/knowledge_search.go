package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	maxAskedWords  = 32   // of a question; the rest is left out
	maxAlikeTerms  = 8    // that stand for one word
	maxAlikeRows   = 4000 // of the vocabulary, looked at for one question
	passagesPerHit = 3    // of one document
)

// KnowledgeQuery is a question to a knowledge base.
type KnowledgeQuery struct {
	AccountID   uuid.UUID
	AssistantID *uuid.UUID // what this assistant knows: its own documents and the account's; nil: all documents
	Question    string
	Limit       int // documents
}

// KnowledgeHit is a document that may answer, with the passages of it that do.
type KnowledgeHit struct {
	DocumentID uuid.UUID
	Title      string
	Content    string  // up to three passages in their order, parted by empty lines
	Score      float64 // 0 to 1: how much of the question's words it holds, rare words counting more
}

// SearchKnowledge answers the documents that hold most of a question's words, best first: the words themselves in all
// their Dutch and English forms, words that they are a part of, and what a misspelled word may stand for.
func SearchKnowledge(ctx context.Context, pool dbsqlc.DBTX, query KnowledgeQuery) ([]KnowledgeHit, error) {
	asked, err := newAskedWords(ctx, pool, query)
	if err != nil || len(asked.params.Queries) == 0 {
		return nil, err
	}
	asked.params.Max, asked.params.PerDocument = int32(query.Limit*passagesPerHit), passagesPerHit
	rows, err := dbsqlc.New().KnowledgeChunkSearch(ctx, pool, &asked.params)
	if err != nil {
		return nil, fmt.Errorf("search knowledge: %w", err)
	}
	return hitsOf(rows, query.Limit), nil
}

// askedWords turn the words of a question into what Postgres is asked.
type askedWords struct {
	scope  string // of every query: the account, and the assistant
	words  []string
	params dbsqlc.KnowledgeChunkSearchParams
}

func newAskedWords(ctx context.Context, pool dbsqlc.DBTX, query KnowledgeQuery) (*askedWords, error) {
	asked := &askedWords{scope: "'a:" + query.AccountID.String() + "'"}
	asked.params.AccountID = query.AccountID
	if query.AssistantID != nil {
		asked.scope += " & " + anyOf("s:"+query.AccountID.String(), "s:"+query.AssistantID.String())
	}
	words := distinct(wordsOf(query.Question))
	lexemes, err := dbsqlc.New().KnowledgeLexemes(ctx, pool, &dbsqlc.KnowledgeLexemesParams{Words: words[:min(len(words), maxAskedWords)]})
	if err != nil {
		return nil, fmt.Errorf("read lexemes: %w", err)
	}
	// A question of nothing but small words is asked all the same.
	small := !slices.ContainsFunc(lexemes, func(row *dbsqlc.KnowledgeLexemesRow) bool { return !row.StopWord })
	for _, row := range lexemes {
		if len(row.Lexemes) > 0 && (small || !row.StopWord) {
			asked.words = append(asked.words, words[row.Ordinal-1])
			asked.add(len(asked.words)-1, 1, row.Lexemes)
		}
	}
	return asked, asked.addAlike(ctx, pool)
}

// add has a word found by any of these lexemes.
func (a *askedWords) add(word int, weight float64, lexemes []string) {
	a.params.Words = append(a.params.Words, int32(word))
	a.params.Weights = append(a.params.Weights, weight)
	a.params.Queries = append(a.params.Queries, a.scope+" & "+anyOf(lexemes...))
}

// addAlike looks the words up in the vocabulary.
func (a *askedWords) addAlike(ctx context.Context, pool dbsqlc.DBTX) error {
	params := &dbsqlc.KnowledgeTermListLikeParams{AccountID: a.params.AccountID, Max: maxAlikeRows}
	for i, word := range a.words {
		if len([]rune(word)) >= minAlikeWord {
			params.Words = append(params.Words, int32(i))
			params.Queries = append(params.Queries, "'a:"+a.params.AccountID.String()+"' & "+somePairOf(trigramsOf(word)))
		}
	}
	if len(params.Words) == 0 {
		return nil
	}
	rows, err := dbsqlc.New().KnowledgeTermListLike(ctx, pool, params)
	if err != nil {
		return fmt.Errorf("look up vocabulary: %w", err)
	}
	for word, terms := range a.alike(rows) {
		for _, term := range terms {
			a.add(word, term.weight, term.lexemes)
		}
	}
	return nil
}

// alikeTerm is a word of the vocabulary that may stand for an asked one.
type alikeTerm struct {
	weight  float64
	lexemes []string
}

// alike judges the vocabulary's candidates. A word that is in the vocabulary itself is not misspelled.
func (a *askedWords) alike(rows []*dbsqlc.KnowledgeTermListLikeRow) map[int][]alikeTerm {
	known := map[int]bool{}
	for _, row := range rows {
		if row.Term == a.words[row.Word] {
			known[int(row.Word)] = true
		}
	}
	terms := map[int][]alikeTerm{}
	for _, row := range rows {
		word := int(row.Word)
		weight := likeness(a.words[word], row.Term)
		if weight == 0 || row.Term == a.words[word] || weight == likenessOfSlip && known[word] {
			continue
		}
		terms[word] = append(terms[word], alikeTerm{weight, row.Lexemes})
	}
	for word, found := range terms {
		slices.SortStableFunc(found, func(a, b alikeTerm) int { return int(100*b.weight) - int(100*a.weight) })
		terms[word] = found[:min(len(found), maxAlikeTerms)]
	}
	return terms
}

// anyOf is a tsquery. Lexemes may hold anything but NUL.
func anyOf(lexemes ...string) string {
	quoted := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		quoted[i] = quoteLexeme(lexeme)
	}
	return "(" + strings.Join(quoted, " | ") + ")"
}

// somePairOf is a tsquery for terms that have two neighbouring trigrams of these: one slip of the pen spoils no more than
// two pairs, and few words share one by chance.
func somePairOf(grams []string) string {
	var pairs []string
	for i := 0; i < len(grams); i += 2 {
		first := min(i, max(len(grams)-2, 0)) // the last pair may share one with the pair before
		pair := grams[first:min(first+2, len(grams))]
		quoted := make([]string, len(pair))
		for k, gram := range pair {
			quoted[k] = quoteLexeme(gram)
		}
		pairs = append(pairs, "("+strings.Join(quoted, " & ")+")")
	}
	return "(" + strings.Join(pairs, " | ") + ")"
}

func quoteLexeme(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// hitsOf gathers passages by their documents.
func hitsOf(rows []*dbsqlc.KnowledgeChunkSearchRow, limit int) []KnowledgeHit {
	var hits []KnowledgeHit
	passages := map[uuid.UUID][]*dbsqlc.KnowledgeChunkSearchRow{}
	for _, row := range rows {
		if passages[row.ID] == nil {
			hits = append(hits, KnowledgeHit{DocumentID: row.ID, Title: row.Title, Score: row.Score})
		}
		// A document's further passages say something only where they are about as good as its best.
		if best := passages[row.ID]; len(best) == 0 || len(best) < passagesPerHit && row.Score >= 0.7*best[0].Score {
			passages[row.ID] = append(best, row)
		}
	}
	hits = hits[:min(len(hits), limit)]
	for i := range hits {
		found := passages[hits[i].DocumentID]
		slices.SortFunc(found, func(a, b *dbsqlc.KnowledgeChunkSearchRow) int { return int(a.Position - b.Position) })
		contents := make([]string, len(found))
		for k, row := range found {
			contents[k] = row.Content
		}
		hits[i].Content = strings.Join(contents, "\n\n")
	}
	return hits
}
