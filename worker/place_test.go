package worker

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
)

func TestPlace(t *testing.T) {
	t.Parallel()

	phone := &Phone{calls: map[uuid.UUID]*liveCall{}, places: newPlaces(1), stopping: make(chan struct{})}
	first, other := dbfactory.ID(t), dbfactory.ID(t)
	place, ok := phone.Reserve(t.Context(), 0)
	require.True(t, ok)
	_, ok = phone.Reserve(t.Context(), time.Millisecond)
	require.False(t, ok, "there is one place")

	forget := place.Hold(first)
	require.True(t, phone.holds(first), "it is not lost, although nobody has claimed it yet")
	forget()
	require.False(t, phone.holds(first), "the claim failed")
	place.Hold(other)
	require.True(t, phone.holds(other))
	place.Release()
	require.True(t, phone.idle(), "nothing came of it")

	next, ok := phone.Reserve(t.Context(), 0)
	require.True(t, ok)
	place.Release()
	_, ok = phone.Reserve(t.Context(), 0)
	require.False(t, ok, "a place is given back once")
	next.Release()
	close(phone.stopping)
	_, ok = phone.Reserve(t.Context(), time.Minute)
	require.False(t, ok, "no calls are taken any more")
}
