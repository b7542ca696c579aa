// Package db opens Postgres and runs transactions. All it knows about tables is generated into dbsqlc from the .sql
// files in /queries; it knows no rule of the product and nothing above it.
package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Beginner is all that a handler or a worker holds of the database: queries of one statement, transactions and pipelines.
// *pgxpool.Pool satisfies it, and so does a test's own pgx.Tx.
type Beginner interface {
	dbsqlc.DBTX
	Begin(ctx context.Context) (pgx.Tx, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Open connects a pool of at most maxConns connections to the database at url and pings it. Postgres ends sessions whose
// process vanished or leaves a transaction open, unless url sets other limits, and knows the pool's sessions by a name that
// begins with the application_name of url. Behind a connection pooler the pool does
// without those, and without named prepared statements. The tracers see what its connections send.
func Open(ctx context.Context, url string, maxConns int32, tracers ...pgx.QueryTracer) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parse database url: %w", err)
	}
	config.MaxConns = maxConns
	config.MinConns = min(2, maxConns)
	config.ConnConfig.DialFunc = dialer()
	config.ConnConfig.RuntimeParams["application_name"] = sessionName(config.ConnConfig.RuntimeParams["application_name"])
	notifier, written := newNotifier(), &forms{}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerUUID(conn.TypeMap())
		conn.PgConn().CustomData()[notifierKey] = notifier
		conn.PgConn().CustomData()[formsKey] = written
		return nil
	}
	config.ConnConfig.Tracer = &outage{}
	if len(tracers) > 0 {
		config.ConnConfig.Tracer = multitracer.New(append(tracers, config.ConnConfig.Tracer)...)
	}

	reaching, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := adapt(reaching, config.ConnConfig); err != nil {
		return nil, fmt.Errorf("reach database: %w", attemptsError{err})
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Ping(reaching); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach database: %w", attemptsError{err})
	}
	if err := lookForForms(reaching, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// WithTx runs fn in one transaction and commits when it returns no error. What it asked to be notified of is notified then.
func WithTx[T any](ctx context.Context, beginner Beginner, fn func(tx pgx.Tx) (T, error)) (T, error) {
	var zero T
	tx, err := Begin(ctx, beginner)
	if err != nil {
		return zero, fmt.Errorf("begin: %w", err)
	}
	defer rollback(ctx, tx)

	value, err := fn(tx)
	if err != nil {
		return zero, err
	}
	if err := tx.Commit(ctx); err != nil {
		return zero, fmt.Errorf("commit: %w", Uncertain(err))
	}
	return value, nil
}

// ErrUncertain is the error of a transaction that may have been committed: the connection was lost before Postgres answered.
// Whoever repeats it may find its own work done.
var ErrUncertain = errors.New("the outcome is unknown")

// Uncertain wraps ErrUncertain around the error of a commit, or of a statement that is its own transaction, unless the error says
// that nothing happened. What pgconn.SafeToRetry says of a lost commit is not true.
func Uncertain(err error) error {
	_, said := errors.AsType[*pgconn.PgError](err)
	if err == nil || said && !Unavailable(err) || contended(err) || errors.Is(err, pgx.ErrTxCommitRollback) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUncertain, err)
}

// InTx is WithTx for a transaction that returns nothing.
func InTx(ctx context.Context, beginner Beginner, fn func(tx pgx.Tx) error) error {
	_, err := WithTx(ctx, beginner, func(tx pgx.Tx) (struct{}, error) { return struct{}{}, fn(tx) })
	return err
}

// A cancelled request must still be able to roll back. After a commit this is a no-op; a failed rollback closes the
// connection, which rolls back too, so there is nothing left to do with its error.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = tx.Rollback(ctx)
}
