package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/document"
)

func TestStartScheduledCall(t *testing.T) {
	t.Parallel()

	start := func(t *testing.T, f *fixture, id uuid.UUID) time.Duration {
		t.Helper()
		return work(t, f, newStartScheduledCallWorker(f.deps), StartScheduledCallArgs{ScheduledCallID: id})
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
		require.Equal(t, "queued", call.Status)
		require.Equal(t, document.Strings{"day": "Monday"}, call.Variables)
		require.Equal(t, "Be brief.", *call.Instruction)
		require.Equal(t, 1, strings.Count(strings.Join(f.jobKinds(t), " "), "place_call"))
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
			params.Window = &document.Window{Timezone: "UTC", Days: []string{tomorrow}, Start: "00:00", End: "24:00"}
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
