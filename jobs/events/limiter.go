package events

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	limitInitial = 25 // deliveries at once to an endpoint of which nothing is known
	limitMost    = 50 // a quarter of the default webhooks queue
	accountMost  = 50 // deliveries at once to all endpoints of an account: they may be many assistants' and one host
	limitLeast   = 2
	promptWithin = 2 * time.Second // what takes longer is slow
	// Who is turned away comes back when it should be its turn, within these bounds.
	retrySoonest = 20 * time.Millisecond
	retryLatest  = 30 * time.Second
)

// limiters bound how many deliveries to one endpoint this process has under way, so that a server that is slow or silent
// keeps no worker from the others. An endpoint that answers promptly may have ever more of them; one that does not, fewer. All
// endpoints of an account share what it may have.
type limiters struct {
	now func() time.Time

	mu         sync.Mutex
	byEndpoint map[uuid.UUID]*limiter
	byAccount  map[uuid.UUID]*limiter
}

type limiter struct {
	limit, inside int
	took          time.Duration // by an attempt, smoothed
	next          time.Time     // when the last of those that were turned away comes back
}

func newLimiters(now func() time.Time) *limiters {
	return &limiters{now: now, byEndpoint: map[uuid.UUID]*limiter{}, byAccount: map[uuid.UUID]*limiter{}}
}

// enter lets a delivery to an endpoint of an account in, which leave ends, or returns when it should come again.
func (l *limiters) enter(endpoint, account uuid.UUID) (again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whose := l.byAccount[account]
	if whose == nil {
		whose = &limiter{limit: accountMost}
		l.byAccount[account] = whose
	}
	if whose.inside >= whose.limit {
		return whose.turnAway(l.now())
	}
	at := l.byEndpoint[endpoint]
	if at == nil {
		at = &limiter{limit: limitInitial}
		l.byEndpoint[endpoint] = at
	}
	if at.inside >= at.limit {
		return at.turnAway(l.now())
	}
	at.inside++
	whose.inside++
	return 0
}

// turnAway returns when a delivery for which there is no place comes again. They get times of their own, one after the other as
// the endpoint or the account can take them.
func (l *limiter) turnAway(now time.Time) time.Duration {
	if soonest := now.Add(retrySoonest); l.next.Before(soonest) {
		l.next = soonest
	}
	l.next = l.next.Add(l.took / time.Duration(l.limit))
	if latest := now.Add(retryLatest); l.next.After(latest) {
		l.next = latest
	}
	return l.next.Sub(now)
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
func (l *limiters) leave(endpoint, account uuid.UUID, took time.Duration, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, whose := l.byEndpoint[endpoint], l.byAccount[account]
	at.left(took)
	whose.left(took)
	if answered && took < promptWithin {
		at.limit = min(at.limit+1, limitMost)
	} else {
		at.limit = max(at.limit/2, limitLeast)
	}
	if at.inside == 0 && at.limit >= limitInitial {
		delete(l.byEndpoint, endpoint) // nothing worth remembering
	}
	if whose.inside == 0 {
		delete(l.byAccount, account)
	}
}

func (l *limiter) left(took time.Duration) {
	l.inside--
	l.took = (3*l.took + took) / 4
}
