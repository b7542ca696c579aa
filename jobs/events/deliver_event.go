package events

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/traces"
)

// deliveryBackoff is how long after a failed attempt the next one follows, ±10 %. After the last the event is dead.
var deliveryBackoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

const (
	deliveryTimeout = 15 * time.Second
	// How long an event waits for an endpoint that fails: a little longer than the backoff takes.
	deliveryLifetime = 50 * time.Hour
	failuresToHold   = 10              // in a row
	clockSlack       = 2 * time.Second // between this process's clock and Postgres's
	holdFor          = 5 * time.Minute // an event sleeps that waits to be woken, and up to twice as long
	// turnWait is about how long the attempt of an event takes for which the next one of its call waits.
	turnWait = 40 * time.Millisecond
	// From the beginning of one record of attempts to the next, while there is more than one at a time: more attempts share one.
	recordCooldown = 5 * time.Millisecond
)

// DeliverEventArgs asks for an event to be sent to the customer's server that was not at once, or is sent again.
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

// DeliverEventWorker sends events, signed by Standard Webhooks, until they are accepted or the backoff ends. At first an event is
// queued for its endpoint, and the Deliverer of the process that has the endpoint sends it. What is not delivered at once gets a
// job, which sleeps between the attempts; so does what is sent again. Attempts are counted on the event row; River's own retries
// are for our troubles, not the receiver's. A process that dies between the answer and its record sends the event again, under
// the same webhook-id.
//
// What is due at the same time is read together and recorded together.
//
// The events of a call are attempted one after the other, in their order, however many processes work. What an endpoint did
// not take at its first attempt keeps the later ones back only where it is the endpoint that fails, not the event:
//
// An endpoint that is unavailable (no answer, 429, 502, 503 or 504), or that failed ten times in a row, fails, in all
// processes: its row says when it is probed next, about every 10 s. The events that it did not take wait, and so do the later
// events of their calls. Each is still attempted at its own times, but from the tenth failure on, when the endpoint gets only
// probes. A probe sends the oldest event that waits. When that is before the event's time and fails it is no attempt: it is
// not logged and moves none of the event's times, so that no event is dead earlier for it. As soon as anything is delivered
// the events that wait are woken, each call's one after the other; see EventWake. An event that failed six times at its own
// times holds up no others of its call.
type DeliverEventWorker struct {
	river.WorkerDefaults[DeliverEventArgs]
	sender   *Sender
	log      *attemptLog
	loads    *db.Batcher[DeliverEventArgs, *delivery]
	records  *db.Batcher[*attempt, struct{}]
	holds    *db.Batcher[*delivery, struct{}]
	discards *db.Batcher[*dbsqlc.DeliveryQueueTakeRow, struct{}]
	limiters *limiters
}

// NewDeliverEventWorker delivers events by sender.
func NewDeliverEventWorker(sender *Sender, logger *slog.Logger) *DeliverEventWorker {
	w := &DeliverEventWorker{sender: sender, log: &attemptLog{sender.DB, logger, sender.Now}, limiters: newLimiters(sender.Now)}
	w.loads = db.NewBatcher(sender.load).Named("delivery_read")
	w.records = db.NewCooldownBatcher(recordCooldown, w.log.record).Named("delivery_record")
	w.holds = db.NewBatcher(w.log.hold).Named("delivery_hold")
	w.discards = db.NewBatcher(w.log.discard).Named("delivery_discard")
	return w
}

// Close ends what the worker does for many events together. None is delivered any more.
func (w *DeliverEventWorker) Close() {
	w.loads.Close()
	w.records.Close()
	w.holds.Close()
	w.discards.Close()
}

// Timeout covers one attempt and its records.
func (w *DeliverEventWorker) Timeout(*river.Job[DeliverEventArgs]) time.Duration {
	return deliveryTimeout + 30*time.Second
}

// Work implements river.Worker.
func (w *DeliverEventWorker) Work(ctx context.Context, job *river.Job[DeliverEventArgs]) error {
	ended, err := w.deliver(ctx, job.Args, origin{jobID: job.ID, jobs: river.ClientFromContext[pgx.Tx](ctx)})
	if err == nil && ended.again > 0 {
		return river.JobSnooze(ended.again)
	}
	return err
}

// ended is what became of an event that was due.
type ended struct {
	again     time.Duration // in which whoever holds it is to come again; 0: it is settled, or left to a job
	delivered bool
}

