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

// How long a process waits between two looks at its queues: the shorter time when there was something to do just now, then ever
// longer.
const (
	shortestPoll = 100 * time.Millisecond
	longestPoll  = 2 * time.Second
	// A queue in which nothing was found may have a job that is due in a moment, or others took what there was.
	emptyPause = 20 * time.Millisecond
	// tellPause is how long River has to ask what it was told to, before it is told again.
	tellPause = 20 * time.Millisecond
)

// never is a time for which nobody waits.
const never = 365 * 24 * time.Hour

// polls says when which queue is to be asked for jobs.
type polls struct {
	conn    dbsqlc.DBTX
	now     func() time.Time
	sooner  chan struct{} // of capacity 1: something is to be asked before it was to
	mu      sync.Mutex
	looking bool

	queues   map[string]time.Time // when each is to be asked
	told     map[string]time.Time // when River was told so
	next     time.Time            // when all are looked at
	nextTold time.Time            // when River was told of that
	interval time.Duration        // from this look to the next one, where nothing happens
}

func newPolls(conn dbsqlc.DBTX, now func() time.Time) *polls {
	return &polls{
		conn: conn, now: now, sooner: make(chan struct{}, 1), queues: map[string]time.Time{}, told: map[string]time.Time{},
		interval: shortestPoll,
	}
}

// wake has a queue asked at once, of which River hears from who calls it.
func (p *polls) wake(queue string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues[queue], p.told[queue], p.interval = time.Time{}, p.now(), shortestPoll
}

// owed returns a queue that River is to ask for jobs now, if there is one; else how long there is none. One that is not asked, as
// its workers are all busy, is named again after a pause, and any queue will do for a look at all of them.
func (p *polls) owed() (queue string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, wait := p.now(), never
	owes := func(at, told time.Time) bool {
		if again := told.Add(tellPause); at.Before(again) {
			at = again
		}
		wait = min(wait, at.Sub(now))
		return !at.After(now)
	}
	for queue, at := range p.queues {
		if owes(at, p.told[queue]) {
			p.told[queue] = now
			return queue, 0
		}
	}
	for queue := range p.queues {
		if p.looking || !owes(p.next, p.nextTold) {
			break
		}
		p.nextTold = now
		return queue, 0
	}
	return "", wait
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
		p.hurry()
	}
}

// hurry has who waits see what is owed now.
func (p *polls) hurry() {
	select {
	case p.sooner <- struct{}{}:
	default:
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
	at, known := p.queues[queue]
	if at.After(now) {
		return false
	}
	if !known { // it is to be looked at from now on
		p.hurry()
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
	p.hurry()
}

// asked takes how many jobs a queue had, of the most that were asked for.
func (p *polls) asked(queue string, found, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case found >= most: // there may be more
		p.queues[queue] = now
		p.hurry()
	case found == 0:
		p.lookBy(now.Add(emptyPause))
		return
	}
	p.interval = shortestPoll
	p.lookBy(now.Add(shortestPoll))
}
