package calls

import (
	"bytes"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// headLife is how long a head is believed. What is in front of it all the same waits for no longer: a call whose id is older than
// those that were claimed before it, or all calls of a database that was restored.
const headLife = 10 * time.Second

// heads remembers where the live calls of accounts begin and where their queues do. Whoever counts or claims calls looks from
// there on: in front of it there are only versions of calls that moved on, which stay for as long as somebody has an old snapshot
// open, such as a backup, and which an index scan from the beginning walks over. It is a global because it is about databases, of
// which a process has one, and accounts, whose ids are unique everywhere.
var heads = headCache{of: map[uuid.UUID]head{}}

type headCache struct {
	mu sync.Mutex
	of map[uuid.UUID]head
}

// head is where an account's calls begin. A live call is claimed under the account's lock with a number that is above all before,
// so none below the first of those that were live at any time will be live again.
type head struct {
	live   int64
	queued uuid.UUID
	found  time.Time // by a look from the beginning
}

// ofAccount returns where to look from; the zero head: from the beginning.
func (c *headCache) ofAccount(id uuid.UUID) head {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.of[id]
	if ok && time.Since(known.found) >= headLife {
		delete(c.of, id)
		return head{}
	}
	return known
}

// remember takes what was found under the locks of accounts before anything was changed.
func (c *headCache) remember(rows loads) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, row := range rows {
		known, ok := c.of[id]
		if !ok {
			known.found = time.Now()
		}
		known.live, known.queued = row.FirstLive, row.FirstQueued
		c.of[id] = known
	}
}

// rememberQueue takes where an account's queue was found to begin.
func (c *headCache) rememberQueue(id, first uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.of[id]
	if !ok {
		known.found = time.Now()
	}
	known.queued = first
	c.of[id] = known
}

// queuedBefore returns the place in the account's queue from which the calls of jobs are seen, too.
func (h head) queuedBefore(jobs []*PlaceCallArgs) uuid.UUID {
	from := h.queued
	for _, job := range jobs {
		if bytes.Compare(job.CallID[:], from[:]) < 0 {
			from = job.CallID
		}
	}
	return from
}

// loadsParams are the accounts and where to look for their calls.
func loadsParams(accountIDs []uuid.UUID) *dbsqlc.AccountListLoadsParams {
	params := &dbsqlc.AccountListLoadsParams{}
	for _, id := range accountIDs {
		known := heads.ofAccount(id)
		params.Ids = append(params.Ids, id)
		params.LiveFrom, params.QueuedFrom = append(params.LiveFrom, known.live), append(params.QueuedFrom, known.queued)
	}
	return params
}
