package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errPooler is why a process that needs sessions of its own does not start.
var errPooler = errors.New("the database is reached through a connection pooler such as PgBouncer, where locks and notifications, " +
	"which belong to a session, are lost")

// EncodingError means that a database does not keep text as UTF-8, as those are that were made where the locale was C.
type EncodingError struct{ Encoding string }

// Error implements error.
func (e *EncodingError) Error() string {
	return fmt.Sprintf("the encoding of the database is %s and must be UTF8: make another one with "+
		"createdb --encoding=UTF8 --locale=C.UTF-8 --template=template0", e.Encoding)
}

// adapt fits config to what it leads to. Behind a pooler a session is another one in every transaction, where a prepared
// statement of ours is missing or somebody else's, and a setting stays for others: there each query is sent whole, and the
// limits of sessions are the pooler's.
func adapt(ctx context.Context, config *pgx.ConnConfig) (err error) {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if encoding := conn.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return &EncodingError{encoding}
	}
	switch pooled, err := BehindPooler(ctx, conn); {
	case err != nil:
		return err
	case pooled:
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		return nil
	}
	return limitSessions(ctx, conn, config)
}

// CheckDirect fails when a pooler stands between pool and Postgres.
func CheckDirect(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	pooled, err := BehindPooler(ctx, conn.Conn())
	if err == nil && pooled {
		err = errPooler
	}
	return err
}

// BehindPooler reports whether a pooler stands between conn and Postgres. It compares who answers with who was introduced when
// the connection was made: a pooler hands out process ids of its own, as they name what a client may cancel, and Postgres knows
// better.
func BehindPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var answers uint32
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&answers); err != nil {
		return false, fmt.Errorf("look for a connection pooler: %w", err)
	}
	return answers != conn.PgConn().PID(), nil
}
