package maintenance_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
)

// keepSample keeps the call $1 where retention does not find it.
var keepSample = []string{
	"CREATE TABLE sample_call AS SELECT * FROM call WHERE id = $1",
	"CREATE TABLE sample_turn AS SELECT * FROM call_turn WHERE call_id = $1",
	"CREATE TABLE sample_event AS SELECT * FROM event WHERE call_id = $1",
}

// writtenColumns are those of calls that Postgres does not make itself.
const writtenColumns = `SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
	WHERE attrelid = 'call'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`

// copyCalls repeats the sample $3 times between $1 and $2, with its turns, events and their deliveries. COLUMNS are the written
// ones. Events have their numbers as they are written, as most have.
const copyCalls = `
WITH moment AS MATERIALIZED (
	SELECT at, (substr(uuid_at(at)::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid AS id
	FROM (SELECT $1::timestamptz + ($2::timestamptz - $1::timestamptz) * i / $3::integer AS at FROM generate_series(0, $3::integer - 1) AS i) AS spread
), made AS (
	INSERT INTO call (COLUMNS) SELECT COLUMNS FROM (SELECT (jsonb_populate_record(NULL::call, to_jsonb(sample_call) || jsonb_build_object('id', moment.id, 'created_at', moment.at,
		'updated_at', moment.at, 'started_at', moment.at, 'ended_at', moment.at + interval '2 minutes', 'phone_number', '+31201234567',
		'recording_key', NULL, 'recording_secret', NULL))).*
	FROM moment, sample_call) AS copied
), said AS (
	INSERT INTO call_turn SELECT (jsonb_populate_record(NULL::call_turn, to_jsonb(sample_turn) || jsonb_build_object('call_id', moment.id))).*
	FROM moment, sample_turn
), counter AS (
	UPDATE event_counter SET last = last + $3::integer * (SELECT count(*) FROM sample_event)
	RETURNING last - $3::integer * (SELECT count(*) FROM sample_event) AS base
), recorded AS (
	INSERT INTO event (id, account_id, type, call_id, payload, packed, delivery, created_at, sequence)
	SELECT (substr(uuid_at(moment.at)::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, sample_event.account_id, sample_event.type,
		moment.id, sample_event.payload, sample_event.packed, 'pending', moment.at,
		counter.base + row_number() OVER (ORDER BY moment.at, sample_event.position)
	FROM moment, sample_event, counter ORDER BY moment.at, sample_event.position
	RETURNING id, account_id, created_at
)
INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer, created_at)
SELECT account_id, id, 1, 'https://example.com/webhook', 200, 12, 'ok', created_at FROM recorded`

const (
	together = 2 // calls have their events delivered at the same time: at 100 calls a minute, their events are written in 1.2 s
	enforced = 5 // times a month what is too old is removed
)

// delivered notes the events of the last $1 calls as delivered.
const delivered = `UPDATE event SET delivery = 'delivered', attempts = 1, failed_attempts = 1
	WHERE sequence > (SELECT last - $1::integer * (SELECT count(*) FROM sample_event) FROM event_counter)`

