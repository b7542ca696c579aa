package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/worker"
)

const (
	headCallsPerSecond = 25_000 // of the bench's seconds: 100,000 by default
	headBatch          = 2_500
	headSamples        = 40
)

// queueHeads is what it costs to make a call, to claim one and to number an event before and after many calls have come and gone
// while somebody had a snapshot open, as a backup has: Postgres removes no version of a row that the snapshot might see, and what
// looks for the oldest of something meets all that was the oldest before.
func queueHeads(ctx context.Context, b *bench) error {
	c, err := newCustomer(ctx, b.pool, 0, greeter)
	if err != nil {
		return err
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	h := &headBench{bench: b, customer: c, inserter: inserter}
	if err := h.liveThrough(ctx, headBatch); err != nil { // so that there are statistics and plans
		return err
	}
	if _, err := b.pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}
	before, err := h.measure(ctx)
	if err != nil {
		return err
	}
	snapshot, err := b.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }() // it only read
	if _, err := snapshot.Exec(ctx, "SELECT count(*) FROM account"); err != nil {
		return err
	}
	if err := h.liveThrough(ctx, headCallsPerSecond*b.seconds); err != nil {
		return err
	}
	select { // calls do not come by thousands at once
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Second):
	}
	after, err := h.measure(ctx)
	if err != nil {
		return err
	}
	for i, name := range headNames {
		report("queue_head_"+name+"_ms", before[i], "ms")
		report("queue_head_"+name+"_behind_snapshot_ms", after[i], "ms")
		report("queue_head_"+name+"_growth", after[i]/before[i], "ratio")
	}
	return nil
}

var headNames = []string{"insert", "claim", "number", "look"}

type headBench struct {
	*bench
	customer *customer
	inserter queue.Inserter
	calls    int

	unnumbered events.Unnumbered
}

// headLife are what happens to calls $1 of account $2, a statement for each step, as the program does to many calls together.
var headLife = []string{
	"UPDATE call SET status = 'dialing', worker_id = 'bench' WHERE id = ANY ($1::uuid[]) AND account_id = $2",
	"UPDATE call SET status = 'in-progress', started_at = now() WHERE id = ANY ($1::uuid[]) AND account_id = $2",
	"UPDATE call SET status = 'completed', ended_at = now(), ended_reason = 'customer-ended-call' WHERE id = ANY ($1::uuid[]) AND account_id = $2",
	`INSERT INTO event (id, account_id, type, call_id, payload, delivery) SELECT gen_random_uuid(), $2, type, id, '{"type": "bench"}', 'none'
		FROM unnest($1::uuid[]) AS id, unnest('{status-update,status-update,end-of-call-report}'::text[]) AS type`,
}

// liveThrough has calls come, be claimed, talk and end, with three events each.
func (h *headBench) liveThrough(ctx context.Context, count int) error {
	for left := count; left > 0; left -= headBatch {
		ids := make([]uuid.UUID, min(left, headBatch))
		for i := range ids {
			ids[i] = uuid.Must(uuid.NewV7())
		}
		if _, err := h.pool.Exec(ctx, `INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name,
				contact_phone_number, phone_number_id, phone_number, timeline)
			SELECT made.id, $2, 'outbound', 'queued', true, $3, 'Bench', '+31612345678', number.id, number.number, '[{"status": "queued"}]'
			FROM unnest($1::uuid[]) AS made (id), phone_number AS number`, ids, h.customer.accountID, h.customer.assistantID); err != nil {
			return fmt.Errorf("insert calls: %w", err)
		}
		for _, step := range headLife {
			if _, err := h.pool.Exec(ctx, step, ids, h.customer.accountID); err != nil {
				return fmt.Errorf("live through calls: %w", err)
			}
		}
		if err := events.Number(ctx, h.pool, h.customer.accountID); err != nil {
			return err
		}
		if err := events.Number(ctx, h.pool, h.customer.accountID); err != nil { // of 5,000 at a time
			return err
		}
	}
	return nil
}

// measure returns the medians of what headNames name.
func (h *headBench) measure(ctx context.Context) ([]float64, error) {
	took := make([][]time.Duration, len(headNames))
	for range headSamples {
		one, err := h.sample(ctx)
		if err != nil {
			return nil, err
		}
		for i, d := range one {
			took[i] = append(took[i], d)
		}
	}
	medians := make([]float64, len(took))
	for i, durations := range took {
		medians[i] = percentile(durations, 0.5)
	}
	return medians, nil
}

// sample makes a call, claims it, ends it and numbers its events.
func (h *headBench) sample(ctx context.Context) (took []time.Duration, err error) {
	h.calls++
	var call *dbsqlc.Call
	steps := []func(tx pgx.Tx) error{
		func(tx pgx.Tx) error {
			call, err = calls.InsertDirect(ctx, tx, &calls.DirectCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: h.customer.accountID, AssistantID: h.customer.assistantID,
				PhoneNumber: fmt.Sprintf("+316%06d99", h.calls), Simulated: true, CustomData: []byte(`{}`),
			})
			return err
		},
		func(tx pgx.Tx) error {
			claimed, err := calls.Claim(ctx, tx, h.inserter, []*calls.PlaceCallArgs{{AccountID: h.customer.accountID, CallID: call.ID}},
				"bench")
			if err == nil && len(claimed) != 1 {
				return fmt.Errorf("%d calls are claimed", len(claimed))
			}
			return err
		},
		func(pgx.Tx) error { return events.Number(ctx, h.pool, h.customer.accountID) },
		func(pgx.Tx) error {
			_, err := h.unnumbered.Accounts(ctx, h.pool)
			return err
		},
	}
	for _, step := range steps {
		tx, err := db.PlanOnce(h.pool).Begin(ctx) // as workers do
		if err != nil {
			return nil, err
		}
		began := time.Now()
		err = step(tx)
		took = append(took, time.Since(began))
		if err != nil {
			return nil, err
		}
		if err := tx.Commit(ctx); err != nil {
			return nil, err
		}
	}
	_, err = h.pool.Exec(ctx, headLife[2], []uuid.UUID{call.ID}, h.customer.accountID)
	return took, err
}
