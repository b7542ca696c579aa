package events

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestGates(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	g := newLimiters(func() time.Time { return now })
	slow, other := uuid.New(), uuid.New()
	for range limitInitial {
		require.Zero(t, g.enter(slow))
	}
	require.Equal(t, retrySoonest, g.enter(slow), "full")
	require.Zero(t, g.enter(other), "another endpoint is not held up")

	for range limitInitial - 1 {
		g.leave(slow, 15*time.Second, false)
	}
	for range limitLeast - 1 {
		require.Zero(t, g.enter(slow), "one that does not answer keeps a few")
	}
	first, second := g.enter(slow), g.enter(slow)
	require.Less(t, first, second, "who is turned away comes back in order")
	for range 100 {
		require.LessOrEqual(t, g.enter(slow), retryLatest)
	}

	now = now.Add(time.Minute)
	for range limitMost {
		g.leave(slow, 10*time.Millisecond, true)
		require.Zero(t, g.enter(slow))
	}
	inside := limitLeast
	for g.enter(slow) == 0 {
		inside++
	}
	require.Equal(t, limitMost, inside, "prompt answers let it have ever more")
	for range limitMost {
		g.leave(slow, 10*time.Millisecond, true)
	}
	g.leave(other, 10*time.Millisecond, true)
	require.Empty(t, g.byEndpoint, "nothing is remembered of endpoints that are well")
}
