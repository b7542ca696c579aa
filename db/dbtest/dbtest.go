// Package dbtest gives tests a real, migrated Postgres without any preparation by the developer. It knows how to make
// and drop databases quickly; it must not know tables or fixtures, and nothing but tests may import it.
//
// Each test process runs a server of its own, which ends with the process; what it leaves on disk, a migrated template
// above all, is used by later processes. Set CALLWRIGHT_TEST_DATABASE_URL to use a server of your own instead; its user
// must be allowed to create databases.
package dbtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
)

const (
	urlVar       = "CALLWRIGHT_TEST_DATABASE_URL"
	startLimit   = 2 * time.Minute  // a first start may have to fetch Postgres
	cleanupLimit = 30 * time.Second // for one statement after the test, when its context has ended
	poolSize     = 10
)

// thisProcess is the one server of a test process. It is a global because nothing else outlives a single test.
var thisProcess = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit) // no test's: the server outlives them
	defer cancel()
	if url := os.Getenv(urlVar); url != "" {
		return openGiven(ctx, url)
	}
	root, err := slotsFolder()
	if err != nil {
		return nil, err
	}
	return openSlot(ctx, root)
})

// DSN makes an own, migrated database for this test and returns its URL, for tests that start processes. The database
// is dropped after the test, whoever is still connected.
func DSN(tb testing.TB) string {
	tb.Helper()
	server, err := thisProcess()
	require.NoError(tb, err, "start test database server, which "+urlVar+" replaces by one of yours")
	return server.database(tb)
}

// Pool makes an own, migrated database for this test and connects to it. Use it where two transactions matter or
// something has to commit; otherwise Tx is much faster.
func Pool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return Open(tb, DSN(tb))
}

// Open connects to the database of a URL until the test ends: once more to one that DSN made, as another process would.
func Open(tb testing.TB, dsn string) *pgxpool.Pool {
	tb.Helper()
	pool, err := db.Open(context.Background(), dsn, poolSize) // the test's ends before its cleanups, which use the pool
	require.NoError(tb, err)
	tb.Cleanup(pool.Close)
	return pool
}

// Tx begins a transaction on a migrated, empty database that all tests of the process share, and rolls it back after
// the test. What other tests write is invisible, but equal unique keys wait for each other: use random ones.
func Tx(tb testing.TB) pgx.Tx {
	tb.Helper()
	server, err := thisProcess()
	require.NoError(tb, err, "start test database server, which "+urlVar+" replaces by one of yours")
	pool, err := server.shared()
	require.NoError(tb, err)

	tx, err := pool.Begin(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
		defer cancel()
		if err := tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
			tb.Errorf("roll back test transaction: %v", err)
		}
	})
	return tx
}
