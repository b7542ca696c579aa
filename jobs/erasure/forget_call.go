package erasure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// A call that waits for deliveries looks again after a quarter of the time since its end: a server that is away is tried
// for days.
const (
	forgetSoonest = 5 * time.Second
	forgetLatest  = time.Hour
)

// ForgetCallArgs asks for what was said in a call to be removed, as its assistant's compliance_plan wants.
type ForgetCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (ForgetCallArgs) Kind() string { return "forget_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (ForgetCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// Forgetting returns the jobs for those of the reported calls that keep nothing of what is said.
func Forgetting(now time.Time, calls []*dbsqlc.Call) (params []river.InsertManyParams) {
	for _, call := range calls {
		if call.AssistantConfig.Forgets() {
			params = append(params, river.InsertManyParams{
				Args: ForgetCallArgs{CallID: call.ID}, InsertOpts: &river.InsertOpts{ScheduledAt: now.Add(forgetSoonest)},
			})
		}
	}
	return params
}

// ForgetCallWorker empties a reported call, and the events that repeat what was said in it, once those were delivered or
// given up. Running twice is harmless.
type ForgetCallWorker struct {
	river.WorkerDefaults[ForgetCallArgs]
	DB  db.Beginner
	Now func() time.Time
}

// Work implements river.Worker.
func (w *ForgetCallWorker) Work(ctx context.Context, job *river.Job[ForgetCallArgs]) error {
	wait, err := db.WithTx(ctx, w.DB, func(tx pgx.Tx) (time.Duration, error) {
		call, err := dbsqlc.New().CallGetToForget(ctx, tx, &dbsqlc.CallGetToForgetParams{ID: job.Args.CallID})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return 0, nil
		case err != nil:
			return 0, err
		case call.MessagePending:
			return min(max(w.Now().Sub(*call.EndedAt)/4, forgetSoonest), forgetLatest), nil
		}
		who := person{accountID: call.AccountID, calls: []uuid.UUID{job.Args.CallID}}
		if err := eraseEach(ctx, tx, &who, spokenWords...); err != nil {
			return 0, err
		}
		return 0, discardRecordings(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), &who)
	})
	if err != nil {
		return fmt.Errorf("forget call: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// spokenWords are the places that keep what was said in a call, and those that repeat it.
var spokenWords = append([]step{
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().CallForget(ctx, tx, &dbsqlc.CallForgetParams{AccountID: who.accountID, Ids: who.calls})
	},
}, transcripts...)

// transcripts are those of them that keep the words themselves.
var transcripts = []step{
	eraseTurns, eraseToolCalls, eraseLegs, eraseCommands,
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().CallForgetAttempts(ctx, tx, &dbsqlc.CallForgetAttemptsParams{AccountID: who.accountID, CallIds: who.calls})
	},
	func(ctx context.Context, tx pgx.Tx, who *person) error {
		return dbsqlc.New().CallForgetEvents(ctx, tx, &dbsqlc.CallForgetEventsParams{AccountID: who.accountID, CallIds: who.calls})
	},
}
