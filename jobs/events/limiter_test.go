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
	slow, other, account, others := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	for range limitInitial {
		require.Zero(t, g.enter(slow, account))
	}
	require.Equal(t, retrySoonest, g.enter(slow, account), "full")
	require.Zero(t, g.enter(other, others), "another endpoint is not held up")

	for range limitInitial - 1 {
		g.leave(slow, account, 15*time.Second, false)
	}
	for range limitLeast - 1 {
		require.Zero(t, g.enter(slow, account), "one that does not answer keeps a few")
	}
	first, second := g.enter(slow, account), g.enter(slow, account)
	require.Less(t, first, second, "who is turned away comes back in order")
	for range 100 {
		require.LessOrEqual(t, g.enter(slow, account), retryLatest)
	}

	now = now.Add(time.Minute)
	for range limitMost {
		g.leave(slow, account, 10*time.Millisecond, true)
		require.Zero(t, g.enter(slow, account))
	}
	inside := limitLeast
	for g.enter(slow, account) == 0 {
		inside++
	}
	require.Equal(t, limitMost, inside, "prompt answers let it have ever more")
	for range limitMost {
		g.leave(slow, account, 10*time.Millisecond, true)
	}
	g.leave(other, others, 10*time.Millisecond, true)
	require.Empty(t, g.byEndpoint, "nothing is remembered of endpoints that are well")
}

// TestLimitOfAnAccount: what many endpoints of one account may have together leaves room for those of others.
func TestLimitOfAnAccount(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := newLimiters(func() time.Time { return now })
	one, another, endpoints := uuid.New(), uuid.New(), make([]uuid.UUID, accountMost)
	for i := range endpoints {
		endpoints[i] = uuid.New()
		require.Zero(t, l.enter(endpoints[i], one))
	}
	require.Equal(t, retrySoonest, l.enter(uuid.New(), one))
	require.Len(t, l.byEndpoint, accountMost, "nothing is kept of who is turned away")
	require.Zero(t, l.enter(uuid.New(), another))
	l.leave(endpoints[0], one, 15*time.Second, false)
	require.Zero(t, l.enter(uuid.New(), one))
	for _, endpoint := range endpoints[1:] {
		l.leave(endpoint, one, time.Millisecond, true)
	}
	require.Equal(t, 1, l.byAccount[one].inside)
}
