package db_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

// Ten thousand movements from twenty sides: each is written or refused as a whole, no balance is ever below zero, and at
// the end each balance is the sum of its entries, which are numbered without gaps.
func TestCreditLedgerHolds(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	var accounts []*dbsqlc.Account
	for range 4 {
		accounts = append(accounts, dbfactory.Account(t, pool))
	}
	var refused, written atomic.Int64
	errs := make([]error, 20)
	var sides sync.WaitGroup
	for side := range errs {
		random := rand.New(rand.NewPCG(7, uint64(side)))
		sides.Go(func() {
			for range 500 {
				amount := int32(random.IntN(41) - 21)
				if amount == 0 {
					amount = -21
				}
				entry, err := dbsqlc.New().CreditEntryInsert(t.Context(), pool, &dbsqlc.CreditEntryInsertParams{
					AccountID: accounts[random.IntN(len(accounts))].ID, ID: dbfactory.ID(t), Kind: "grant", Amount: amount, Reason: "test",
				})
				switch {
				case errors.Is(err, pgx.ErrNoRows):
					refused.Add(1)
				case err != nil:
					errs[side] = err
					return
				case entry.Balance < 0:
					errs[side] = fmt.Errorf("balance %d", entry.Balance)
					return
				default:
					written.Add(1)
				}
			}
		})
	}
	sides.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Positive(t, refused.Load(), "nothing was refused, so nothing was tested")
	var entries int64
	for _, account := range accounts {
		row, err := dbsqlc.New().AccountGet(t.Context(), pool, &dbsqlc.AccountGetParams{ID: account.ID})
		require.NoError(t, err)
		var sum, count, last, lowest, broken int64
		require.NoError(t, pool.QueryRow(t.Context(), `
			SELECT sum(amount), count(*), max(sequence), min(balance), count(*) FILTER (WHERE balance <> running)
			FROM (SELECT *, sum(amount) OVER (ORDER BY sequence) AS running FROM credit_entry WHERE account_id = $1) AS entries`,
			account.ID).Scan(&sum, &count, &last, &lowest, &broken))
		require.EqualValues(t, row.Credits, sum)
		require.EqualValues(t, row.CreditEntries, count)
		require.Equal(t, count, last)
		require.GreaterOrEqual(t, lowest, int64(0))
		require.Zero(t, broken, "an entry's balance is not the sum up to it")
		entries += count
	}
	require.Equal(t, written.Load(), entries)
}

func TestCreditsMoveByEntriesOnly(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	account := dbfactory.Account(t, pool)
	_, err := dbsqlc.New().CreditEntryInsert(t.Context(), pool, &dbsqlc.CreditEntryInsertParams{
		AccountID: account.ID, ID: dbfactory.ID(t), Kind: "grant", Amount: 5, Reason: "test",
	})
	require.NoError(t, err)
	for _, statement := range []string{
		"UPDATE account SET credits = credits + 1", "UPDATE account SET credit_entries = 0", "UPDATE credit_entry SET amount = 50",
		"DELETE FROM credit_entry", "TRUNCATE credit_entry",
		"INSERT INTO account (id, email, name, credits) VALUES (gen_random_uuid(), 'rich', 'rich', 5)",
	} {
		_, err := pool.Exec(t.Context(), statement)
		require.Error(t, err, statement)
	}
	_, err = pool.Exec(t.Context(), "UPDATE account SET name = 'other'")
	require.NoError(t, err)
}
