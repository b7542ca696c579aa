package knowledge

import (
	"sync"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	commonFor  = 5 * time.Minute
	commonMost = 10_000 // words that are remembered; then all are forgotten
)

// common are the counts that this process remembers.
var common = commonWords{known: map[string]commonWord{}}

// commonWords remembers how many passages have the words that many have, by what Postgres is asked for a word of an account. Most
// questions have such words, and to count one that half of 10,000 passages have takes longer than to search for a rare one.
// Counts say how much a word says: what a document changes in one of thousands is nothing.
type commonWords struct {
	mu    sync.Mutex
	known map[string]commonWord
}

type commonWord struct {
	found, chunks int64
	until         time.Time
}

// get returns the counts of a query as those of a word of a question, nil where they are not known.
func (c *commonWords) get(query string, word int32, now time.Time) *dbsqlc.KnowledgeChunkCountWordsRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.known[query]
	if !ok || now.After(known.until) {
		return nil
	}
	return &dbsqlc.KnowledgeChunkCountWordsRow{Word: word, Found: known.found, Chunks: known.chunks}
}

// put remembers the counts of a query if many passages have the word.
func (c *commonWords) put(query string, row *dbsqlc.KnowledgeChunkCountWordsRow, now time.Time) {
	if row.Found <= maxChosen {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= commonMost {
		clear(c.known)
	}
	c.known[query] = commonWord{row.Found, row.Chunks, now.Add(commonFor)}
}
