package events

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// deliveryBackoff is how long after a failed attempt the next one follows, ±10 %. After the last the event is dead.
var deliveryBackoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

const (
	deliveryTimeout = 15 * time.Second
	// How long an event waits for an endpoint in its cooldown: a little longer than the backoff takes.
	deliveryLifetime = 50 * time.Hour
)

// DeliverEventArgs asks for an event to be sent to the customer's server.
type DeliverEventArgs struct {
	EventID    uuid.UUID `json:"event_id"`
	AccountID  uuid.UUID `json:"account_id"`
	Redelivery int32     `json:"redelivery,omitempty"` // a job of an earlier one does nothing
}

// Kind implements river.JobArgs.
func (DeliverEventArgs) Kind() string { return "deliver_event" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DeliverEventArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue.Webhooks, MaxAttempts: queue.MaxAttempts}
}

// DeliverEventWorker sends an event, signed by Standard Webhooks, until it is accepted or the backoff ends. Attempts are
// counted on the event row, and the job sleeps between them; River's own retries are for our troubles, not the receiver's.
// A process that dies between the answer and its record sends the event again, under the same webhook-id.
//
// What is due at the same time is read together and recorded together. An endpoint that fails again and again has a
// cooldown, in all processes: its row says until when, and then one delivery probes it while the others sleep on.
type DeliverEventWorker struct {
	river.WorkerDefaults[DeliverEventArgs]
	sender   *Sender
	log      *attemptLog
	loads    *db.Batcher[DeliverEventArgs, *delivery]
	records  *db.Batcher[*attempt, struct{}]
	limiters *limiters
}

// NewDeliverEventWorker delivers events by sender.
func NewDeliverEventWorker(sender *Sender, logger *slog.Logger) *DeliverEventWorker {
	w := &DeliverEventWorker{sender: sender, log: &attemptLog{sender.DB, logger}, limiters: newLimiters(sender.Now)}
	w.loads = db.NewBatcher(sender.load)
	w.records = db.NewBatcher(w.log.record)
	return w
}

// Close ends what the worker does for many jobs together. No job runs any more.
func (w *DeliverEventWorker) Close() {
	w.loads.Close()
	w.records.Close()
}

// Timeout covers one attempt and its records.
func (w *DeliverEventWorker) Timeout(*river.Job[DeliverEventArgs]) time.Duration {
	return deliveryTimeout + 30*time.Second
}

// Work implements river.Worker.
func (w *DeliverEventWorker) Work(ctx context.Context, job *river.Job[DeliverEventArgs]) error {
	delivery, err := w.loads.Do(ctx, job.Args)
	if err != nil {
		return fmt.Errorf("load event: %w", err)
	}
	if delivery == nil || delivery.event.Delivery != "pending" || delivery.event.Redelivery != job.Args.Redelivery {
		return nil
	}
	if delivery.endpoint == nil {
		return w.log.giveUp(ctx, delivery)
	}
	if cooldown := delivery.cooldown(w.sender.Now()); cooldown > 0 {
		return w.sleep(ctx, delivery, cooldown)
	}
	if again := w.limiters.enter(delivery.endpoint.ID); again > 0 {
		return river.JobSnooze(again)
	}
	return w.attempt(ctx, delivery)
}

// attempt sends the event once, having passed the endpoint's limiter, and records what became of it.
func (w *DeliverEventWorker) attempt(ctx context.Context, delivery *delivery) error {
	started, answered := w.sender.Now(), true
	leave := func() { w.limiters.leave(delivery.endpoint.ID, w.sender.Now().Sub(started), answered) }
	if delivery.probes = delivery.endpoint.RetryAt != nil; delivery.probes {
		claimed, err := dbsqlc.New().WebhookEndpointClaimProbe(ctx, w.sender.DB, &dbsqlc.WebhookEndpointClaimProbeParams{ID: delivery.endpoint.ID})
		if err != nil || claimed == 0 {
			leave()
			if err != nil {
				return fmt.Errorf("claim probe: %w", err)
			}
			return w.sleep(ctx, delivery, deliveryTimeout)
		}
	}
	post, err := w.sender.compose(delivery)
	if err != nil {
		leave()
		return fmt.Errorf("compose delivery: %w", err)
	}
	answer, postErr := w.sender.Hook.Post(ctx, post)
	answered = postErr == nil
	leave()
	if postErr != nil && ctx.Err() != nil {
		return fmt.Errorf("post event: %w", postErr) // our own shutdown, which is no attempt of the receiver
	}
	made := newAttempt(delivery, answer, postErr, w.sender.Now().Sub(started))
	if _, err := w.records.Do(context.WithoutCancel(ctx), made); err != nil {
		return fmt.Errorf("record delivery attempt: %w", err)
	}
	if made.verdict == "pending" {
		return river.JobSnooze(made.wait)
	}
	return nil
}

// sleep waits for an endpoint in its cooldown, up to twice as long, so that not all events come back at once.
func (w *DeliverEventWorker) sleep(ctx context.Context, delivery *delivery, cooldown time.Duration) error {
	if w.sender.Now().Sub(delivery.event.PendingSince) > deliveryLifetime {
		return w.log.giveUp(ctx, delivery)
	}
	return river.JobSnooze(cooldown + rand.N(cooldown))
}
