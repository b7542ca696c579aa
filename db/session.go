package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// idleInTransaction is how long Postgres waits for the next statement of a transaction. No transaction of ours waits for
// anything but Postgres, so whoever is silent for longer is paused, cut off or gone, and holds its rows from everybody else.
// It is shorter than the time after which others take a process for dead.
const idleInTransaction = 10 * time.Second

// sessionLimits are settings by which Postgres's side of a connection notices that ours is gone, as dialer has it for our
// side. The kernel's own limits keep a session of a vanished host, with its locks, for hours.
func sessionLimits() map[string]string {
	seconds, milliseconds := func(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) },
		func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return map[string]string{
		"idle_in_transaction_session_timeout": milliseconds(idleInTransaction),
		"tcp_keepalives_idle":                 seconds(probeIdle),
		"tcp_keepalives_interval":             seconds(probeInterval),
		"tcp_keepalives_count":                strconv.Itoa(probeCount),
		"tcp_user_timeout":                    milliseconds(unacknowledged),
		"client_connection_check_interval":    milliseconds(probeIdle), // also while a statement runs or waits for a lock
	}
}

// sessionName returns an application_name that no other pool has: others end the sessions of a worker that is taken for dead.
// Postgres keeps 63 characters, and writes longer ones in place of what is not ASCII: the end, which tells pools apart, must
// stay.
func sessionName(given string) string {
	const longest = 63 - 9
	given = cmp.Or(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, given), "callwright")
	return fmt.Sprintf("%s %08x", given[:min(len(given), longest)], rand.Uint32())
}

// limitSessions has the sessions at config begin with sessionLimits: those that the server on conn takes, which depends on its
// version and system, and that config does not set otherwise.
func limitSessions(ctx context.Context, conn *pgx.Conn, config *pgx.ConnConfig) error {
	params := maps.Clone(config.RuntimeParams)
	for name, value := range sessionLimits() {
		if _, given := params[name]; given {
			continue
		}
		_, err := conn.Exec(ctx, "SELECT set_config($1, $2, false)", name, value)
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && !Unavailable(refused) {
			continue
		}
		if err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
		params[name] = value
	}
	config.RuntimeParams = params
	return nil
}
