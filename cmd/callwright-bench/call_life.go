package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/worker"
	"github.com/callwright/callwright/worker/gateways"
)

const (
	lifeAlone    = 3  // calls that live one after the other
	lifeTogether = 40 // calls that live at the same time
	lifeIdle     = 12 * time.Second
	lifeFlush    = 2 * time.Second // until River has recorded the last jobs and Postgres its statistics
)

// lifeSettings have Postgres count statements.
var lifeSettings = map[string]string{
	"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all", "checkpoint_timeout": "1h",
	"max_wal_size": "8GB",
	"autovacuum":   "off", // the statistics of tables that are so small are made anew all the time
}

// lifeScript is a far end that takes part in a conversation of five turns.
var lifeScript = simnet.Script{AnswerAfter: 100 * time.Millisecond, Steps: []simnet.Step{
	{Listen: 10 * time.Second}, {Say: "I would like to make an appointment, please."},
	{Listen: 10 * time.Second}, {Say: "On Monday at ten, if that is possible."},
	{Listen: 10 * time.Second},
}}

// callLife measures what the life of a simulated call of five turns costs Postgres, from its request to the last answer of the
// server that hears of it: of calls that are alone, and of many at the same time. What a worker asks while it has nothing to do
// is measured first, and taken off.
func callLife(ctx context.Context, b *bench) (err error) {
	if _, err := b.pool.Exec(ctx, "CREATE EXTENSION pg_stat_statements; CREATE EXTENSION pg_walinspect"); err != nil {
		return fmt.Errorf("count statements: %w", err)
	}
	server := httptest.NewServer(&receiver{arrived: make(chan time.Time, 1)})
	defer server.Close()
	l, err := newLife(ctx, b, server.URL)
	if err != nil {
		return err
	}
	defer l.stop()
	running, err := l.startWorker(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	if err := l.live(ctx, 10); err != nil { // whatever is made once is made now
		return err
	}
	if err := l.rest(ctx); err != nil {
		return err
	}
	for _, phase := range []struct {
		name          string
		rounds, calls int
	}{{"call_life", lifeAlone, 1}, {"call_life_together", 1, lifeTogether}} {
		before, err := l.used(ctx)
		if err != nil {
			return err
		}
		for range phase.rounds {
			if err := l.live(ctx, phase.calls); err != nil {
				return err
			}
		}
		if err := l.report(ctx, phase.name, phase.rounds*phase.calls, before); err != nil {
			return err
		}
	}
	return nil
}

// life is a customer whose calls are counted.
type life struct {
	*bench
	secrets  *seal.Box
	customer *customer
	address  string
	stop     func()
	made     int
	idle     float64 // statements in a second without calls
	idleWAL  float64 // bytes
}

func newLife(ctx context.Context, b *bench, url string) (*life, error) {
	l := &life{bench: b}
	var err error
	if l.secrets, err = sealBox(ctx, b); err != nil {
		return nil, err
	}
	if l.customer, err = newCustomer(ctx, b.pool, 1, jsonb.Assistant{
		FirstMessageOutbound: "Hello, this is Linden Dental. How can I help you?",
		LLMContent:           strings.Repeat("You are friendly and brief. ", 40),
	}); err != nil {
		return nil, err
	}
	if err := l.hears(ctx, url); err != nil {
		return nil, err
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return nil, err
	}
	l.address, l.stop, err = serveAPI(ctx, b, inserter)
	return l, err
}

// hears has the events of calls that products ask for sent to url.
func (l *life) hears(ctx context.Context, url string) error {
	endpoint := uuid.Must(uuid.NewV7())
	return db.InTx(ctx, l.pool, func(tx pgx.Tx) error {
		if _, err := dbsqlc.New().WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{
			ID: endpoint, AccountID: l.customer.accountID, Secret: new(l.secrets.Seal(hook.NewSecret(), events.SecretContext(endpoint))),
		}); err != nil {
			return fmt.Errorf("insert webhook: %w", err)
		}
		_, err := dbsqlc.New().WebhookEndpointPut(ctx, tx, &dbsqlc.WebhookEndpointPutParams{
			AccountID: l.customer.accountID, URL: &url, Enabled: true,
			Events: []string{callstate.EventStatusUpdate, callstate.EventEndOfCallReport},
		})
		return err
	})
}

func (l *life) startWorker(ctx context.Context) (*worker.Worker, error) {
	speech, err := all.New(all.Speech{}, l.logger)
	if err != nil {
		return nil, err
	}
	store, err := dir.Open(l.scratch)
	if err != nil {
		return nil, err
	}
	return worker.Start(ctx, worker.Config{
		Pool: l.pool, Queues: worker.DefaultQueues(),
		Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Seal: l.secrets, Logger: l.logger, Drain: time.Second,
		Phone: worker.PhoneConfig{
			Gateways: gateways.Config{
				Simulated: &gateways.Simulated{TTS: all.FarEndVoice(l.logger), Scripts: simnet.Scripts{"01": lifeScript}},
			},
			RingFor: 30 * time.Second, Speech: speech, Files: store,
		},
	})
}

// live makes calls and returns when all is reported and recorded.
func (l *life) live(ctx context.Context, calls int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	connection, err := dialAPI(ctx, l.address)
	if err != nil {
		return err
	}
	for range calls {
		if err := connection.post(directCallRequest(l.customer, 0)); err != nil {
			return errors.Join(err, connection.conn.Close())
		}
	}
	l.made += calls
	for over := false; !over; {
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		err := l.pool.QueryRow(ctx, `-- bench
			SELECT (SELECT count(*) FROM event WHERE type = 'end-of-call-report' AND delivery = 'delivered') = $1
			AND NOT EXISTS (SELECT FROM event WHERE delivery = 'pending')`, l.made).Scan(&over)
		if err != nil {
			return err
		}
	}
	return connection.conn.Close()
}

