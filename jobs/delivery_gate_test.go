package jobs

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestGates(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	g := newGates(func() time.Time { return now })
	slow, other := uuid.New(), uuid.New()
	for range gateInitial {
		require.Zero(t, g.enter(slow))
	}
	require.Equal(t, gateSoonest, g.enter(slow), "full")
	require.Zero(t, g.enter(other), "another endpoint is not held up")

	for range gateInitial - 1 {
		g.leave(slow, 15*time.Second, false)
	}
	for range gateLeast - 1 {
		require.Zero(t, g.enter(slow), "one that does not answer keeps a few")
	}
	first, second := g.enter(slow), g.enter(slow)
	require.Less(t, first, second, "who is turned away comes back in order")
	for range 100 {
		require.LessOrEqual(t, g.enter(slow), gateLatest)
	}

	now = now.Add(time.Minute)
	for range gateMost {
		g.leave(slow, 10*time.Millisecond, true)
		require.Zero(t, g.enter(slow))
	}
	inside := gateLeast
	for g.enter(slow) == 0 {
		inside++
	}
	require.Equal(t, gateMost, inside, "prompt answers let it have ever more")
	for range gateMost {
		g.leave(slow, 10*time.Millisecond, true)
	}
	g.leave(other, 10*time.Millisecond, true)
	require.Empty(t, g.byEndpoint, "nothing is remembered of endpoints that are well")
}
