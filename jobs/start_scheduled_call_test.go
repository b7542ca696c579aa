package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

func TestStartScheduledCall(t *testing.T) {
	t.Parallel()

	start := func(t *testing.T, f *fixture, id uuid.UUID) time.Duration {
		t.Helper()
		return work(t, f, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process"), StartScheduledCallArgs{ScheduledCallID: id})
	}
	read := func(t *testing.T, f *fixture, id uuid.UUID) *dbsqlc.ScheduledCall {
		t.Helper()
		row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.tx, &dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.account.ID, ID: id})
		require.NoError(t, err)
		return row
	}

	t.Run("MakesTheCallOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		for range 2 {
			require.Zero(t, start(t, f, scheduled.ID))
		}
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.NotNil(t, scheduled.CallID)
		call, err := dbsqlc.New().CallGet(t.Context(), f.tx, &dbsqlc.CallGetParams{AccountID: f.account.ID, ID: *scheduled.CallID})
		require.NoError(t, err)
		require.Equal(t, "dialing", call.Status)
		require.Equal(t, []uuid.UUID{call.ID}, f.dialer.dialed)
		require.Equal(t, "Hello.", call.AssistantConfig.FirstMessage, "the configuration is pinned")
		require.Equal(t, []string{"status-update:queued", "status-update:dialing"}, f.events(t, call.ID))
		require.Equal(t, jsonb.Strings{"day": "Monday"}, call.Variables)
		require.Equal(t, "Be brief.", *call.Instruction)
		require.Empty(t, f.tickets(t))
	})

	t.Run("LeavesTheCallToOthersWithoutALine", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.dialer.full = true
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Equal(t, "queued", f.call(t, *read(t, f, scheduled.ID).CallID).Status)
		require.Empty(t, f.dialer.dialed)
		require.Equal(t, []uuid.UUID{*read(t, f, scheduled.ID).CallID}, f.tickets(t))
	})

	t.Run("QueuesTheCallWithoutAPlace", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 0, 0)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		call := f.call(t, *read(t, f, scheduled.ID).CallID)
		require.Equal(t, "queued", call.Status)
		require.Equal(t, "Waits for another call to end: the account runs at most 0 at once.", *call.Explanation)
		require.Zero(t, f.dialer.booked)
		require.Empty(t, f.tickets(t), "the end of a call brings the ticket")
	})

	t.Run("OvertakesNobody", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		waiting := f.queuedCall(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Empty(t, f.dialer.dialed)
		require.Len(t, f.tickets(t), 2)
		require.Equal(t, waiting.ID, f.claim(t, *read(t, f, scheduled.ID).CallID, "process")[0].ID)
	})

	t.Run("GivesTheAlarmBackWhenTheProcessStops", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		close(f.dialer.stopping)
		scheduled := f.scheduledCall(t, time.Now().Add(AlarmLead-time.Second), nil)
		result, err := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, NewStartScheduledCallWorker(f.deps.DB, f.deps.Dialer, "process")).
			Work(t.Context(), t, f.tx, StartScheduledCallArgs{ScheduledCallID: scheduled.ID}, nil)
		require.NoError(t, err)
		require.Equal(t, river.EventKindJobSnoozed, result.EventKind)
		require.Equal(t, rivertype.JobStateAvailable, result.Job.State, "at once")
		require.Equal(t, "scheduled", read(t, f, scheduled.ID).Status)
	})

	t.Run("IsReadyBeforeItsMoment", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(ClaimLead), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Len(t, f.dialer.dialed, 1)
		require.False(t, f.dialer.at.Before(scheduled.ScheduledTime), "it is dialed at its moment")
		require.WithinDuration(t, scheduled.ScheduledTime, f.dialer.at, ClaimLead/2)
	})

	t.Run("IsNotQueuedBeforeItsMoment", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.dialer.full = true
		scheduled := f.scheduledCall(t, time.Now().Add(ClaimLead/2), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Equal(t, "queued", f.call(t, *read(t, f, scheduled.ID).CallID).Status)
		require.False(t, time.Now().Before(scheduled.ScheduledTime))
	})

	t.Run("SleepsUntilItIsDue", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(time.Hour), nil)
		require.InDelta(t, time.Hour, start(t, f, scheduled.ID), float64(time.Minute))
		require.Equal(t, "scheduled", read(t, f, scheduled.ID).Status)
	})

	t.Run("WaitsForItsWindow", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		tomorrow := strings.ToLower(time.Now().UTC().AddDate(0, 0, 1).Weekday().String()[:3])
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), func(params *dbsqlc.ScheduledCallInsertParams) {
			params.Window = &jsonb.Window{Timezone: "UTC", Days: []string{tomorrow}, Start: "00:00", End: "24:00"}
		})
		require.Positive(t, start(t, f, scheduled.ID))
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "scheduled", scheduled.Status)
		require.Contains(t, *scheduled.Explanation, "window")
	})

	t.Run("SaysWhyItDidNotDial", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		scheduled := f.scheduledCall(t, time.Now().Add(-time.Minute), nil)
		_, err := dbsqlc.New().PhoneNumberLinkDelete(t.Context(), f.tx, &dbsqlc.PhoneNumberLinkDeleteParams{AccountID: f.account.ID, AssistantID: f.assistant.ID})
		require.NoError(t, err)
		require.Zero(t, start(t, f, scheduled.ID))
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.Nil(t, scheduled.CallID)
		require.Contains(t, *scheduled.Explanation, "no phone number")
	})

	t.Run("IsMootWhenTheRowIsGone", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		require.Zero(t, start(t, f, newID(t)))
	})
}
