package jobs

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	gateInitial = 25 // deliveries at once to an endpoint of which nothing is known
	gateMost    = 50 // a quarter of the default webhooks queue
	gateLeast   = 2
	gatePrompt  = 2 * time.Second // what takes longer is slow
	// Who is turned away comes back when it should be its turn, within these bounds.
	gateSoonest = 20 * time.Millisecond
	gateLatest  = 30 * time.Second
)

// gates bound how many deliveries to one endpoint this process has under way, so that a server that is slow or silent
// keeps no worker from the others. An endpoint that answers promptly may have ever more of them; one that does not, fewer.
type gates struct {
	now func() time.Time

	mu         sync.Mutex
	byEndpoint map[uuid.UUID]*gate
}

type gate struct {
	limit, inside int
	took          time.Duration // by an attempt, smoothed
	next          time.Time     // when the last of those that were turned away comes back
}

func newGates(now func() time.Time) *gates {
	return &gates{now: now, byEndpoint: map[uuid.UUID]*gate{}}
}

// enter lets a delivery to the endpoint in, which leave ends, or answers when it should come again. Those that are turned
// away get times of their own, one after the other as the endpoint can take them.
func (g *gates) enter(endpoint uuid.UUID) (again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.byEndpoint[endpoint]
	if at == nil {
		at = &gate{limit: gateInitial}
		g.byEndpoint[endpoint] = at
	}
	if at.inside < at.limit {
		at.inside++
		return 0
	}
	now := g.now()
	if soonest := now.Add(gateSoonest); at.next.Before(soonest) {
		at.next = soonest
	}
	at.next = at.next.Add(at.took / time.Duration(at.limit))
	if latest := now.Add(gateLatest); at.next.After(latest) {
		at.next = latest
	}
	return at.next.Sub(now)
}

// leave ends a delivery that took this long; answered: by an answer of any kind.
func (g *gates) leave(endpoint uuid.UUID, took time.Duration, answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.byEndpoint[endpoint]
	at.inside--
	at.took = (3*at.took + took) / 4
	if answered && took < gatePrompt {
		at.limit = min(at.limit+1, gateMost)
	} else {
		at.limit = max(at.limit/2, gateLeast)
	}
	if at.inside == 0 && at.limit >= gateInitial {
		delete(g.byEndpoint, endpoint) // nothing worth remembering
	}
}
