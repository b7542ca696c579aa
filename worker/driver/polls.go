package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

// How long a process waits between two looks at its queues: the shorter time when there was something to do just now, then ever longer.
const (
	shortestPoll = 100 * time.Millisecond
	longestPoll  = 2 * time.Second
	// A queue in which nothing was found may have a job that is due in a moment, or others took what there was.
	emptyPause = 20 * time.Millisecond
)

// never is a time for which nobody waits.
const never = 365 * 24 * time.Hour

// polls says when which queue is to be asked for jobs. River asks it many times a second, at no cost.
type polls struct {
	conn dbsqlc.DBTX
	now  func() time.Time

	mu       sync.Mutex
	queues   map[string]time.Time // when each is to be asked
	next     time.Time            // when all are looked at
	interval time.Duration        // from this look to the next one, where nothing happens
	looking  bool
}

func newPolls(conn dbsqlc.DBTX, now func() time.Time) *polls {
	return &polls{conn: conn, now: now, queues: map[string]time.Time{}, interval: shortestPoll}
}

// wake has a queue asked at once.
func (p *polls) wake(queue string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues[queue], p.interval = time.Time{}, shortestPoll
}

// lookAt has all queues looked at by then.
func (p *polls) lookAt(at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lookBy(at)
}

func (p *polls) lookBy(at time.Time) {
	if at.Before(p.next) {
		p.next = at
	}
}

// due reports whether a queue is to be asked for jobs now. asked hears how that went.
func (p *polls) due(ctx context.Context, queue string) (bool, error) {
	if p.take(queue) {
		return true, nil
	}
	names := p.beginLook()
	if names == nil {
		return false, nil
	}
	rows, err := dbsqlc.New().JobListDue(ctx, p.conn, &dbsqlc.JobListDueParams{Queues: names})
	p.looked(rows)
	if err != nil {
		return false, fmt.Errorf("look for jobs: %w", err)
	}
	return p.take(queue), nil
}

// take reports whether it is time to ask a queue.
func (p *polls) take(queue string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if at := p.queues[queue]; at.After(now) { // not so where nobody has asked for it so far
		return false
	}
	p.queues[queue] = now.Add(never)
	return true
}

// beginLook returns the queues where it is time to look at them and nobody does. Whoever gets any calls looked.
func (p *polls) beginLook() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.looking || p.now().Before(p.next) {
		return nil
	}
	p.looking = true
	return slices.Collect(maps.Keys(p.queues))
}

// looked takes when the next jobs of queues are due, and says when to look again.
func (p *polls) looked(rows []*dbsqlc.JobListDueRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, found := p.now(), false
	for _, row := range rows {
		at := now.Add(time.Duration(row.DueIn * float64(time.Second)))
		if at.Before(p.queues[row.Queue]) {
			p.queues[row.Queue] = at
		}
		found = found || row.DueIn <= 0
	}
	p.interval = min(2*p.interval, longestPoll)
	if found {
		p.interval = shortestPoll
	}
	p.looking, p.next = false, now.Add(p.interval)
}

// asked takes how many jobs a queue had, of the most that were asked for.
func (p *polls) asked(queue string, found, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case found >= most: // there may be more
		p.queues[queue] = now
	case found == 0:
		p.lookBy(now.Add(emptyPause))
		return
	}
	p.interval = shortestPoll
	p.lookBy(now.Add(shortestPoll))
}
