package db_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/seal"
)

func sealBox(t *testing.T, keys ...seal.Key) *seal.Box {
	t.Helper()
	box, err := seal.New(keys...)
	require.NoError(t, err)
	return box
}

// putAnswer stores a sealed answer under an Idempotency-Key, bound to that key.
func putAnswer(ctx context.Context, pool *pgxpool.Pool, account uuid.UUID, box *seal.Box, key, plaintext string) error {
	_, err := pool.Exec(ctx,
		`INSERT INTO idempotency_key (account_id, key, fingerprint, status, body) VALUES ($1, $2, '', 200, to_jsonb($3::text))
		ON CONFLICT (account_id, key) DO UPDATE SET body = excluded.body`, account, key, box.Seal(plaintext, key))
	return err
}

func TestReseal(t *testing.T) {
	t.Parallel()

	const answers = 1200 // batches, and a part of one
	pool := dbtest.Pool(t)
	account := dbfactory.Account(t, pool).ID
	exec(t, pool, "DELETE FROM webhook_endpoint") // whose secret is no sealed one
	old, fresh := seal.GenerateKey(seal.NewKeyID()), seal.GenerateKey(seal.NewKeyID())
	before, both, after := sealBox(t, old), sealBox(t, fresh, old), sealBox(t, fresh)
	require.NoError(t, db.UseSealKeys(t.Context(), pool, before))
	for i := range answers {
		require.NoError(t, putAnswer(t.Context(), pool, account, before, fmt.Sprintf("key-%04d", i), "answer"))
	}

	// A process that still seals with the old key changes values that the rotation has read and not yet written.
	changed := map[string]bool{}
	resealing := &db.Resealing{DB: pool, Box: both, Contexts: db.SealContexts{"idempotency_key.body": func(_ uuid.UUID,
		key string) string {
		if len(changed) < 3 && !changed[key] {
			changed[key] = true
			require.NoError(t, putAnswer(t.Context(), pool, account, before, key, "another answer"))
		}
		return key
	}}}
	interrupted, interrupt := context.WithCancel(t.Context())
	first, second := 0, 0
	resealing.Progress = func(_ string, count int) {
		first += count
		interrupt()
	}
	_, err := resealing.Run(interrupted)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 497, first, "a batch but for what was changed meanwhile")
	require.NoError(t, db.UseSealKeys(t.Context(), pool, both), "an interrupted rotation breaks nobody")

	resealing.Progress = func(_ string, count int) { second += count }
	retired, err := resealing.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{old.ID}, retired)
	require.Equal(t, answers-497, second, "none twice")

	rows, err := pool.Query(t.Context(), "SELECT id, sealed FROM sealed_value")
	require.NoError(t, err)
	count := 0
	for rows.Next() {
		var key, sealed string
		require.NoError(t, rows.Scan(&key, &sealed))
		plaintext, err := after.Open(sealed, key)
		require.NoError(t, err)
		require.Equal(t, changed[key], plaintext == "another answer", key)
		count++
	}
	require.NoError(t, rows.Err())
	require.Equal(t, answers, count)
	require.NoError(t, db.UseSealKeys(t.Context(), pool, after), "the old key can be dropped")
	require.ErrorContains(t, db.UseSealKeys(t.Context(), pool, before), fmt.Sprintf("%q is missing", fresh.ID))
	require.ErrorContains(t, putAnswer(t.Context(), pool, account, before, "late", "answer"), "not in use",
		"a process with the old key alone")

	retired, err = resealing.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, retired, "nothing is left to do")
}

// TestResealCalls has more calls than a batch sealed anew, and one that is sealed with the old key behind the walk.
func TestResealCalls(t *testing.T) {
	t.Parallel()

	const calls = 1100
	pool := dbtest.Pool(t)
	account, number := dbfactory.Account(t, pool).ID, dbfactory.DefaultNumber(t, pool)
	exec(t, pool, "DELETE FROM webhook_endpoint") // whose secret is no sealed one
	old, fresh := seal.GenerateKey(seal.NewKeyID()), seal.GenerateKey(seal.NewKeyID())
	before, both, after := sealBox(t, old), sealBox(t, fresh, old), sealBox(t, fresh)
	require.NoError(t, db.UseSealKeys(t.Context(), pool, before))
	insert := func(box *seal.Box) (id uuid.UUID) {
		id = dbfactory.ID(t)
		_, err := pool.Exec(t.Context(),
			`INSERT INTO call (id, account_id, direction, status, simulated, assistant_name, contact_phone_number, phone_number_id,
			phone_number, recording_secret) VALUES ($1, $2, 'outbound', 'completed', true, 'Ava', '+31612345678', $3, '+31850000000', $4)`,
			id, account, number.ID, box.Seal("secret", id.String()))
		require.NoError(t, err)
		return id
	}
	first := insert(before)
	for range calls - 1 {
		insert(before)
	}

	changed, batches := 0, 0
	resealing := &db.Resealing{DB: pool, Box: both, Contexts: db.SealContexts{"call.recording_secret": func(_ uuid.UUID,
		id string) string {
		return id
	}}}
	resealing.Progress = func(_ string, count int) {
		if batches++; batches == 2 { // a process that still seals with the old key has a call before those that are left
			_, err := pool.Exec(t.Context(), "UPDATE call SET recording_secret = $2 WHERE id = $1", first,
				before.Seal("late", first.String()))
			require.NoError(t, err)
		}
		changed += count
	}
	retired, err := resealing.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{old.ID}, retired)
	require.Equal(t, calls+1, changed, "each once, and one twice")

	rows, err := pool.Query(t.Context(), "SELECT id, sealed FROM sealed_value")
	require.NoError(t, err)
	var id, sealed string
	count := 0
	_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() error {
		count++
		plaintext, err := after.Open(sealed, id)
		require.Equal(t, id == first.String(), plaintext == "late")
		return err
	})
	require.NoError(t, err)
	require.Equal(t, calls, count)
}

// TestSealKeysOfOneID: of two processes with different keys of one id, one starts.
func TestSealKeysOfOneID(t *testing.T) {
	t.Parallel()

	pool, id := dbtest.Pool(t), seal.NewKeyID()
	var started [2]error
	var processes sync.WaitGroup
	for i := range started {
		box := sealBox(t, seal.GenerateKey(id))
		processes.Go(func() { started[i] = db.UseSealKeys(t.Context(), pool, box) })
	}
	processes.Wait()
	if started[0] == nil {
		started[0], started[1] = started[1], started[0]
	}
	require.NoError(t, started[1])
	require.ErrorContains(t, started[0], fmt.Sprintf("%q is not the one", id))
}

// TestSealedColumns: what the view lists has the trigger that holds the keys in use, and nothing else has.
func TestSealedColumns(t *testing.T) {
	t.Parallel()

	var listed, guarded []string
	err := dbtest.Tx(t).QueryRow(t.Context(), `SELECT
		(SELECT array_agg(format('%s.%s', table_name, column_name) ORDER BY 1) FROM information_schema.view_column_usage
			WHERE view_name = 'sealed_value' AND column_name NOT IN ('account_id', 'id', 'key')),
		(SELECT array_agg(format('%s.%s', tgrelid::regclass, attname) ORDER BY 1) FROM pg_trigger
			JOIN pg_attribute ON attrelid = tgrelid AND attnum = ANY (tgattr) WHERE tgfoid = 'seal_key_required'::regproc)`).Scan(&listed,
		&guarded)
	require.NoError(t, err)
	require.NotEmpty(t, listed)
	require.ElementsMatch(t, listed, guarded)
}
