package maintenance_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
)

// TestMakePartitions has rows of months with a partition and without, before and after the job made some.
func TestMakePartitions(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	worker := &maintenance.MakePartitionsWorker{DB: pool,
		Now: func() time.Time { return time.Date(2040, 11, 30, 23, 59, 59, 0, time.UTC) }}
	made := func() {
		require.NoError(t, worker.Work(t.Context(), &river.Job[maintenance.MakePartitionsArgs]{}))
	}
	exec := func(statement string, args ...any) {
		_, err := pool.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	place := func(table, where string, args ...any) (partition string) {
		err := pool.QueryRow(t.Context(), "SELECT tableoid::regclass::text FROM "+table+" WHERE "+where, args...).Scan(&partition)
		require.NoError(t, err)
		return partition
	}
	add := func(at time.Time) uuid.UUID {
		id := db.UUIDAt(at)
		id[15] = 1
		exec(`INSERT INTO call (id, account_id, direction, status, simulated, assistant_name, contact_phone_number, phone_number_id, phone_number)
			SELECT $1, $2, 'inbound', 'completed', true, 'Ava', '+31612345678', id, number FROM phone_number WHERE account_id = $2`, id,
			f.Account.ID)
		exec("INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start) VALUES ($1, 0, $2, 'user', 'Hi.', 1)", id, f.Account.ID)
		exec("INSERT INTO delivery_attempt (account_id, event_id, attempt, url, latency_ms, created_at) VALUES ($2, $1, 1, 'https://example.com', 1, $3)", id, f.Account.ID, at)
		return id
	}
	at := func(call uuid.UUID) []string {
		return []string{place("call_turn", "call_id = $1", call), place("delivery_attempt", "event_id = $1", call)}
	}
	last, next := time.Date(2040, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC)
	before := []uuid.UUID{add(last), add(next)}
	require.Equal(t, []string{"call_turn_default", "delivery_attempt_default"}, at(before[0]))
	made()
	made()
	require.Equal(t, []string{"call_turn_2040_12", "delivery_attempt_2040_12"}, at(before[0]), "it takes its rows along")
	require.Equal(t, []string{"call_turn_2041_01", "delivery_attempt_2041_01"}, at(before[1]))
	require.Equal(t, []string{"call_turn_2040_11", "delivery_attempt_2040_11"}, at(add(worker.Now())))
	require.Equal(t, []string{"call_turn_default", "delivery_attempt_default"}, at(add(next.AddDate(0, 1, 0))),
		"a month that is too far away")
	again := "INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start) VALUES ($1, 0, $2, 'user', 'Hi.', 1) ON CONFLICT (call_id, position) DO NOTHING"
	exec(again, before[0], f.Account.ID)
	require.Equal(t, "call_turn_2040_12", place("call_turn", "call_id = $1", before[0]), "once")

	exec("DELETE FROM call WHERE id = $1", before[0])
	exec("DELETE FROM delivery_attempt WHERE event_id = $1", before[0])
	worker.Now = func() time.Time { return next.AddDate(0, 0, 1) }
	made()
	rows, err := pool.Query(t.Context(),
		"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'call_turn'::regclass ORDER BY 1")
	require.NoError(t, err)
	partitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"call_turn_2040_11", "call_turn_2041_01", "call_turn_2041_02", "call_turn_2041_03",
		"call_turn_default"}, partitions,
		"the turns of a deleted call went with it, and what is empty goes when its month is over")
}
