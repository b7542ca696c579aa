package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	maxAskedWords = 32   // of a question; the rest is left out
	maxAlikeTerms = 8    // that stand for one word
	maxAlikeRows  = 4000 // of the vocabulary, looked at for one question

	maxChosen   = 1000 // passages that are looked at, where several words choose them
	maxLookedAt = 2000 // where the rarest word alone does
	minTogether = 500  // that are expected to have words that choose together
	maxLikely   = 200  // of what is looked at, weighed exactly
)

// Search returns the documents that hold most of a question's words, best first: the words themselves in all
// their Dutch and English forms, words that they are a part of, and what a misspelled word may stand for. Where the
// question's meaning is known, what means about the same is found too.
func Search(ctx context.Context, conn dbsqlc.DBTX, query Query) ([]Hit, error) {
	ctx, cancel := context.WithCancel(ctx)
	meaning := searchMeaning(ctx, conn, &query)
	defer func() {
		cancel()
		<-meaning.over
	}()
	found, err := searchWords(ctx, conn, &query)
	if err != nil {
		return nil, err
	}
	byMeaning, err := meaning.wait()
	if err != nil {
		return nil, err
	}
	if len(byMeaning) > 0 {
		if found, err = fuse(ctx, conn, query.AccountID, found, byMeaning); err != nil {
			return nil, err
		}
	}
	return hitsOf(found, query.Limit), nil
}

// searchWords returns the passages that hold most of the question's words, best first.
func searchWords(ctx context.Context, conn dbsqlc.DBTX, query *Query) ([]passage, error) {
	asked, err := newAskedWords(ctx, conn, query)
	if err != nil || len(asked.words) == 0 {
		return nil, err
	}
	params, err := asked.weigh(ctx, conn)
	if err != nil || params == nil {
		return nil, err
	}
	params.Max, params.PerDocument = int32(query.Limit*passagesPerHit), passagesPerHit
	rows, err := dbsqlc.New().KnowledgeChunkSearch(ctx, conn, params)
	if err != nil {
		return nil, fmt.Errorf("search knowledge: %w", err)
	}
	found := make([]passage, len(rows))
	for i, row := range rows {
		found[i] = passage{place{row.ID, row.Position}, row.Title, row.Content, row.Score}
	}
	return found, nil
}

// askedWords turn the words of a question into what Postgres is asked.
type askedWords struct {
	account uuid.UUID
	scope   string // of the passages: the account, and the assistant
	words   []askedWord
}

// askedWord is a word of the question: by how well they stand for it, the lexemes that do.
type askedWord struct {
	text    string
	lexemes map[float64][]string
}

// any returns all the word's lexemes.
func (w *askedWord) any() string {
	var all []string
	for _, weight := range slices.Sorted(maps.Keys(w.lexemes)) {
		all = append(all, w.lexemes[weight]...)
	}
	return anyOf(all...)
}

func newAskedWords(ctx context.Context, pool dbsqlc.DBTX, query *Query) (*askedWords, error) {
	asked := &askedWords{account: query.AccountID, scope: "'a:" + query.AccountID.String() + "'"}
	if query.AssistantID != nil {
		asked.scope += " & " + anyOf("s:"+query.AccountID.String(), "s:"+query.AssistantID.String())
	}
	words := distinct(Words(query.Question))
	lexemes, err := lexemesOf(ctx, pool, words[:min(len(words), maxAskedWords)])
	if err != nil {
		return nil, err
	}
	// A question of nothing but small words is asked all the same.
	small := !slices.ContainsFunc(lexemes, func(row *dbsqlc.KnowledgeLexemesRow) bool { return !row.StopWord })
	for _, row := range lexemes {
		if len(row.Lexemes) > 0 && (small || !row.StopWord) {
			asked.words = append(asked.words, askedWord{words[row.Ordinal-1], map[float64][]string{1: row.Lexemes}})
		}
	}
	return asked, asked.addAlike(ctx, pool)
}

