package calls_test

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

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func startScheduledCall(f *jobstest.Fixture) *calls.StartScheduledCallWorker {
	return calls.NewStartScheduledCallWorker(f.Services.DB, f.Services.Dialer, "process")
}

func TestStartScheduledCall(t *testing.T) {
	t.Parallel()

	start := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) time.Duration {
		t.Helper()
		return jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: id})
	}
	read := func(t *testing.T, f *jobstest.Fixture, id uuid.UUID) *dbsqlc.ScheduledCall {
		t.Helper()
		row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.Tx,
			&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.Account.ID, ID: id})
		require.NoError(t, err)
		return row
	}

	t.Run("MakesTheCallOnce", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		for range 2 {
			require.Zero(t, start(t, f, scheduled.ID))
		}
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.NotNil(t, scheduled.CallID)
		call := f.Call(t, *scheduled.CallID)
		require.Equal(t, "dialing", call.Status)
		require.Equal(t, []uuid.UUID{call.ID}, f.Dialer.Dialed)
		require.Equal(t, "Hello.", call.AssistantConfig.FirstMessage, "the configuration is pinned")
		require.Equal(t, []string{"status-update:queued"}, f.Events(t, call.ID))
		require.Equal(t, jsonb.Strings{"day": "Monday"}, call.Variables)
		require.Equal(t, "Be brief.", *call.Instruction)
		require.Empty(t, f.DispatchJobs(t))
	})

	t.Run("LeavesTheCallToOthersWithoutALine", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Dialer.Full = true
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Equal(t, "queued", f.Call(t, *read(t, f, scheduled.ID).CallID).Status)
		require.Empty(t, f.Dialer.Dialed)
		require.Equal(t, []uuid.UUID{*read(t, f, scheduled.ID).CallID}, f.DispatchJobs(t))
	})

	t.Run("QueuesTheCallWithoutAPlace", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 0, 0)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		call := f.Call(t, *read(t, f, scheduled.ID).CallID)
		require.Equal(t, "queued", call.Status)
		require.Equal(t, "Waits for another call to end: the account runs at most 0 at once.", *call.Explanation)
		require.Zero(t, f.Dialer.Booked)
		require.Empty(t, f.DispatchJobs(t), "the end of a call brings the job")
	})

	t.Run("OvertakesNobody", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		waiting := f.QueuedCall(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Empty(t, f.Dialer.Dialed)
		require.Len(t, f.DispatchJobs(t), 2)
		require.Equal(t, waiting.ID, f.Claim(t, *read(t, f, scheduled.ID).CallID, "process")[0].ID)
	})

	t.Run("GivesTheAlarmBackWhenTheProcessStops", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		close(f.Dialer.Stop)
		scheduled := f.ScheduledCall(t, time.Now().Add(calls.AlarmLead-time.Second), nil)
		result, err := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, startScheduledCall(f)).
			Work(t.Context(), t, f.Tx, calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID}, nil)
		require.NoError(t, err)
		require.Equal(t, river.EventKindJobSnoozed, result.EventKind)
		require.Equal(t, rivertype.JobStateAvailable, result.Job.State, "at once")
		require.Equal(t, "scheduled", read(t, f, scheduled.ID).Status)
	})

	t.Run("IsReadyBeforeItsMoment", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(calls.ClaimLead), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Len(t, f.Dialer.Dialed, 1)
		require.False(t, f.Dialer.At.Before(scheduled.ScheduledTime), "it is dialed at its time")
		require.WithinDuration(t, scheduled.ScheduledTime, f.Dialer.At, calls.ClaimLead/2)
	})

	t.Run("IsNotQueuedBeforeItsMoment", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Dialer.Full = true
		scheduled := f.ScheduledCall(t, time.Now().Add(calls.ClaimLead/2), nil)
		require.Zero(t, start(t, f, scheduled.ID))
		require.Equal(t, "queued", f.Call(t, *read(t, f, scheduled.ID).CallID).Status)
		require.False(t, time.Now().Before(scheduled.ScheduledTime))
	})

	t.Run("SleepsUntilItIsDue", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(time.Hour), nil)
		require.InDelta(t, time.Hour, start(t, f, scheduled.ID), float64(time.Minute))
		require.Equal(t, "scheduled", read(t, f, scheduled.ID).Status)
	})

	t.Run("WaitsForItsWindow", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		tomorrow := strings.ToLower(time.Now().UTC().AddDate(0, 0, 1).Weekday().String()[:3])
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), func(params *calls.ScheduledCall) {
			params.Window = &jsonb.Window{Timezone: "UTC", Days: []string{tomorrow}, Start: "00:00", End: "24:00"}
		})
		require.Positive(t, start(t, f, scheduled.ID))
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "scheduled", scheduled.Status)
		require.Contains(t, *scheduled.Explanation, "window")
	})

	t.Run("SaysWhyItDidNotDial", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
		_, err := dbsqlc.New().PhoneNumberLinkDelete(t.Context(), f.Tx,
			&dbsqlc.PhoneNumberLinkDeleteParams{AccountID: f.Account.ID, AssistantID: f.Assistant.ID})
		require.NoError(t, err)
		require.Zero(t, start(t, f, scheduled.ID))
		scheduled = read(t, f, scheduled.ID)
		require.Equal(t, "processed", scheduled.Status)
		require.Nil(t, scheduled.CallID)
		require.Equal(t, "Did not dial: the assistant has no phone number.", *scheduled.Explanation)
		told := dbfactory.Message[map[string]any](t, f.Tx, "account_id = $1 AND type = 'scheduled-call-failed'", f.Account.ID)
		require.Equal(t, "no-phone-number", told["cause"])
		require.Equal(t, *scheduled.Explanation, told["explanation"])
		require.Equal(t, scheduled.ID.String(), told["scheduledCall"].(map[string]any)["id"])
	})

	t.Run("IsMootWhenTheRowIsGone", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		require.Zero(t, start(t, f, dbfactory.ID(t)))
	})
}
