package maintenance_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
)

const day = 24 * time.Hour

// enforce removes what is too old at a time, where accounts have no days of their own.
func enforce(t *testing.T, f *jobstest.Fixture, now time.Time, byDefault maintenance.Retention) {
	t.Helper()
	worker := &maintenance.EnforceRetentionWorker{DB: f.Tx, Default: byDefault, Now: func() time.Time { return now }}
	require.Zero(t, jobstest.Work(t, f, worker, maintenance.EnforceRetentionArgs{}))
}

func count(t *testing.T, f *jobstest.Fixture, rows string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM "+rows, args...).Scan(&n))
	return n
}

// reported returns a call that was talked in, is over and reported, all of whose events were delivered.
func reported(t *testing.T, f *jobstest.Fixture) uuid.UUID {
	t.Helper()
	call := f.AddTalk(t)
	f.FinishCall(t, call.ID)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET recording_key = 'there', recording_secret = 'sealed' WHERE id = $1", call.ID)
	require.NoError(t, err)
	require.NoError(t, events.Number(t.Context(), f.Tx, f.Account.ID))
	_, err = f.Tx.Exec(t.Context(),
		`WITH told AS (UPDATE event SET delivery = 'delivered' WHERE call_id = $1 RETURNING account_id, id)
		INSERT INTO delivery_attempt (account_id, event_id, attempt, url, latency_ms, answer) SELECT account_id, id, 1, 'https://example.com', 1, 'Yes.' FROM told`, call.ID)
	require.NoError(t, err)
	return call.ID
}

func TestRetention(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 10, 0)
	call := reported(t, f)
	turns, all := count(t, f, "call_turn WHERE call_id = $1", call), count(t, f, "event WHERE account_id = $1", f.Account.ID)
	require.Positive(t, turns)
	month := maintenance.Retention{Transcripts: 30, Recordings: 30, Events: 30, Calls: 30}
	enforce(t, f, time.Now().Add(29*day), month)
	enforce(t, f, time.Now().Add(1000*day), maintenance.Retention{})
	require.Equal(t, turns, count(t, f, "call_turn WHERE call_id = $1", call))
	require.Equal(t, all, count(t, f, "event WHERE account_id = $1", f.Account.ID))
	require.NotContains(t, f.JobKinds(t), "discard_recordings")

	for range 2 {
		enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Transcripts: 30})
	}
	require.Zero(t, count(t, f, "call_turn WHERE call_id = $1", call))
	require.Zero(t, count(t, f, "event WHERE call_id = $1 AND type = $2 AND (payload ->> 'erased') IS NULL", call,
		callstate.EventEndOfCallReport))
	require.Equal(t, all, count(t, f, "event WHERE account_id = $1", f.Account.ID))
	require.Equal(t, 1, count(t, f, "call WHERE id = $1 AND recording_key IS NOT NULL", call))

	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Recordings: 30})
	require.Equal(t, 1, count(t, f, "call WHERE id = $1 AND recording_key IS NULL AND recording_secret IS NULL", call))
	require.Contains(t, f.JobKinds(t), "discard_recordings")
	require.Equal(t, 1,
		count(t, f, "river_job WHERE kind = 'discard_recordings' AND args ->> 'call_ids' LIKE '%' || $1::text || '%'", call))

	_, err := f.Tx.Exec(t.Context(), "UPDATE account SET keep_events = 60 WHERE id = $1", f.Account.ID)
	require.NoError(t, err)
	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Events: 30})
	require.Equal(t, all, count(t, f, "event WHERE account_id = $1", f.Account.ID), "the account keeps them longer")
	enforce(t, f, time.Now().Add(61*day), maintenance.Retention{Events: 90})
	require.Zero(t, count(t, f, "event WHERE account_id = $1", f.Account.ID))
	require.Zero(t, count(t, f, "delivery_attempt WHERE account_id = $1", f.Account.ID))

	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Calls: 30})
	require.Zero(t, count(t, f, "call WHERE account_id = $1", f.Account.ID))
}

