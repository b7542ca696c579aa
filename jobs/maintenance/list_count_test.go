package maintenance_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/maintenance"
)

// wrongCounts are the counts, with what is not folded yet, that differ from the rows: all in one snapshot.
const wrongCounts = `
WITH row AS (
	SELECT account_id, 'call' AS list, assistant_id::text AS part, status, utc_day(created_at) AS bucket FROM call WHERE call_counted(status, deleted_at)
	UNION ALL SELECT account_id, 'contact', coalesce(org_id, ''), '', 0 FROM contact WHERE deleted_at IS NULL
	UNION ALL SELECT account_id, 'scheduled_call', assistant_id::text, status, 0 FROM scheduled_call WHERE status <> 'canceled'
	UNION ALL SELECT account_id, 'event', type, '', sequence::integer / 1000 FROM event WHERE sequence IS NOT NULL
), actual AS (
	SELECT account_id, list, part, status, bucket, count(*) AS n FROM row WHERE part <> '' GROUP BY 1, 2, 3, 4, 5
	UNION ALL SELECT account_id, list, '', status, bucket, count(*) FROM row GROUP BY 1, 2, 4, 5
	UNION ALL SELECT account_id, 'contact_name', gram, '', 0, count(*) FROM contact, name_grams(search_name) AS gram WHERE deleted_at IS NULL GROUP BY 1, 3
), counted AS (
	SELECT account_id, list, part, status, bucket, sum(n) AS n FROM (
		SELECT * FROM list_count
		UNION ALL SELECT * FROM list_count_delta WHERE list <> 'contact_name' AND part <> ''
		UNION ALL SELECT account_id, list, '', status, bucket, n FROM list_count_delta WHERE list <> 'contact_name'
		UNION ALL SELECT account_id, list, gram, status, bucket, n FROM list_count_delta, name_grams(part) AS gram WHERE list = 'contact_name'
	) AS together GROUP BY 1, 2, 3, 4, 5
)
SELECT count(*) FROM actual FULL JOIN counted USING (account_id, list, part, status, bucket) WHERE coalesce(actual.n, 0) <> coalesce(counted.n, 0)`

