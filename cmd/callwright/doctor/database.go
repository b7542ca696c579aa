package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/costs"
)

const (
	newestPostgres = 18

	slowTrip        = 5 * time.Millisecond // a call makes dozens of round trips, one after the other
	clockWarn       = 500 * time.Millisecond
	clockFail       = 10 * time.Second
	lagWarn         = 30 * time.Second
	longTransaction = 10 * time.Minute
	keptWAL         = 4 << 30 // bytes
	roomForProcess  = 12      // connections of a worker
)

// Database returns the checks of the Postgres that pool leads to. They are cheap: a process makes them when it starts.
func Database(pool *pgxpool.Pool) []Check {
	return []Check{
		{"database", func(ctx context.Context) Finding { return checkVersion(ctx, pool) }},
		{"database sessions", func(ctx context.Context) Finding { return checkPooler(ctx, pool) }},
		{"database durability", func(ctx context.Context) Finding { return checkDurability(ctx, pool) }},
		{"database connections", func(ctx context.Context) Finding { return checkConnections(ctx, pool) }},
		{"database lag", func(ctx context.Context) Finding { return checkLag(ctx, pool) }},
		{"clock", func(ctx context.Context) Finding { return checkClock(ctx, pool) }},
	}
}

// Schema returns the checks of what the database holds.
func Schema(pool *pgxpool.Pool) []Check {
	return []Check{{"migrations", func(ctx context.Context) Finding { return checkMigrations(ctx, pool) }}}
}

// Prices returns the check that all that recent calls used has a price.
func Prices(pool *pgxpool.Pool) Check {
	return Check{"prices", func(ctx context.Context) Finding {
		if err := db.CheckMigrated(ctx, pool); err != nil {
			return ok("not known before the schema is there")
		}
		missing, set, err := costs.ListMissing(ctx, pool)
		switch {
		case err != nil:
			return unreadable(err)
		case !set:
			return ok("none are set, so calls cost nothing and budgets are never reached")
		case len(missing) == 0:
			return ok("all that calls of the last week used has one")
		}
		first := missing[0]
		return warn("set them with callwright prices set, or 0 where they are free: what has no price is missing in the costs of calls",
			"%d things that calls of the last week used have none, such as %s of %q, model %q", len(missing), first.Kind, first.Provider,
			first.Model)
	}}
}

// SealKeys returns the check that box opens what the database holds.
func SealKeys(pool *pgxpool.Pool, box *seal.Box) Check {
	return Check{"seal keys", func(ctx context.Context) Finding {
		if err := db.CheckMigrated(ctx, pool); err != nil {
			return ok("not known before the schema is there")
		}
		if err := db.CheckSealKeys(ctx, pool, box); err != nil {
			return fail("give this process the keys of the others: CALLWRIGHT_SEAL_KEYS holds all that are in use, the newest first", "%v",
				err)
		}
		return ok("key %s seals, and all that are in use open", box.KeyID())
	}}
}

func checkVersion(ctx context.Context, pool *pgxpool.Pool) Finding {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer conn.Release()
	version, err := db.ServerVersion(conn.Conn())
	if err != nil {
		return fail("give DATABASE_URL the address of a Postgres", "%v", err)
	}
	fastest := limit
	for range 5 {
		began := time.Now()
		if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
			return unreadable(err)
		}
		fastest = min(fastest, time.Since(began))
	}
	switch {
	case version < db.OldestPostgres:
		return fail(fmt.Sprintf("move to Postgres %d or newer: pg_upgrade keeps the data", db.OldestPostgres), "Postgres %d is older than %d",
			version, db.OldestPostgres)
	case version > newestPostgres:
		return warn("try it with calls that do not matter", "Postgres %d is newer than any that this version was tried with", version)
	case fastest > slowTrip:
		return warn("run processes and Postgres in one data centre: every call makes dozens of round trips",
			"Postgres %d, a round trip takes %s", version, millis(fastest))
	}
	return ok("Postgres %d, a round trip takes %s", version, millis(fastest))
}

func checkPooler(ctx context.Context, pool *pgxpool.Pool) Finding {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return unreadable(err)
	}
	defer conn.Release()
	switch pooled, err := db.BehindPooler(ctx, conn.Conn()); {
	case err != nil:
		return unreadable(err)
	case pooled:
		return warn("give workers, dev and migrate the address of Postgres itself",
			"a connection pooler stands before Postgres: API processes work, workers do not start")
	}
	return ok("a direct connection, which workers need")
}

