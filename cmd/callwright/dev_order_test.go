package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEventOrder(t *testing.T) {
	t.Parallel()

	now := time.Now()
	event := func(sequence int64, status string) devEvent {
		var e devEvent
		e.Message.Sequence, e.Message.CallStatus = sequence, status
		return e
	}
	order := newEventOrder()
	given := func(at time.Time) []int64 {
		sequences := []int64{}
		for e, ok := order.next(at); ok; e, ok = order.next(at) {
			sequences = append(sequences, e.Message.Sequence)
		}
		return sequences
	}
	require.Empty(t, given(now))
	require.Nil(t, order.due(now))

	order.add(event(7, "dialing"), now)
	require.Empty(t, given(now), "what comes first is not known yet")
	order.add(event(6, "queued"), now)
	require.Equal(t, []int64{6, 7}, given(now), "nothing comes before queued, and 7 follows on 6")

	order.add(event(12, "in-progress"), now) // 8 to 11: another call's, or on their way
	order.add(event(12, "in-progress"), now)
	require.Empty(t, given(now))
	require.NotNil(t, order.due(now))
	order.add(event(9, "ringing"), now.Add(settleTime/2))
	require.Empty(t, given(now.Add(settleTime/2)))
	require.Equal(t, []int64{9, 12}, given(now.Add(2*settleTime)))

	order.add(event(12, "in-progress"), now)
	require.Empty(t, given(now.Add(time.Hour)), "the same event again")
	order.add(event(10, "late"), now)
	require.Equal(t, []int64{10}, given(now), "better late than never")
	order.add(event(13, "completed"), now)
	require.Equal(t, []int64{13}, given(now))
}
