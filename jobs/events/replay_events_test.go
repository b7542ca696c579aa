package events_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

// addPastEvents writes 1,300 delivered events, a minute apart since began. Every seventh has the time at which its transaction began,
// 50 minutes before its number. The first 100 are removed.
func addPastEvents(t *testing.T, f *jobstest.Fixture, began time.Time) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO event (id, account_id, sequence, type, payload, delivery, created_at)
		SELECT gen_random_uuid(), $1, i, 'status-update', '{}', 'delivered',
			$2::timestamptz + (i - CASE WHEN i % 7 = 0 THEN 50 ELSE 0 END) * interval '1 minute' FROM generate_series(1, 1300) AS i`,
		`INSERT INTO event_counter (account_id, last) SELECT $1, 1300 WHERE $2::timestamptz IS NOT NULL`,
		`DELETE FROM event WHERE account_id = $1 AND sequence <= 100 AND $2::timestamptz IS NOT NULL`,
	} {
		_, err := f.Tx.Exec(t.Context(), statement, f.Account.ID, began)
		require.NoError(t, err)
	}
}

// replay works the pages of a replay and returns the numbers of the events that it sends again, in their order.
func replay(t *testing.T, f *jobstest.Fixture, args events.ReplayEventsArgs) []int64 {
	t.Helper()
	sent := []int64{}
	worker := &events.ReplayEventsWorker{DB: f.Services.DB, Now: f.Services.Now}
	for {
		_, err := f.Tx.Exec(t.Context(), "DELETE FROM river_job WHERE kind IN ('replay_events', 'deliver_event')")
		require.NoError(t, err)
		require.Zero(t, jobstest.Work(t, f, worker, args))
		rows, err := f.Tx.Query(t.Context(), `SELECT event.sequence FROM river_job JOIN event ON event.id = (river_job.args->>'event_id')::uuid
			WHERE river_job.kind = 'deliver_event' ORDER BY river_job.id`)
		require.NoError(t, err)
		page, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		require.NoError(t, err)
		sent = append(sent, page...)
		var next []byte
		err = f.Tx.QueryRow(t.Context(), "SELECT args FROM river_job WHERE kind = 'replay_events' AND state <> 'completed'").Scan(&next)
		if err != nil {
			require.ErrorIs(t, err, pgx.ErrNoRows)
			return sent
		}
		args = events.ReplayEventsArgs{}
		require.NoError(t, json.Unmarshal(next, &args))
	}
}

// A replay finds the events of a time by their numbers, those too whose transactions began long before they were numbered, and goes
// through them in pages. What a process of the version before began goes on behind its time and position.
func TestReplayOfATime(t *testing.T) {
	t.Parallel()

	began := time.Now().Add(-10 * 24 * time.Hour).Truncate(time.Second)
	at := func(minute int) time.Time { return began.Add(time.Duration(minute) * time.Minute) }
	for name, test := range map[string]struct {
		since, until time.Time
		behind       bool // the first event of the time is not sent
	}{
		"All":                {since: at(-100), until: at(2000)},
		"Most":               {since: at(140), until: at(1290)},
		"AnHour":             {since: at(600), until: at(660)},
		"AnInstant":          {since: at(701), until: at(701).Add(time.Second)},
		"AtTheEnd":           {since: at(1290), until: at(1400)},
		"BeforeAll":          {since: at(-100), until: at(20)},
		"AfterAll":           {since: at(1500), until: at(1600)},
		"OfTheVersionBefore": {since: at(300), until: at(1200), behind: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			f.Webhook(t, new("https://example.com"), callstate.EventStatusUpdate)
			addPastEvents(t, f, began)
			args := events.ReplayEventsArgs{AccountID: f.Account.ID, AfterTime: test.since, Until: test.until}
			if test.behind {
				require.NoError(t, f.Tx.QueryRow(t.Context(),
					"SELECT created_at, position FROM event WHERE created_at >= $1 ORDER BY created_at, position LIMIT 1", test.since).
					Scan(&args.AfterTime, &args.AfterPosition))
			}
			rows, err := f.Tx.Query(t.Context(), `SELECT sequence FROM event WHERE account_id = $1
				AND (created_at, position) > ($2, $3) AND created_at < $4 ORDER BY sequence`,
				f.Account.ID, args.AfterTime, args.AfterPosition, args.Until)
			require.NoError(t, err)
			expected, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			require.NoError(t, err)
			if !test.behind {
				count, err := events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, test.since, test.until, 2000)
				require.NoError(t, err)
				require.EqualValues(t, len(expected), count)
			}
			require.Equal(t, expected, replay(t, f, args))
		})
	}
}

// The events of a call are replayed in the order of their numbers, page by page.
func TestReplayOfACall(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Webhook(t, new("https://example.com"), callstate.EventStatusUpdate)
	call := f.QueuedCall(t).ID
	addPastEvents(t, f, time.Now().Add(-24*time.Hour))
	_, err := f.Tx.Exec(t.Context(), "UPDATE event SET call_id = $1 WHERE sequence IS NOT NULL", call)
	require.NoError(t, err)
	sent := replay(t, f, events.ReplayEventsArgs{AccountID: f.Account.ID, CallID: &call})
	require.Len(t, sent, 1200)
	require.True(t, slices.IsSorted(sent))
	count, err := events.ReplayCall(t.Context(), f.Tx, f.Inserter, f.Account.ID, uuid.New())
	require.NoError(t, err)
	require.Zero(t, count)
}