// What writers do to the lists; $1 is the account, $2 its assistant, $3 a contact and $4 a number of it, $5 a new id.
var listChanges = []string{
	`INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_phone_number, phone_number_id, phone_number)
		SELECT gen_random_uuid(), $1, 'outbound', (ARRAY['queued', 'dialing', 'completed'])[1 + i % 3], true, $2, 'Ava', '+31612345678', $4, '+31850000000'
		FROM generate_series(1, (random() * 5)::integer) AS i WHERE $3::uuid IS NOT NULL AND $5::uuid IS NOT NULL`,
	`UPDATE call SET status = (ARRAY['dialing', 'in-progress', 'completed', 'busy', 'canceled'])[1 + (random() * 4)::integer] WHERE id IN (SELECT id FROM call WHERE account_id = $1 ORDER BY random() LIMIT 3 FOR UPDATE SKIP LOCKED)`,
	`UPDATE call SET deleted_at = CASE WHEN random() < 0.7 THEN now() END WHERE id IN (SELECT id FROM call WHERE account_id = $1 ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED)`,
	`UPDATE call SET created_at = created_at - interval '1 day' WHERE id IN (SELECT id FROM call WHERE account_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
	`DELETE FROM call WHERE id IN (SELECT id FROM call WHERE account_id = $1 ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED)`,
	`INSERT INTO contact (id, account_id, phone_number, full_name, org_id) SELECT $5, $1, $5::text, (ARRAY['Jan de Boer', 'Ännä', '', NULL])[1 + (random() * 3)::integer], (ARRAY['acme', '', NULL])[1 + (random() * 2)::integer]`,
	`UPDATE contact SET full_name = (ARRAY['JAN', 'Piet Puk', NULL])[1 + (random() * 2)::integer], org_id = 'other' WHERE id IN (SELECT id FROM contact WHERE account_id = $1 ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED)`,
	`UPDATE contact SET deleted_at = CASE WHEN random() < 0.7 THEN now() END WHERE id IN (SELECT id FROM contact WHERE account_id = $1 AND id <> $3 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
	`DELETE FROM contact WHERE id IN (SELECT id FROM contact WHERE account_id = $1 AND id <> $3 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
	`INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, scheduled_time, simulated) SELECT gen_random_uuid(), $1, $2, $3, now(), true FROM generate_series(1, 3)`,
	`UPDATE scheduled_call SET status = (ARRAY['scheduled', 'processed', 'canceled'])[1 + (random() * 2)::integer] WHERE id IN (SELECT id FROM scheduled_call WHERE account_id = $1 ORDER BY random() LIMIT 2 FOR UPDATE SKIP LOCKED)`,
	`DELETE FROM scheduled_call WHERE id IN (SELECT id FROM scheduled_call WHERE account_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
	`INSERT INTO event (id, account_id, type, payload, delivery) SELECT gen_random_uuid(), $1, (ARRAY['status-update', 'end'])[1 + i % 2], '{}', 'none' FROM generate_series(1, 4) AS i`,
	`DELETE FROM event WHERE id IN (SELECT id FROM event WHERE account_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
}

var errTurnedBack = errors.New("turned back")

// The sizes of lists are exact at all times, whoever writes, folds or rolls back at the same time.
func TestListCountsAreExact(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers, others sync.WaitGroup
	for range 4 {
		account := listAccount(t, pool)
		for range 2 {
			writers.Go(func() { writeLists(t, pool, account) })
		}
	}
	for range 2 {
		others.Go(func() {
			for ctx.Err() == nil {
				if err := maintenance.FoldListCounts(t.Context(), pool); err != nil {
					t.Error(err)
				}
			}
		})
	}
	others.Go(func() {
		for ctx.Err() == nil && !t.Failed() {
			expectExactCounts(t, pool)
		}
	})
	writers.Wait()
	stop()
	others.Wait()
	expectExactCounts(t, pool)
	require.NoError(t, maintenance.FoldListCounts(t.Context(), pool))
	expectExactCounts(t, pool)
	var unfolded, counts int
	require.NoError(t,
		pool.QueryRow(t.Context(),
			"SELECT (SELECT count(*) FROM list_count_delta), (SELECT count(*) FROM list_count WHERE n > 0)").Scan(&unfolded, &counts))
	require.Zero(t, unfolded)
	require.Greater(t, counts, 50)
}

func listAccount(t *testing.T, pool *pgxpool.Pool) []any {
	t.Helper()
	account, assistant, contact, number := dbfactory.ID(t), dbfactory.ID(t), dbfactory.ID(t), dbfactory.ID(t)
	for _, statement := range []string{
		"INSERT INTO account (id, email, name) VALUES ($1, $1::text, $1::text) ",
		"INSERT INTO assistant (id, account_id, name, config) VALUES ($2, $1, 'Ava', '{}')",
		"INSERT INTO contact (id, account_id, phone_number) VALUES ($3, $1, '+31612345678')",
		"INSERT INTO phone_number (id, account_id, number, origin) VALUES ($4, $1, $4::text, 'custom')",
	} {
		_, err := pool.Exec(t.Context(), "WITH given AS (SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid) "+statement, account, assistant,
			contact, number)
		require.NoError(t, err)
	}
	return []any{account, assistant, contact, number}
}

func writeLists(t *testing.T, pool *pgxpool.Pool, account []any) {
	for i := range 60 {
		err := db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			for range 1 + rand.IntN(2) {
				args := append(account[:4:4], uuid.Must(uuid.NewV7()))
				change := listChanges[rand.IntN(len(listChanges))]
				if _, err := tx.Exec(t.Context(), "WITH given AS (SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid) "+change,
					args...); err != nil {
					return err
				}
			}
			if rand.IntN(4) == 0 {
				return errTurnedBack
			}
			return nil
		})
		if err != nil && !errors.Is(err, errTurnedBack) && !isForeignKey(err) && !isDeadlock(err) {
			t.Error(err)
			return
		}
		if i%10 == 0 {
			if err := events.Number(t.Context(), pool, account[0].(uuid.UUID)); err != nil && !isDeadlock(err) {
				t.Error(err)
			}
		}
	}
}

func expectExactCounts(t *testing.T, pool *pgxpool.Pool) {
	var wrong int
	if err := pool.QueryRow(t.Context(), wrongCounts).Scan(&wrong); err != nil || wrong > 0 {
		t.Errorf("%d wrong counts, error %v", wrong, err)
	}
}

// Two writers of an account may get into each other's way; the transaction that fails must leave no trace in the counts.
func isDeadlock(err error) bool { return hasCode(err, "40P01") }

func isForeignKey(err error) bool { return hasCode(err, "23503") }

func hasCode(err error, code string) bool {
	var failed *pgconn.PgError
	return errors.As(err, &failed) && failed.Code == code
}