// TestShrunkenYear lives through a year of calls with 90 days of events and 120 of transcripts. CALLWRIGHT_YEAR_CALLS says how
// many calls a month has; the sizes that the tables come to are logged.
func TestShrunkenYear(t *testing.T) {
	t.Parallel()

	perMonth := 60
	if given := os.Getenv("CALLWRIGHT_YEAR_CALLS"); given != "" {
		var err error
		perMonth, err = strconv.Atoi(given)
		require.NoError(t, err)
	}
	f, pool := jobstest.NewCommitted(t)
	f.Limit(t, 10, 0)
	call := reported(t, f)
	turns, err := calls.ListTurns(t.Context(), f.Tx, []uuid.UUID{call})
	require.NoError(t, err)
	require.NoError(t, f.Reporter().Report(t.Context(), f.Tx, f.Inserter, []*dbsqlc.Call{f.Call(t, call)}, turns))
	for _, statement := range keepSample {
		_, err := f.Tx.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol, call)
		require.NoError(t, err)
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))
	var perCall int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM sample_event").Scan(&perCall))

	var columns string
	require.NoError(t, pool.QueryRow(t.Context(), writtenColumns).Scan(&columns))
	copied := strings.ReplaceAll(copyCalls, "COLUMNS", columns)

	now := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	enforcer := &maintenance.EnforceRetentionWorker{DB: pool, Default: maintenance.Retention{Events: 90, Transcripts: 120}, Now: clock}
	enforce := func() {
		require.NoError(t, enforcer.Work(t.Context(), &river.Job[maintenance.EnforceRetentionArgs]{}))
		require.NoError(t, maintenance.FoldListCounts(t.Context(), pool))
		for _, statement := range []string{"VACUUM event", "VACUUM delivery_attempt", "VACUUM call_turn"} {
			_, err := pool.Exec(t.Context(), statement)
			require.NoError(t, err)
		}
	}
	var sizes []int64
	for range 12 {
		partitions := &maintenance.MakePartitionsWorker{DB: pool, Now: clock}
		require.NoError(t, partitions.Work(t.Context(), &river.Job[maintenance.MakePartitionsArgs]{}))
		began, next := now, now.AddDate(0, 1, 0)
		step := next.Sub(now) / time.Duration(perMonth/together)
		for part := range perMonth / together {
			now = began.Add(time.Duration(part) * step)
			_, err := pool.Exec(t.Context(), copied, now, now.Add(step), together)
			require.NoError(t, err)
			_, err = pool.Exec(t.Context(), delivered, together)
			require.NoError(t, err)
			if (part+1)%(perMonth/together/enforced) == 0 {
				enforce()
			}
		}
		now = next
		enforce()
		sizes = append(sizes, sizeOf(t, pool, "event"))
	}
	partitions := &maintenance.MakePartitionsWorker{DB: pool, Now: clock}
	require.NoError(t, partitions.Work(t.Context(), &river.Job[maintenance.MakePartitionsArgs]{}))

	var left, expected, gaps int64
	require.NoError(t,
		pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE created_at >= $1::timestamptz - interval '90 days'),
		max(sequence) - min(sequence) + 1 - count(*) FROM event`, now).Scan(&left, &expected, &gaps))
	require.Equal(t, expected, left, "as many days as they are kept, to the day")
	require.InDelta(t, float64(3*perMonth*perCall), float64(left), float64(perMonth*perCall)/5)
	require.Zero(t, gaps)
	require.Less(t, sizes[11], 2*sizes[3], "what is removed makes room for what comes")
	require.Equal(t, []string{"2040_10", "2040_11", "2040_12", "2041_01", "2041_02", "2041_03"}, months(t, pool, "delivery_attempt"))
	require.Equal(t, []string{"2040_09", "2040_10", "2040_11", "2040_12", "2041_01", "2041_02", "2041_03"},
		months(t, pool, "call_turn"))
	var calls int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM call").Scan(&calls))
	require.Equal(t, 12*perMonth+1, calls, "calls are kept for ever")
	for _, table := range []string{"call", "call_turn", "event", "delivery_attempt", "list_count"} {
		var rows int64
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows))
		t.Logf("%s: %d rows, %d kB, %.0f bytes a row", table, rows, sizeOf(t, pool, table)/1024,
			float64(sizeOf(t, pool, table))/float64(max(rows, 1)))
	}
}

// sizeOf returns what a table takes with its partitions and all indexes, in bytes.
func sizeOf(t *testing.T, pool *pgxpool.Pool, table string) (size int64) {
	t.Helper()
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT sum(pg_total_relation_size(part)) FROM (
		SELECT relid AS part FROM pg_partition_tree($1::text::regclass) UNION SELECT $1::text::regclass) AS parts`, table).Scan(&size))
	return size
}

// months are the months that have partitions of a table.
func months(t *testing.T, pool *pgxpool.Pool, table string) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT right(inhrelid::regclass::text, 7) FROM pg_inherits
		WHERE inhparent = $1::text::regclass AND inhrelid::regclass::text NOT LIKE '%default' ORDER BY 1`, table)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}
