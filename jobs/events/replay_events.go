package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

const (
	replayPage     = 500
	replayPause    = time.Second // between pages: other accounts have their turn
	replayPriority = 3           // of deliveries that are sent again in numbers; what is new goes first

	// An event has the time at which its transaction began, and its number when that writes it, or later if others number events of
	// the account. No event is numbered this long after its time.
	replaySlack = time.Hour
)

// ErrReplayTooLong says that a replay would send more events than are sent at once.
var ErrReplayTooLong = errors.New("the replay has too many events")

// Redeliver begins a redelivery of an event.
func Redeliver(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID, eventID uuid.UUID) (*dbsqlc.Event, error) {
	event, err := dbsqlc.New().EventRedeliver(ctx, tx, &dbsqlc.EventRedeliverParams{AccountID: accountID, ID: eventID,
		Asked: callstate.Questions()})
	if err != nil {
		return nil, err
	}
	if _, err := in.InsertTx(ctx, tx, DeliverEventArgs{EventID: event.ID, AccountID: accountID, Redelivery: event.Redelivery},
		nil); err != nil {
		return nil, fmt.Errorf("enqueue delivery: %w", err)
	}
	return event, nil
}

// ReplayTime begins to send the events of a time again and returns how many there are, ErrReplayTooLong when they are
// more than most.
func ReplayTime(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID uuid.UUID, since, until time.Time,
	most int) (int64, error) {
	after, before, err := numbersOf(ctx, tx, accountID, since, until)
	if err != nil {
		return 0, err
	}
	count, err := dbsqlc.New().EventCountForReplay(ctx, tx, &dbsqlc.EventCountForReplayParams{
		AccountID: accountID, After: after, Before: before, Since: since, Until: until, Max: int32(most) + 1, Asked: callstate.Questions(),
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("count events to replay: %w", err)
	case count > int64(most):
		return 0, ErrReplayTooLong
	}
	now, err := dbsqlc.New().JobClock(ctx, tx)
	if err != nil {
		return 0, fmt.Errorf("read the clock of events: %w", err)
	}
	// No event from now on is replayed: it would be sent while it is new.
	until = earlier(until, now)
	return count, startReplay(ctx, tx, in, count, ReplayEventsArgs{AccountID: accountID, AfterTime: since, Until: until})
}

// ReplayCall is ReplayTime for the events of a call.
func ReplayCall(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID, callID uuid.UUID) (int64, error) {
	count, err := dbsqlc.New().EventCountForCallReplay(ctx, tx,
		&dbsqlc.EventCountForCallReplayParams{AccountID: accountID, CallID: callID, Asked: callstate.Questions()})
	if err != nil {
		return 0, fmt.Errorf("count events to replay: %w", err)
	}
	return count, startReplay(ctx, tx, in, count, ReplayEventsArgs{AccountID: accountID, CallID: &callID})
}

// numbersOf returns two numbers between which are those of all events of a time.
func numbersOf(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, since, until time.Time) (after, before int64, err error) {
	queries := dbsqlc.New()
	first, err := queries.EventFindSequence(ctx, tx,
		&dbsqlc.EventFindSequenceParams{AccountID: accountID, At: since.Add(-replaySlack)})
	if err != nil {
		return 0, 0, fmt.Errorf("find first event: %w", err)
	}
	before, err = queries.EventFindSequence(ctx, tx, &dbsqlc.EventFindSequenceParams{AccountID: accountID, At: until.Add(replaySlack)})
	if err != nil {
		return 0, 0, fmt.Errorf("find last event: %w", err)
	}
	return first - 1, before, nil
}

func startReplay(ctx context.Context, tx pgx.Tx, in queue.Inserter, count int64, args ReplayEventsArgs) error {
	if count == 0 {
		return nil
	}
	if _, err := in.InsertTx(ctx, tx, args, nil); err != nil {
		return fmt.Errorf("enqueue replay: %w", err)
	}
	return nil
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// ReplayEventsArgs asks for one page of a replay: the events that follow the cursor, which is their number.
type ReplayEventsArgs struct {
	AccountID uuid.UUID  `json:"account_id"`
	CallID    *uuid.UUID `json:"call_id,omitempty"` // nil: all events from AfterTime on, before Until
	Until     time.Time  `json:"until"`
	AfterTime time.Time  `json:"after_time"`
	// AfterPosition is 0, except of what a process of the version before began.
	AfterPosition  int64 `json:"after_position"`
	AfterSequence  int64 `json:"after_sequence,omitempty"`
	BeforeSequence int64 `json:"before_sequence,omitempty"` // 0: to be found
}

// Kind implements river.JobArgs.
func (ReplayEventsArgs) Kind() string { return "replay_events" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (ReplayEventsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// ReplayEventsWorker sends a page of events again and asks for the next page. It does so in the transaction that completes
// its job, so that each page is worked once.
type ReplayEventsWorker struct {
	river.WorkerDefaults[ReplayEventsArgs]
	DB  db.Beginner
	Now func() time.Time
}

// Work implements river.Worker.
func (w *ReplayEventsWorker) Work(ctx context.Context, job *river.Job[ReplayEventsArgs]) error {
	return db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		args := job.Args
		page, err := args.page(ctx, tx)
		if err != nil {
			return fmt.Errorf("list events to replay: %w", err)
		}
		params, err := w.redeliver(ctx, tx, args.AccountID, page)
		if err != nil {
			return err
		}
		if len(page) == replayPage {
			args.AfterSequence = page[len(page)-1].Sequence
			params = append(params, river.InsertManyParams{Args: args,
				InsertOpts: &river.InsertOpts{ScheduledAt: w.Now().Add(replayPause)}})
		}
		if err := queue.Insert(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), params); err != nil {
			return err
		}
		if _, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
			return fmt.Errorf("complete replay: %w", err)
		}
		return nil
	})
}

