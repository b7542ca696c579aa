package events

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	limitInitial = 25 // deliveries at once to an endpoint of which nothing is known
	limitMost    = 50 // a quarter of the default webhooks queue
	limitLeast   = 2
	promptWithin = 2 * time.Second // what takes longer is slow
	// Who is turned away comes back when it should be its turn, within these bounds.
	retrySoonest = 20 * time.Millisecond
	retryLatest  = 30 * time.Second
)

// limiters bound how many deliveries to one endpoint this process has under way, so that a server that is slow or silent
// keeps no worker from the others. An endpoint that answers promptly may have ever more of them; one that does not, fewer.
type limiters struct {
	now func() time.Time

	mu         sync.Mutex
	byEndpoint map[uuid.UUID]*limiter
}

type limiter struct {
	limit, inside int
	took          time.Duration // by an attempt, smoothed
	next          time.Time     // when the last of those that were turned away comes back
}

func newLimiters(now func() time.Time) *limiters {
	return &limiters{now: now, byEndpoint: map[uuid.UUID]*limiter{}}
}

// enter lets a delivery to the endpoint in, which leave ends, or returns when it should come again. Those that are turned
// away get times of their own, one after the other as the endpoint can take them.
func (l *limiters) enter(endpoint uuid.UUID) (again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.byEndpoint[endpoint]
	if at == nil {
		at = &limiter{limit: limitInitial}
		l.byEndpoint[endpoint] = at
	}
	if at.inside < at.limit {
		at.inside++
		return 0
	}
	now := l.now()
	if soonest := now.Add(retrySoonest); at.next.Before(soonest) {
		at.next = soonest
	}
	at.next = at.next.Add(at.took / time.Duration(at.limit))
	if latest := now.Add(retryLatest); at.next.After(latest) {
		at.next = latest
	}
	return at.next.Sub(now)
}

// limit returns how many deliveries to the endpoint may be under way.
func (l *limiters) limit(endpoint uuid.UUID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.byEndpoint[endpoint]; at != nil {
		return at.limit
	}
	return limitInitial
}

// leave ends a delivery that took this long; answered: by a response, other than that it is too much.
func (l *limiters) leave(endpoint uuid.UUID, took time.Duration, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.byEndpoint[endpoint]
	at.inside--
	at.took = (3*at.took + took) / 4
	if answered && took < promptWithin {
		at.limit = min(at.limit+1, limitMost)
	} else {
		at.limit = max(at.limit/2, limitLeast)
	}
	if at.inside == 0 && at.limit >= limitInitial {
		delete(l.byEndpoint, endpoint) // nothing worth remembering
	}
}