// TestRetentionOfEvents removes events from the first on, up to one that is still to be delivered, and the feed and its totals
// go on behind them.
func TestRetentionOfEvents(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 10, 0)
	reported(t, f)
	late := reported(t, f)
	total := func(after int64) int64 {
		n, err := dbsqlc.New().EventCount(t.Context(), f.Tx, &dbsqlc.EventCountParams{AccountID: f.Account.ID, After: after})
		require.NoError(t, err)
		return n
	}
	var first, last int64
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT min(sequence), max(sequence) FROM event WHERE call_id = $1",
		late).Scan(&first, &last))
	require.Equal(t, last, total(0))
	_, err := f.Tx.Exec(t.Context(), "UPDATE event SET delivery = 'pending' WHERE account_id = $1 AND sequence = $2", f.Account.ID,
		first)
	require.NoError(t, err)
	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Events: 30})
	require.Equal(t, int(last-first+1), count(t, f, "event WHERE account_id = $1", f.Account.ID))
	require.Equal(t, last-first+1, total(0))
	require.Equal(t, last-first+1, total(first-1))
	require.Equal(t, last-first, total(first))
	ofType, err := dbsqlc.New().EventCountByType(t.Context(), f.Tx, &dbsqlc.EventCountByTypeParams{
		AccountID: f.Account.ID, Type: callstate.EventEndOfCallReport, After: -1, Bucket: -1, BucketEnd: 0,
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, ofType, "the counts of types follow")

	// What a person left can be erased although its report is gone.
	_, err = f.Tx.Exec(t.Context(), "UPDATE event SET delivery = 'delivered' WHERE account_id = $1", f.Account.ID)
	require.NoError(t, err)
	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Events: 30})
	require.Zero(t, total(0))
	require.ErrorIs(t, erasure.ErasePerson(t.Context(), f.Tx, f.Inserter, f.Account.ID, f.Contact.ID), erasure.ErrUnreported)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call SET ended_at = ended_at - interval '4 days' WHERE account_id = $1", f.Account.ID)
	require.NoError(t, err)
	require.NoError(t, erasure.ErasePerson(t.Context(), f.Tx, f.Inserter, f.Account.ID, f.Contact.ID))
}

// TestRetentionOfCalls keeps calls that are not over, and those with an appointment to come, and removes the rest with what made
// them.
func TestRetentionOfCalls(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 10, 0)
	gone, booked, waiting := reported(t, f), reported(t, f), f.QueuedCall(t)
	scheduled := f.ScheduledCall(t, time.Now(), nil)
	_, err := f.Tx.Exec(t.Context(), "UPDATE scheduled_call SET status = 'processed', call_id = $2 WHERE id = $1", scheduled.ID,
		gone)
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call SET scheduled_call_id = $1 WHERE id = $2", scheduled.ID, gone)
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), `INSERT INTO appointment (id, account_id, call_id, calendar, simulated, type, starts_at, ends_at)
		SELECT gen_random_uuid(), $1, id, 'calendar', true, 'intake', at, at + interval '1 hour'
		FROM (VALUES ($2::uuid, now() - interval '2 hours'), ($3, now() + interval '1 hour')) AS made (id, at)`, f.Account.ID, gone,
		booked)
	require.NoError(t, err)
	enforce(t, f, time.Now().Add(31*day), maintenance.Retention{Calls: 30, Transcripts: 30})
	require.Equal(t, 2, count(t, f, "call WHERE account_id = $1", f.Account.ID))
	require.Equal(t, 2, count(t, f, "call WHERE id IN ($1, $2)", booked, waiting.ID))
	require.Zero(t, count(t, f, "scheduled_call WHERE account_id = $1", f.Account.ID))
	require.Zero(t, count(t, f, "event WHERE call_id = $1 AND (payload ->> 'erased') IS NULL", gone))
	require.Zero(t, count(t, f, "call_turn WHERE call_id = $1", booked), "older than the call that waits")
}

func TestParseRetention(t *testing.T) {
	t.Parallel()

	parsed, err := maintenance.ParseRetention(map[string]int{"events": 90, "calls": 0})
	require.NoError(t, err)
	require.Equal(t, maintenance.Retention{Events: 90}, parsed)
	require.Equal(t, maintenance.Retention{Events: 0, Calls: 7}, parsed.Of(nil, nil, new(int32(0)), new(int32(7))))
	for _, wrong := range []map[string]int{{"events": 2}, {"events": -1}, {"calls": 36_501}, {"logs": 9}} {
		_, err := maintenance.ParseRetention(wrong)
		require.Error(t, err, wrong)
	}
}