// page returns the events that follow the cursor. It finds the numbers of a time, for the pages that follow too.
func (a *ReplayEventsArgs) page(ctx context.Context, tx pgx.Tx) (page []*dbsqlc.EventListForReplayRow, err error) {
	queries := dbsqlc.New()
	if a.CallID == nil {
		if a.BeforeSequence == 0 {
			if a.AfterSequence, a.BeforeSequence, err = numbersOf(ctx, tx, a.AccountID, a.AfterTime, a.Until); err != nil {
				return nil, err
			}
		}
		return queries.EventListForReplay(ctx, tx, &dbsqlc.EventListForReplayParams{
			AccountID: a.AccountID, After: a.AfterSequence, Before: a.BeforeSequence, AfterTime: a.AfterTime,
			AfterPosition: a.AfterPosition, Until: a.Until, Max: replayPage,
		})
	}
	rows, err := queries.EventListForCallReplay(ctx, tx, &dbsqlc.EventListForCallReplayParams{
		AccountID: a.AccountID, CallID: *a.CallID, After: a.AfterSequence, AfterTime: a.AfterTime, AfterPosition: a.AfterPosition,
		Max: replayPage,
	})
	for _, row := range rows {
		page = append(page, (*dbsqlc.EventListForReplayRow)(row))
	}
	return page, err
}

// redeliver begins redeliveries of those events that their destination wants, and returns the jobs for them.
func (w *ReplayEventsWorker) redeliver(ctx context.Context, tx pgx.Tx, accountID uuid.UUID,
	page []*dbsqlc.EventListForReplayRow) ([]river.InsertManyParams, error) {
	assistants := make([]uuid.UUID, 0, len(page))
	for _, event := range page {
		if event.AssistantID != nil {
			assistants = append(assistants, *event.AssistantID)
		}
	}
	endpoints, err := dbsqlc.New().WebhookEndpointListForEvents(ctx, tx, &dbsqlc.WebhookEndpointListForEventsParams{
		AccountIds: []uuid.UUID{accountID}, AssistantIds: assistants,
	})
	if err != nil {
		return nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	var wanted []uuid.UUID
	for _, event := range page {
		if endpoint, _ := destinationOf(event.AssistantID, endpoints); endpoint != nil &&
			slices.Contains(endpoint.Events, event.Type) && !slices.Contains(callstate.Questions(), event.Type) {
			wanted = append(wanted, event.ID)
		}
	}
	redelivered, err := dbsqlc.New().EventRedeliverMany(ctx, tx, &dbsqlc.EventRedeliverManyParams{AccountID: accountID, Ids: wanted})
	if err != nil {
		return nil, fmt.Errorf("redeliver events: %w", err)
	}
	byID := map[uuid.UUID]int32{}
	for _, row := range redelivered {
		byID[row.ID] = row.Redelivery
	}
	var params []river.InsertManyParams
	for _, id := range wanted { // in their order
		if redelivery, begun := byID[id]; begun {
			params = append(params, river.InsertManyParams{
				Args:       DeliverEventArgs{EventID: id, AccountID: accountID, Redelivery: redelivery},
				InsertOpts: &river.InsertOpts{Priority: replayPriority},
			})
		}
	}
	return params, nil
}
