package events

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
)

// An event is sent as it was read unless that is long ago, or it follows one of its call that was not delivered since.
func TestHeldEventTakeRead(t *testing.T) {
	t.Parallel()

	call := uuid.New()
	held := func(position, follows int64, readAt time.Time) *heldEvent {
		row := &dbsqlc.DeliveryQueueTakeRow{CallID: call, Position: position, Follows: follows}
		return &heldEvent{DeliveryQueueTakeRow: row, read: &delivery{}, readAt: readAt}
	}
	now := time.Now().Add(time.Hour) // however slow the test is
	first, second, third := held(1, 0, now), held(2, 1, now), held(3, 2, now)
	at := &lane{held: []*heldEvent{first, second, third}}
	at.lead(first)
	require.NotNil(t, first.takeRead())
	require.NotNil(t, second.takeRead())
	require.Nil(t, third.takeRead(), "the second was not delivered")
	require.Nil(t, first.takeRead(), "it is sent once")
	require.Nil(t, held(4, 0, time.Now().Add(-2*readFor)).takeRead())
}