// deliver reads an event and does what is to be done for it now.
func (w *DeliverEventWorker) deliver(ctx context.Context, args DeliverEventArgs, from origin) (ended, error) {
	delivery, err := w.loads.Do(ctx, args)
	if err != nil {
		return ended{}, fmt.Errorf("load event: %w", err)
	}
	if delivery == nil || delivery.event.Delivery != "pending" || delivery.event.Redelivery != args.Redelivery {
		return ended{}, w.discard(ctx, from)
	}
	delivery.origin = from
	return w.pursue(ctx, delivery)
}

// pursue does what is to be done now for an event that is pending.
func (w *DeliverEventWorker) pursue(ctx context.Context, delivery *delivery) (ended, error) {
	if delivery.endpoint == nil {
		return ended{}, w.log.giveUp(ctx, delivery)
	}
	now := w.sender.Now()
	delivery.early = delivery.dueIn(now) > clockSlack
	if delivery.event.Behind || delivery.probeOnly() && delivery.endpoint.RetryAt.After(now) {
		return w.hold(ctx, delivery)
	}
	if delivery.event.Ahead > 0 {
		return ended{again: time.Duration(delivery.event.Ahead) * turnWait}, nil
	}
	if again := w.limiters.enter(delivery.endpoint.ID, delivery.endpoint.AccountID); again > 0 {
		return ended{again: again}, nil
	}
	return w.attempt(ctx, delivery)
}

// attempt sends the event once, having passed the endpoint's limiter, and records what became of it.
func (w *DeliverEventWorker) attempt(ctx context.Context, delivery *delivery) (ended, error) {
	started, answered := w.sender.Now(), true
	leave := func() {
		w.limiters.leave(delivery.endpoint.ID, delivery.endpoint.AccountID, w.sender.Now().Sub(started), answered)
	}
	if delivery.probes = delivery.probeOnly(); delivery.probes {
		claimed, err := dbsqlc.New().WebhookEndpointClaimProbe(ctx, w.sender.DB,
			&dbsqlc.WebhookEndpointClaimProbeParams{ID: delivery.endpoint.ID})
		if err != nil || claimed == 0 {
			leave()
			if err != nil {
				return ended{}, fmt.Errorf("claim probe: %w", err)
			}
			return w.hold(ctx, delivery)
		}
	}
	post, err := w.sender.compose(delivery)
	if err == nil {
		err = delivery.permitted()
	}
	if err != nil {
		leave()
		return ended{}, fmt.Errorf("prepare delivery: %w", err)
	}
	posting, span := ctx, traces.Span{}
	if call := delivery.event.CallID; call != nil {
		posting, span = traces.Begin(traces.Continue(ctx, delivery.event.Traceparent, *call), DeliverEventArgs{}.Kind())
		span.Set("event_id", delivery.event.ID.String())
	}
	answer, postErr := w.sender.Hook.Post(posting, post)
	answered = postErr == nil && !slices.Contains(unavailableStatuses, answer.Status)
	leave()
	if postErr != nil && ctx.Err() != nil {
		return ended{}, fmt.Errorf("post event: %w", postErr) // our own shutdown, which is no attempt of the receiver
	}
	made := newAttempt(delivery, answer, postErr, w.sender.Now().Sub(started), w.sender.Now())
	made.end(span)
	if _, err := w.records.Do(context.WithoutCancel(ctx), made); err != nil {
		return ended{}, fmt.Errorf("record delivery attempt: %w", err)
	}
	made.count()
	return ended{made.comeAgain(), made.verdict == "delivered"}, nil
}

// hold has the event wait until it is woken, or its next attempt is due.
func (w *DeliverEventWorker) hold(ctx context.Context, delivery *delivery) (ended, error) {
	now := w.sender.Now()
	if now.Sub(delivery.event.PendingSince) > deliveryLifetime {
		return ended{}, w.log.giveUp(ctx, delivery)
	}
	delivery.wait = holdFor + rand.N(holdFor)
	if due := delivery.dueIn(now); due > clockSlack && !delivery.event.Behind {
		delivery.wait = due
	}
	if _, err := w.holds.Do(ctx, delivery); err != nil {
		return ended{}, fmt.Errorf("hold event: %w", err)
	}
	return ended{again: delivery.comeAgain()}, nil
}

// discard forgets what is queued and needs no delivery.
func (w *DeliverEventWorker) discard(ctx context.Context, from origin) error {
	if from.queued == nil {
		return nil
	}
	if _, err := w.discards.Do(ctx, from.queued); err != nil {
		return fmt.Errorf("discard delivery: %w", err)
	}
	return nil
}