func lexemesOf(ctx context.Context, pool dbsqlc.DBTX, words []string) ([]*dbsqlc.KnowledgeLexemesRow, error) {
	lexemes, err := dbsqlc.New().KnowledgeLexemes(ctx, pool, &dbsqlc.KnowledgeLexemesParams{Words: words})
	if err != nil {
		return nil, fmt.Errorf("read lexemes: %w", err)
	}
	return lexemes, nil
}

// weigh finds out how much each word says: one that few passages have says more than one that many have (the inverse
// document frequency of BM25). nil: no passage has any of the words.
func (a *askedWords) weigh(ctx context.Context, pool dbsqlc.DBTX) (*dbsqlc.KnowledgeChunkSearchParams, error) {
	counts, err := a.count(ctx, pool)
	if err != nil {
		return nil, err
	}
	params := &dbsqlc.KnowledgeChunkSearchParams{AccountID: a.account, Likely: maxLikely, LookedAt: maxLookedAt}
	for _, row := range counts {
		found, chunks := float64(row.Found), float64(max(row.Chunks, row.Found))
		rarity := math.Log(1 + (chunks-found+0.5)/(found+0.5))
		params.Ideal += rarity
		word := &a.words[row.Word]
		params.EveryQueries, params.EveryValues = append(params.EveryQueries, word.any()), append(params.EveryValues, rarity)
		for weight, lexemes := range word.lexemes {
			params.Words = append(params.Words, row.Word)
			params.Weights = append(params.Weights, weight*rarity)
			params.Queries = append(params.Queries, anyOf(lexemes...))
		}
	}
	params.Chosen = a.resolve(counts)
	if len(params.Chosen) == 0 {
		return nil, nil
	}
	return params, nil
}

// count returns how many passages have each word.
func (a *askedWords) count(ctx context.Context, pool dbsqlc.DBTX) ([]*dbsqlc.KnowledgeChunkCountWordsRow, error) {
	var known []*dbsqlc.KnowledgeChunkCountWordsRow
	params, now := &dbsqlc.KnowledgeChunkCountWordsParams{AccountID: a.account}, time.Now()
	queries := make([]string, len(a.words))
	for i := range a.words {
		queries[i] = a.scope + " & " + a.words[i].any()
		if row := common.get(queries[i], int32(i), now); row != nil {
			known = append(known, row)
			continue
		}
		params.Words, params.Queries = append(params.Words, int32(i)), append(params.Queries, queries[i])
	}
	if len(params.Words) == 0 {
		return known, nil
	}
	counts, err := dbsqlc.New().KnowledgeChunkCountWords(ctx, pool, params)
	if err != nil {
		return nil, fmt.Errorf("count words: %w", err)
	}
	for _, row := range counts {
		common.put(queries[row.Word], row, now)
	}
	counts = append(counts, known...)
	slices.SortFunc(counts, func(x, y *dbsqlc.KnowledgeChunkCountWordsRow) int { return cmp.Compare(x.Word, y.Word) })
	return counts, nil
}

// resolve returns the queries by which passages are chosen: by the rarest words, as long as few passages have them, and one at
// least.
func (a *askedWords) resolve(counts []*dbsqlc.KnowledgeChunkCountWordsRow) (queries []string) {
	rarest := slices.SortedStableFunc(slices.Values(counts),
		func(x, y *dbsqlc.KnowledgeChunkCountWordsRow) int { return cmp.Compare(x.Found, y.Found) })
	rarest = slices.DeleteFunc(rarest, func(row *dbsqlc.KnowledgeChunkCountWordsRow) bool { return row.Found == 0 })
	if len(rarest) == 0 {
		return nil
	}
	if rarest[0].Found > maxLookedAt {
		return a.resolveCommon(rarest)
	}
	var words []string
	var passages int64
	for _, row := range rarest {
		if passages += row.Found; passages > maxChosen && len(words) > 0 {
			break
		}
		words = append(words, a.words[row.Word].any())
	}
	return []string{a.scope + " & (" + strings.Join(words, " | ") + ")"}
}

