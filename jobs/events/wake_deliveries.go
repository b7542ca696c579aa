package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

const (
	wakeCooldown = 8 * time.Second // from the beginning of a failed attempt to when the event may be woken, unless that hung
	wakeBatch    = 100             // endpoints
)

// WakeDeliveriesArgs asks for events to be woken that wait for endpoints: one to probe each that fails and is due, the others
// where the endpoint is well.
type WakeDeliveriesArgs struct{}

// Kind implements river.JobArgs.
func (WakeDeliveriesArgs) Kind() string { return "wake_deliveries" }

// WakeDeliveriesWorker runs periodically, in one process for all. What it does with an endpoint is one statement, however many
// events wait for it, and with none when no events wait.
type WakeDeliveriesWorker struct {
	river.WorkerDefaults[WakeDeliveriesArgs]
	DB db.Beginner
}

// Work implements river.Worker.
func (w *WakeDeliveriesWorker) Work(ctx context.Context, _ *river.Job[WakeDeliveriesArgs]) error {
	endpoints, err := dbsqlc.New().EventListWaitedFor(ctx, w.DB)
	if err != nil {
		return fmt.Errorf("list endpoints that events wait for: %w", err)
	}
	for batch := range slices.Chunk(endpoints, wakeBatch) {
		if err := wake(ctx, w.DB, batch); err != nil {
			return err
		}
	}
	return nil
}

func wake(ctx context.Context, tx dbsqlc.DBTX, endpoints []uuid.UUID) error {
	if len(endpoints) == 0 {
		return nil
	}
	woken, err := dbsqlc.New().EventWake(ctx, tx, &dbsqlc.EventWakeParams{EndpointIds: endpoints})
	if err != nil {
		return fmt.Errorf("wake events: %w", err)
	}
	if woken == 0 {
		return nil
	}
	return queue.Wake(ctx, tx, queue.Webhooks)
}