func checkDurability(ctx context.Context, pool *pgxpool.Pool) Finding {
	var off []string
	err := pool.QueryRow(ctx, `SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`).Scan(&off)
	switch {
	case err != nil:
		return unreadable(err)
	case len(off) > 0:
		return warn("ALTER SYSTEM SET "+off[0]+" = on, and reload; look for it in the database's and the role's own settings too",
			"%v is off: what was accepted may be lost when Postgres's machine crashes", off)
	}
	return ok("what is committed survives a crash")
}

func checkConnections(ctx context.Context, pool *pgxpool.Pool) Finding {
	var most, used int
	err := pool.QueryRow(ctx,
		`SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')`).Scan(&most, &used)
	switch left := most - used; {
	case err != nil:
		return unreadable(err)
	case left < roomForProcess:
		return warn(moreConnections,
			"%d of %d connections are taken: another worker would not have enough", used, most)
	}
	return ok("%d of %d connections are taken", used, most)
}

// checkLag looks for what holds the database back: replicas, snapshots that are kept open and WAL that nobody fetches.
func checkLag(ctx context.Context, pool *pgxpool.Pool) Finding {
	var standby bool
	var replay, oldest, kept float64
	err := pool.QueryRow(ctx, `SELECT pg_is_in_recovery(),
		coalesce((SELECT max(extract(epoch FROM replay_lag)) FROM pg_stat_replication), 0)::float8,
		coalesce((SELECT max(extract(epoch FROM now() - xact_start)) FROM pg_stat_activity WHERE backend_type = 'client backend'), 0)::float8,
		CASE WHEN pg_is_in_recovery() THEN 0 ELSE
			coalesce((SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) FROM pg_replication_slots WHERE NOT active), 0)
		END::float8`).Scan(&standby, &replay, &oldest, &kept)
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)).Round(time.Second) }
	switch {
	case err != nil:
		return unreadable(err)
	case standby:
		return fail("have DATABASE_URL lead to the primary, such as by target_session_attrs=read-write with all hosts",
			"this is a standby, which only reads")
	case kept > keptWAL:
		return warn("start the replica, or drop its slot: SELECT pg_drop_replication_slot(NAME)",
			"a replication slot that nobody reads keeps %.0f GB of WAL", kept/(1<<30))
	case seconds(oldest) > longTransaction:
		return warn("end it if it is no backup: SELECT pg_terminate_backend(PID); it keeps dead rows, which makes queues slow",
			"a transaction has been open for %s", seconds(oldest))
	case seconds(replay) > lagWarn:
		return warn("look at the replica's disk and network: what it lacks is lost with the primary", "a replica is %s behind",
			seconds(replay))
	}
	return ok("a primary; nothing holds it back")
}

func checkClock(ctx context.Context, pool *pgxpool.Pool) Finding {
	const remedy = "run chrony or systemd-timesyncd on both machines"
	off, doubt := time.Duration(0), limit
	for range 3 {
		var theirs time.Time
		began := time.Now()
		if err := pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&theirs); err != nil {
			return unreadable(err)
		}
		if took := time.Since(began); took < doubt {
			off, doubt = theirs.Sub(began.Add(took/2)), took/2
		}
	}
	switch apart := off.Abs() - doubt; {
	case apart > clockFail:
		return fail(remedy, "this clock and Postgres's are %s apart: what goes by this one is wrong, such as certificates and logs",
			millis(off.Abs()))
	case apart > clockWarn:
		return warn(remedy, "this clock and Postgres's are %s apart", millis(off.Abs()))
	}
	return ok("this clock and Postgres's agree within %s", millis(off.Abs()+doubt))
}

func checkMigrations(ctx context.Context, pool *pgxpool.Pool) Finding {
	if err := db.CheckMigrated(ctx, pool); err != nil {
		return fail("run `callwright migrate` of this version, with a backup at hand", "%v", err)
	}
	lines, err := db.MigrationStatus(ctx, pool)
	if err != nil {
		return unreadable(err)
	}
	for _, line := range lines {
		if len(line.Unknown) > 0 {
			return warn("bring this process to that version", "a newer version has migrated the database: %v of %s", line.Unknown,
				line.Schema)
		}
	}
	return ok("%s at %d, %s at %d", lines[0].Schema, lines[0].Version, lines[1].Schema, lines[1].Version)
}
