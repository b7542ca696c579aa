package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()

	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, err := range []error{
		refused, io.ErrUnexpectedEOF, pgconn.ErrConnClosed, &pgconn.PgError{Code: "53300"}, &pgconn.PgError{Code: "53100"},
		&pgconn.PgError{Code: "57P01"},
		&pgconn.PgError{Code: "57P02"}, &pgconn.PgError{Code: "57P03"}, &pgconn.PgError{Code: "08006"}, &pgconn.PgError{Code: "40001"},
		&pgconn.PgError{Code: "40P01"}, &pgconn.PgError{Code: "25006"}, &pgconn.PgError{Code: "58030"},
	} {
		require.True(t, Unavailable(fmt.Errorf("begin: %w", err)), "%v", err)
	}
	for _, err := range []error{
		nil, context.Canceled, pgx.ErrNoRows, errors.New("other"), &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "42601"},
		&pgconn.PgError{Code: "57014"},
		&net.OpError{Op: "dial", Err: context.Canceled}, &net.OpError{Op: "listen", Err: syscall.EADDRINUSE},
	} {
		require.False(t, Unavailable(err), "%v", err)
	}
}

// TestLogOutages has two outages begin and end: each is two lines, whatever else is logged about it, and what has other causes
// is logged as ever.
func TestLogOutages(t *testing.T) {
	t.Parallel()

	var log bytes.Buffer
	config, err := pgxpool.ParseConfig("postgres://nobody@127.0.0.1:1/none")
	require.NoError(t, err)
	seen := &outage{}
	config.ConnConfig.Tracer = seen
	pool, err := pgxpool.NewWithConfig(t.Context(), config) // it connects when it is used
	require.NoError(t, err)
	defer pool.Close()
	logger := LogOutages(pool, slog.New(slog.NewTextHandler(&log, nil)))
	clock := time.Unix(1_700_000_000, 0)
	now := func() time.Time { return clock }
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	lines := func() []string {
		defer log.Reset()
		return strings.Split(strings.TrimSpace(log.String()), "\n")
	}

	for range 2 {
		seen.note(nil, now)
		seen.note(&pgconn.PgError{Code: "40001"}, now) // about rows
		require.False(t, seen.lasts.Load())
		for range 3 {
			seen.note(fmt.Errorf("connect: %w", refused), now)
			logger.Warn("call not recorded", "error", fmt.Errorf("begin: %w", refused))
			logger.With("queue", "calls").Error("too slow", "error", context.DeadlineExceeded)
			LibraryLogger(logger).Error("Producer: Error fetching jobs", "err", refused.Error())
			clock = clock.Add(400 * time.Millisecond)
			seen.note(nil, now) // every other connection is refused
		}
		logger.Info("request", "status", 503)
		logger.Warn("webhook failed", "error", errors.New("status 500"))
		clock = clock.Add(time.Second)
		seen.note(nil, now)
		logger.Warn("server does not answer", "error", refused)
		written := lines()
		require.Len(t, written, 5, "%q", written)
		require.Contains(t, written[0], `msg="database unavailable" error="connect: dial: connection refused"`)
		require.Contains(t, written[3], `msg="database available again" outage_ms=800 errors=3 lines_not_logged=9`)
	}
	_, err = pool.Exec(t.Context(), "SELECT 1")
	require.Error(t, err)
	require.Contains(t, lines()[0], "database unavailable", "it is the pool's tracer")
	other := slog.New(slog.DiscardHandler)
	require.Same(t, other, LibraryLogger(other))
}