// rest measures what is asked without calls.
func (l *life) rest(ctx context.Context) error {
	before, err := l.used(ctx)
	if err != nil {
		return err
	}
	if err := sleep(ctx, lifeIdle); err != nil {
		return err
	}
	after, err := l.used(ctx)
	if err != nil {
		return err
	}
	seconds := after.at.Sub(before.at).Seconds()
	l.idle, l.idleWAL = (after.statements-before.statements)/seconds, (after.wal-before.wal)/seconds
	report("worker_idle_statements_per_second", l.idle, "statements/s")
	l.print("idle", before, after, seconds)
	return nil
}

// used is what Postgres did.
type used struct {
	at                                         time.Time
	statements, nested, wal, jobs, events, hot float64
	updates                                    float64            // of calls, of which hot moved no index
	by                                         map[string]float64 // statements by their text
}

// Its own statements begin with a comment, and do not count.
const usedSoFar = `-- bench
	SELECT (SELECT sum(calls) FROM pg_stat_statements WHERE toplevel AND query NOT LIKE '-- bench%'), (SELECT sum(calls) FROM pg_stat_statements WHERE NOT toplevel),
	(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8, (SELECT count(*) FROM river_job WHERE kind NOT LIKE 'wake%'), (SELECT count(*) FROM event),
	n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'call'`

// used waits for what is written late.
func (l *life) used(ctx context.Context) (*used, error) {
	if err := sleep(ctx, lifeFlush); err != nil {
		return nil, err
	}
	now := &used{at: time.Now(), by: map[string]float64{}}
	err := l.pool.QueryRow(ctx, usedSoFar).Scan(&now.statements, &now.nested, &now.wal, &now.jobs, &now.events, &now.updates,
		&now.hot)
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	rows, err := l.pool.Query(ctx,
		"-- bench\nSELECT toplevel, query, sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '-- bench%' GROUP BY toplevel, query")
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	var outer bool
	var text string
	var times float64
	_, err = pgx.ForEachRow(rows, []any{&outer, &text, &times}, func() error {
		if !outer {
			text = "    " + text
		}
		now.by[text] += times
		return nil
	})
	return now, err
}

// report prints what a call cost since before.
func (l *life) report(ctx context.Context, name string, calls int, before *used) error {
	after, err := l.used(ctx)
	if err != nil {
		return err
	}
	n, seconds := float64(calls), after.at.Sub(before.at).Seconds()
	report(name+"_statements", (after.statements-before.statements-l.idle*seconds)/n, "statements")
	report(name+"_nested_statements", (after.nested-before.nested)/n, "statements")
	report(name+"_wal_kb", (after.wal-before.wal-l.idleWAL*seconds)/1024/n, "kB")
	report(name+"_jobs", (after.jobs-before.jobs)/n, "jobs")
	report(name+"_events", (after.events-before.events)/n, "events")
	report(name+"_hot_updates", 100*(after.hot-before.hot)/max(1, after.updates-before.updates), "%")
	l.print(name, before, after, n)
	return l.printWAL(ctx, name, before, after, n)
}

// print lists the statements of a phase on standard error, so many of a call or a second.
func (l *life) print(name string, before, after *used, of float64) {
	if !l.listed {
		return
	}
	texts := slices.SortedFunc(maps.Keys(after.by), func(x,
		y string) int {
		return cmp.Compare(after.by[y]-before.by[y], after.by[x]-before.by[x])
	})
	for _, text := range texts {
		if times := after.by[text] - before.by[text]; times > 0 {
			fmt.Fprintf(os.Stderr, "%s %7.2f %.160s\n", name, times/of, strings.Join(strings.Fields(text), " "))
		}
	}
}

// A table's TOAST and the partitions of a table count by the table's name.
const walByTable = `-- bench
	SELECT coalesce(regexp_replace(coalesce(owner.relname || ' toast', class.relname), '_[0-9]{4}_[0-9]{2}', ''), ''),
		record.resource_manager || ' ' || record.record_type, sum(record.record_length) AS bytes, count(*)::float8
	FROM pg_get_wal_records_info('0/0'::pg_lsn + $1::numeric, least('0/0'::pg_lsn + $2::numeric, pg_current_wal_flush_lsn())) AS record
	LEFT JOIN pg_class AS class ON class.relfilenode = substring(record.block_ref FROM 'rel [0-9]+/[0-9]+/([0-9]+)')::oid
	LEFT JOIN pg_class AS owner ON owner.reltoastrelid = class.oid
	GROUP BY 1, 2 ORDER BY bytes DESC LIMIT 120`

// printWAL lists what the WAL of a phase consists of, as print does the statements.
func (l *life) printWAL(ctx context.Context, name string, before, after *used, of float64) error {
	if !l.listed {
		return nil
	}
	rows, err := l.pool.Query(ctx, walByTable, before.wal, after.wal)
	if err != nil {
		return fmt.Errorf("read WAL: %w", err)
	}
	var table, kind string
	var bytes, records float64
	_, err = pgx.ForEachRow(rows, []any{&table, &kind, &bytes, &records}, func() error {
		fmt.Fprintf(os.Stderr, "%s %7.0f bytes of WAL in %5.2f records %s %s\n", name, bytes/of, records/of, table, kind)
		return nil
	})
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
