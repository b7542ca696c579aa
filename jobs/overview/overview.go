// Package overview is what a deployment has to do and who does it, as its database knows: for the operator's page and for
// Prometheus. It knows tables, and how few queries, how short and how seldom these must be asked: whoever looks most often looks
// when the database has too much to do. It must not know what is made of it.
package overview

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

const (
	// Most is up to how many jobs of a queue in a state, queued calls and waiting events are counted.
	Most = 20_000
	// lastsFor is how long an overview is shown to all who ask, also when it could not be had.
	lastsFor = 5 * time.Second
	limit    = 2 * time.Second // for all queries together
)

// Overview is how a deployment stands.
type Overview struct {
	At          time.Time
	Server      Server
	Processes   []*dbsqlc.OverviewListProcessesRow // workers
	Calls       []*dbsqlc.OverviewListCallsRow
	Jobs        []*dbsqlc.OverviewListJobsRow
	Deliveries  *dbsqlc.OverviewGetDeliveriesRow
	Connections []*dbsqlc.OverviewListSIPConnectionsRow
}

// Server is how the database stands.
type Server struct {
	Version                string
	Bytes                  int64 // of this database
	Sessions, MostSessions int64
	OldestTransaction      float64 // seconds
}

// sqlc does not know the views of statistics.
const selectServer = `SELECT current_setting('server_version'), pg_database_size(current_database()), current_setting('max_connections')::bigint,
	count(*), coalesce(greatest(extract(epoch FROM now() - min(xact_start) FILTER (WHERE pid <> pg_backend_pid())), 0), 0)
	::double precision
FROM pg_stat_activity WHERE datname = current_database()`

func (s *Server) read(ctx context.Context, tx pgx.Tx) error {
	return tx.QueryRow(ctx, selectServer).Scan(&s.Version, &s.Bytes, &s.MostSessions, &s.Sessions, &s.OldestTransaction)
}

// Reader reads overviews. However many ask, the database is asked once in five seconds, by one of them.
type Reader struct {
	DB  db.Beginner
	Now func() time.Time

	mu      sync.Mutex
	last    *Overview
	failure error
	read    time.Time // zero: never
}

// Read returns how things stood at most five seconds ago.
func (r *Reader) Read(ctx context.Context) (*Overview, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.Now(); r.read.IsZero() || now.Sub(r.read) >= lastsFor {
		// Others wait for this too: it does not end because the first of them leaves.
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		r.last, r.failure = r.ask(limited)
		r.read = r.Now()
	}
	return r.last, r.failure
}

func (r *Reader) ask(ctx context.Context) (*Overview, error) {
	made, err := db.WithTx(ctx, r.DB, func(tx pgx.Tx) (*Overview, error) {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", limit.Milliseconds())); err != nil {
			return nil, err
		}
		return r.query(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("read overview: %w", err)
	}
	return made, nil
}

func (r *Reader) query(ctx context.Context, tx pgx.Tx) (*Overview, error) {
	queries, made := dbsqlc.New(), &Overview{At: r.Now()}
	for _, read := range []func() error{
		func() error { return made.Server.read(ctx, tx) },
		func() (err error) {
			made.Processes, err = queries.OverviewListProcesses(ctx, tx, &dbsqlc.OverviewListProcessesParams{Most: Most})
			return err
		},
		func() (err error) {
			made.Calls, err = queries.OverviewListCalls(ctx, tx, &dbsqlc.OverviewListCallsParams{Most: Most})
			return err
		},
		func() (err error) {
			made.Jobs, err = queries.OverviewListJobs(ctx, tx, &dbsqlc.OverviewListJobsParams{Queues: queue.Names(), Most: Most})
			return err
		},
		func() (err error) {
			made.Deliveries, err = queries.OverviewGetDeliveries(ctx, tx, &dbsqlc.OverviewGetDeliveriesParams{Most: Most})
			return err
		},
		func() (err error) { made.Connections, err = queries.OverviewListSIPConnections(ctx, tx); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return made, nil
}
