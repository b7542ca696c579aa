package calls_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func TestRequeue(t *testing.T) {
	t.Parallel()

	t.Run("WhatWasNotInvitedIsDialedByAnother", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "lost"), 1)
		requeued, err := calls.Requeue(t.Context(), f.Tx, f.Inserter, "lost", call.ID)
		require.NoError(t, err)
		require.Len(t, requeued, 1)
		require.Equal(t, "queued", requeued[0].Status)
		require.Nil(t, requeued[0].WorkerID)
		require.Len(t, f.DispatchJobs(t), 2)
		invited, err := calls.Invite(t.Context(), f.Tx, "lost", &calls.Invitation{CallID: call.ID})
		require.NoError(t, err)
		require.Empty(t, invited, "the lost process comes back: the call is not its own")

		require.Len(t, f.Claim(t, call.ID, "other"), 1)
		invited, err = calls.Invite(t.Context(), f.Tx, "other", &calls.Invitation{CallID: call.ID})
		require.NoError(t, err)
		require.Equal(t, []uuid.UUID{call.ID}, invited)
		require.Equal(t, []string{
			"status-update:queued", "status-update:queued",
		}, f.Events(t, call.ID))
	})

	t.Run("WhatWasInvitedMayHaveRung", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		call := f.QueuedCall(t)
		require.Len(t, f.Claim(t, call.ID, "lost"), 1)
		for _, want := range []int{1, 0} {
			invited, err := calls.Invite(t.Context(), f.Tx, "lost", &calls.Invitation{CallID: call.ID})
			require.NoError(t, err)
			require.Len(t, invited, want, "a call is invited once")
		}
		requeued, err := calls.Requeue(t.Context(), f.Tx, f.Inserter, "lost", call.ID)
		require.NoError(t, err)
		require.Empty(t, requeued)
		require.ErrorIs(t, calls.GiveBack(t.Context(), f.Tx, f.Inserter, "other", call.ID, time.Second, ""), calls.ErrConflict)
		require.NoError(t, calls.GiveBack(t.Context(), f.Tx, f.Inserter, "lost", call.ID, time.Minute, "It lacks ports."),
			"its own process knows that nothing left")
		require.Equal(t, "It lacks ports.", *f.Call(t, call.ID).Explanation)
		require.Empty(t, f.Claim(t, call.ID, "other"), "it rests")
		require.ErrorIs(t, calls.GiveBack(t.Context(), f.Tx, f.Inserter, "lost", call.ID, 0, ""), calls.ErrConflict)
	})

	t.Run("AScheduledCallWaitsForItsTimeAndWindow", func(t *testing.T) {
		t.Parallel()
		now := time.Now().UTC()
		tomorrow := now.Add(24 * time.Hour)
		for name, test := range map[string]struct {
			at     time.Time
			window *jsonb.Window
			want   time.Time
		}{
			"Time": {at: now.Add(time.Hour), want: now.Add(time.Hour)},
			"Window": {
				at: now, want: time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 0, 0, 0, 0, time.UTC),
				window: &jsonb.Window{Timezone: "UTC", Days: []string{[]string{"sun", "mon", "tue", "wed", "thu", "fri",
					"sat"}[tomorrow.Weekday()]}, Start: "00:00", End: "24:00"},
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := jobstest.New(t)
				scheduled := f.ScheduledCall(t, test.at, func(params *calls.ScheduledCall) { params.Window = test.window })
				call := f.QueuedCall(t)
				_, err := f.Tx.Exec(t.Context(), "UPDATE call SET scheduled_call_id = $1 WHERE id = $2", scheduled.ID, call.ID)
				require.NoError(t, err)
				require.Len(t, f.Claim(t, call.ID, "lost"), 1)
				requeued, err := calls.Requeue(t.Context(), f.Tx, f.Inserter, "lost", call.ID)
				require.NoError(t, err)
				require.WithinDuration(t, test.want, *requeued[0].NotBefore, time.Microsecond)
				require.Empty(t, f.Claim(t, call.ID, "other"), "nobody is rung early")
			})
		}
	})
}

// A call that may have rung is rung again only where the customer says so.
func TestRetryOfALostCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, outcome string
		again           bool
	}{
		{"worker-lost", "failed", false}, {"worker-lost", "worker-lost", true},
		{"worker-shutdown", "failed", false}, {"worker-shutdown", "worker-lost", true},
	} {
		t.Run(test.reason+" on "+test.outcome, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), func(params *calls.ScheduledCall) {
				params.Retry = &jsonb.Retry{On: []string{test.outcome}, MaxAttempts: 2}
			})
			jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID})
			id := f.Dialer.Dialed[0]
			ended, err := calls.End(t.Context(), f.Tx, f.Inserter, "process", map[uuid.UUID]calls.Ending{
				id: {Status: "failed", Reason: test.reason, Fault: "platform"},
			})
			require.NoError(t, err)
			require.Len(t, ended, 1)
			f.FinishCall(t, id)
			row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.Tx,
				&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.Account.ID, ID: scheduled.ID})
			require.NoError(t, err)
			require.Equal(t, test.again, row.Status == "scheduled")
		})
	}
}