// resolveCommon is resolve where even the rarest word is one that more passages have than are looked at. Those that have it
// together with the next words come first: as many words as enough passages are expected to have, and then the others.
func (a *askedWords) resolveCommon(rarest []*dbsqlc.KnowledgeChunkCountWordsRow) (queries []string) {
	var others []string
	expected := float64(rarest[0].Found)
	for _, row := range rarest[1:] {
		if expected *= float64(row.Found) / float64(max(row.Chunks, row.Found)); expected < minTogether {
			break
		}
		others = append(others, a.words[row.Word].any())
	}
	first := a.scope + " & " + a.words[rarest[0].Word].any()
	if len(others) == 0 {
		return []string{first}
	}
	together := "(" + strings.Join(others, " & ") + ")"
	return []string{first + " & " + together, first + " & !" + together}
}

// addAlike looks the words up in the vocabulary.
func (a *askedWords) addAlike(ctx context.Context, pool dbsqlc.DBTX) error {
	params := &dbsqlc.KnowledgeTermListLikeParams{AccountID: a.account, Max: maxAlikeRows}
	for i, word := range a.words {
		if len([]rune(word.text)) >= minAlikeWord {
			params.Words = append(params.Words, int32(i))
			params.Queries = append(params.Queries, "'a:"+a.account.String()+"' & "+somePairOf(trigramsOf(word.text)))
		}
	}
	if len(params.Words) == 0 {
		return nil
	}
	rows, err := dbsqlc.New().KnowledgeTermListLike(ctx, pool, params)
	if err != nil {
		return fmt.Errorf("look up vocabulary: %w", err)
	}
	alike := a.alike(rows)
	terms := make([]string, len(alike))
	for i, term := range alike {
		terms[i] = term.text
	}
	lexemes, err := lexemesOf(ctx, pool, terms)
	if err != nil {
		return err
	}
	for _, row := range lexemes {
		term := alike[row.Ordinal-1]
		of := a.words[term.word].lexemes
		of[term.weight] = append(of[term.weight], row.Lexemes...)
	}
	return nil
}

// alikeTerm is a word of the vocabulary that may stand for an asked one.
type alikeTerm struct {
	word   int // that was asked
	text   string
	weight float64
}

// alike judges the vocabulary's candidates. A word that is in the vocabulary itself is not misspelled.
func (a *askedWords) alike(rows []*dbsqlc.KnowledgeTermListLikeRow) (terms []alikeTerm) {
	byWord := map[int][]alikeTerm{}
	for _, row := range rows {
		word, asked := int(row.Word), a.words[row.Word].text
		known := slices.Contains(row.Terms, asked)
		for _, term := range row.Terms {
			weight := likeness(asked, term)
			if weight == 0 || term == asked || weight == likenessOfSlip && known {
				continue
			}
			byWord[word] = append(byWord[word], alikeTerm{word, term, weight})
		}
	}
	for _, found := range byWord {
		slices.SortFunc(found, func(x, y alikeTerm) int { return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.text, y.text)) })
		terms = append(terms, found[:min(len(found), maxAlikeTerms)]...)
	}
	return terms
}

// anyOf returns a tsquery. Lexemes may hold anything but NUL.
func anyOf(lexemes ...string) string {
	quoted := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		quoted[i] = quoteLexeme(lexeme)
	}
	return "(" + strings.Join(quoted, " | ") + ")"
}

// somePairOf returns a tsquery for terms that have two neighbouring trigrams of these: one slip of the pen spoils no more than
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

// hitsOf gathers passages, best first, by their documents.
func hitsOf(found []passage, limit int) []Hit {
	var hits []Hit
	passages := map[uuid.UUID][]passage{}
	for _, one := range found {
		best := passages[one.document]
		if len(best) == 0 {
			hits = append(hits, Hit{DocumentID: one.document, Title: one.title, Score: one.score})
		}
		// A document's further passages say something only where they are about as good as its best.
		if len(best) == 0 || len(best) < passagesPerHit && one.score >= 0.7*best[0].score {
			passages[one.document] = append(best, one)
		}
	}
	hits = hits[:min(len(hits), limit)]
	for i := range hits {
		found := passages[hits[i].DocumentID]
		slices.SortFunc(found, func(a, b passage) int { return cmp.Compare(a.position, b.position) })
		contents := make([]string, len(found))
		for k, one := range found {
			contents[k] = one.content
		}
		hits[i].Content = strings.Join(contents, "\n\n")
	}
	return hits
}
