//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	restEvery      = 500 * time.Millisecond
	redeliverEvery = 10 * time.Second
	problemsShown  = 8 // of an invariant
)

// restless counts what is not at rest.
const restless = `SELECT
    (SELECT count(*) FROM call WHERE NOT status = ANY ($1)),
    (SELECT count(*) FROM scheduled_call WHERE status = 'scheduled'),
    (SELECT count(*) FROM call WHERE status = ANY ($1) AND NOT EXISTS (SELECT FROM event WHERE event.call_id = call.id AND event.type = $2)),
    (SELECT count(*) FROM event WHERE sequence IS NULL),
    (SELECT count(*) FROM event WHERE delivery NOT IN ('none', 'delivered')),
    (SELECT count(*) FROM phone_number_order WHERE status = 'pending'),
    (SELECT count(*) FROM river_job WHERE kind IN ('discard_call', 'discard_recordings') AND finalized_at IS NULL)`

// settleDown ends all faults and waits until everything has come to rest, or as little is left as before for as long as it may
// take.
func (h *harness) settleDown(ctx context.Context) error {
	h.phase("settling")
	h.receiver.heal()
	var asked time.Time
	least, fewer := math.MaxInt, time.Now()
	var last string
	for {
		var left [7]int
		err := h.postgres.pool.QueryRow(ctx, restless, finalStatuses, reportEvent).Scan(&left[0], &left[1], &left[2], &left[3],
			&left[4], &left[5], &left[6])
		if err == nil && left == [7]int{} {
			return nil
		}
		if err == nil {
			last = fmt.Sprintf("%d calls, %d scheduled calls, %d reports to write, %d events to number, %d to deliver, %d orders, %d erasures",
				left[0], left[1], left[2], left[3], left[4], left[5], left[6])
			h.phase("settling: " + last)
			sum := 0
			for _, count := range left {
				sum += count
			}
			if sum < least {
				least, fewer = sum, time.Now()
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(fewer) > h.settle {
			h.say("not at rest, and no fewer for %v: %s", h.settle, last)
			return nil
		}
		if left[4] > 0 && !h.rolls() && time.Since(asked) > redeliverEvery {
			h.redeliver(ctx)
			asked = time.Now()
		}
		sleep(ctx, restEvery)
	}
}

// redeliver spares us the hours that the backoff of deliveries may take.
func (h *harness) redeliver(ctx context.Context) {
	rows, err := h.postgres.pool.Query(ctx,
		"SELECT id FROM event WHERE delivery NOT IN ('none', 'delivered') AND sequence IS NOT NULL")
	if err != nil {
		return // it is tried again
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return
	}
	for _, id := range ids {
		if ctx.Err() != nil || h.receiver.knows(id.String()) {
			continue
		}
		_ = h.driver.do(ctx, http.MethodPost, "/v1/events/"+id.String()+"/redeliver", "", nil, nil) // one that is under way is refused
	}
}

// verdict judges, prints a line for each invariant and what is wrong with it, and fails when something is.
func (h *harness) verdict(ctx context.Context) error {
	seen, err := h.observe(ctx)
	if err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	broken := false
	fmt.Println()
	for _, line := range check(*seen) {
		state := "ok"
		if len(line.Problems) > 0 {
			broken, state = true, "BROKEN"
		}
		fmt.Printf("%-6s  %-14s %s\n", state, line.Name, line.Text)
		for i, problem := range line.Problems {
			if i == problemsShown {
				fmt.Printf("          and %d more\n", len(line.Problems)-i)
				break
			}
			fmt.Printf("          %s\n", problem)
		}
	}
	if err := h.describe(ctx); err != nil {
		return err
	}
	fmt.Printf("seed %d, %d faults, %d processes ended by themselves\n", h.seed, h.done.faults.Load(), h.done.exits.Load())
	if broken {
		return errBroken
	}
	return nil
}

// describe prints figures that no invariant judges: how calls ended, and how long those of a lost worker stayed.
func (h *harness) describe(ctx context.Context) error {
	rows, err := h.postgres.pool.Query(ctx,
		`SELECT concat_ws(' ', status, ended_reason, ended_fault), count(*) FROM call GROUP BY 1 ORDER BY 2 DESC`)
	if err != nil {
		return err
	}
	var text string
	var count int
	var parts []string
	if _, err := pgx.ForEachRow(rows, []any{&text, &count}, func() error {
		parts = append(parts, fmt.Sprintf("%d %s", count, text))
		return nil
	}); err != nil {
		return err
	}
	fmt.Printf("        endings        %s\n", strings.Join(parts, ", "))
	h.mu.Lock()
	losses := append([]loss(nil), h.losses...)
	h.mu.Unlock()
	took := map[string][]time.Duration{}
	for _, one := range losses {
		rows, err := h.postgres.pool.Query(ctx, `SELECT min(step.at) FROM chaos.step AS step
			WHERE step.at > $1 AND step.status = ANY ($3) AND step.call_id IN (
				SELECT DISTINCT ON (before.call_id) before.call_id FROM chaos.step AS before WHERE before.worker_id LIKE $2)
			AND EXISTS (SELECT FROM chaos.step AS before WHERE before.call_id = step.call_id AND before.at < $1 AND before.worker_id LIKE $2)
			AND NOT EXISTS (SELECT FROM chaos.step AS before WHERE before.call_id = step.call_id AND before.at <= $1 AND before.status = ANY ($3))
			GROUP BY step.call_id`, one.at, fmt.Sprintf("%%-%d-%%", one.pid), finalStatuses)
		if err != nil {
			return err
		}
		ends, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
		if err != nil {
			return err
		}
		for _, at := range ends {
			took[one.fault] = append(took[one.fault], at.Sub(one.at))
		}
	}
	for name, all := range took {
		fmt.Printf("        takeover       after %s: %d calls, p50 %v, max %v\n", name, len(all), quantile(all, 0.5), quantile(all, 1))
	}
	return nil
}

// observe collects what is to be judged.
func (h *harness) observe(ctx context.Context) (*observations, error) {
	o := &observations{Ended: time.Now(), Rings: append(h.tap.noted(), h.far.transfers()...), Callers: h.driver.called(),
		Pages: h.driver.opened(), Files: map[string]string{}}
	o.Receipts, o.InvalidSignatures = h.receiver.got()
	o.Ledger, _ = h.driver.entries()
	o.Credits.Granted, o.Credits.Accepted = grantedCredits, h.driver.orders
	var err error
	if o.Calls, err = collect[callRow](ctx, h,
		`SELECT id::text, coalesce(scheduled_call_id::text, ''), contact_phone_number, direction, status, coalesce(ended_reason, ''),
		coalesce(ended_fault, ''), created_at, coalesce(ended_at, '0001-01-01Z'),
		coalesce((SELECT array_agg(DISTINCT step.sip_call_id) FROM chaos.step WHERE step.call_id = call.id AND step.sip_call_id IS NOT NULL), '{}'),
		deleted_at IS NOT NULL OR erased_at IS NOT NULL, coalesce(to_jsonb(call) ->> 'recording_key', ''), coalesce(worker_id, '')
		FROM call`); err != nil {
		return nil, err
	}
	if o.Scheduled, err = collect[scheduledRow](ctx, h,
		`SELECT scheduled_call.id::text, contact.phone_number, scheduled_call.status, scheduled_time
		FROM scheduled_call JOIN contact ON contact.id = contact_id`); err != nil {
		return nil, err
	}
	if o.Events, err = collect[eventRow](ctx, h,
		`SELECT id::text, type, coalesce(call_id::text, ''), coalesce(sequence, 0) FROM event`); err != nil {
		return nil, err
	}
	if o.Credits.Orders, err = collect[orderRow](ctx, h, `SELECT id::text, status,
		(SELECT count(*) FROM credit_entry WHERE phone_number_order_id = phone_number_order.id AND kind = 'order'),
		(SELECT count(*) FROM credit_entry WHERE phone_number_order_id = phone_number_order.id AND kind = 'refund')
		FROM phone_number_order`); err != nil {
		return nil, err
	}
	if err := h.postgres.pool.QueryRow(ctx, `SELECT (SELECT sum(credits) FROM account), (SELECT sum(amount) FROM credit_entry)`).
		Scan(&o.Credits.Balance, &o.Credits.LedgerSum); err != nil {
		return nil, err
	}
	err = h.postgres.pool.QueryRow(ctx, `SELECT count(*) FROM call_listener WHERE ended_at IS NULL`).Scan(&o.Listening)
	if err != nil {
		return nil, err
	}
	if o.Drafts, err = h.recordings(o.Files); err != nil {
		return nil, err
	}
	if o.Panics, err = panicsIn(h.logsDir()); err != nil || h.balancer == nil {
		return o, err
	}
	o.Rolled, err = h.observeRolled(ctx, o)
	return o, err
}

// observeRolled collects what is to be judged where processes are replaced.
func (h *harness) observeRolled(ctx context.Context, o *observations) (*rolled, error) {
	r := &rolled{Failed: h.driver.failures(), Exits: h.done.exits.Load(), API: map[string]string{}, Worker: map[string]string{},
		Upgrade: h.next != ""}
	for _, one := range o.Ledger {
		if p := h.balancer.servedBy(one.Key); p != nil {
			r.API[one.Key] = h.versionOf(p)
		}
	}
	for _, call := range o.Calls {
		if p := h.everLaunched(call.WorkerID); p != nil {
			r.Worker[call.ID] = h.versionOf(p)
		}
	}
	var err error
	r.Jobs, err = collectOne(ctx, h,
		`SELECT format('%s job %s is %s: %s', kind, id, state, errors[array_upper(errors, 1)] ->> 'error') FROM river_job
		WHERE state = 'discarded' OR array_length(errors, 1) > 0`)
	return r, err
}

// versionOf names the program of a process.
func (h *harness) versionOf(p *process) string {
	switch {
	case h.next == "":
		return "this"
	case p.runs == h.next:
		return "next"
	}
	return "before"
}

func collect[T any](ctx context.Context, h *harness, query string) ([]T, error) {
	rows, err := h.postgres.pool.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

func collectOne(ctx context.Context, h *harness, query string) ([]string, error) {
	rows, err := h.postgres.pool.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// recordings finds the kept recordings, by their keys, and counts the unfinished ones.
func (h *harness) recordings(found map[string]string) (drafts int, err error) {
	err = filepath.WalkDir(h.filesDir(), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil // kept or discarded meanwhile
		}
		if err != nil || entry.IsDir() {
			return err
		}
		key, err := filepath.Rel(h.filesDir(), path)
		if err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(key, "."):
			drafts++
		case strings.HasPrefix(key, "recordings/"):
			base, _, _ := strings.Cut(filepath.Base(key), ".")
			found[key] = base
		}
		return nil
	})
	return drafts, err
}
