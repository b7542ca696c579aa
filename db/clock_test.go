package db_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestClock has machines whose clocks are wrong by an hour, or jump, show what Postgres shows.
func TestClock(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	agrees := func(clock *db.Clock) {
		t.Helper()
		var before, after time.Time
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&before))
		shown := clock.Now()
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&after))
		require.WithinRange(t, shown, before.Add(-time.Minute), after.Add(time.Minute))
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	right, err := db.NewClock(t.Context(), pool, logger)
	require.NoError(t, err)
	agrees(right)
	require.Empty(t, log.String())

	wrong := time.Hour
	clock := db.ClockOf(func() time.Time { return time.Now().Add(wrong) })
	require.NoError(t, db.SetClock(clock, t.Context(), pool, logger))
	agrees(clock)
	wrong = -time.Hour // it jumps
	require.NoError(t, db.SetClock(clock, t.Context(), pool, logger))
	agrees(clock)
	require.Equal(t, 1, strings.Count(log.String(), "are apart"), "the operator is told once: %s", log.String())

	began := clock.Now()
	require.Less(t, clock.Now().Sub(began), time.Minute)
}
