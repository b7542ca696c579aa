package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// giveBackPause is how long a call that was given back waits for its next dispatch: what its process lacks may be back by then,
// and another process may have it sooner.
const giveBackPause = 2 * time.Second

// GiveBack puts a call that processID has claimed back into the queue, before any INVITE was sent: the process lacks what it
// takes to dial. explanation tells the customer why the call waits. Its place is free, it keeps its turn, and it costs no attempt
// of a retry plan. ErrConflict: the call is not this process's to dial.
func GiveBack(ctx context.Context, tx pgx.Tx, in queue.Inserter, callID uuid.UUID, processID, explanation string) (*dbsqlc.Call, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: []uuid.UUID{callID}}); err != nil {
		return nil, fmt.Errorf("lock account: %w", err)
	}
	call, err := queries.CallGiveBack(ctx, tx, &dbsqlc.CallGiveBackParams{ID: callID, WorkerID: &processID, Explanation: &explanation})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrConflict
	}
	if err != nil {
		return nil, fmt.Errorf("give call back: %w", err)
	}
	dispatch := dispatchJob(call.AccountID, call.ID)
	dispatch.InsertOpts = &river.InsertOpts{ScheduledAt: time.Now().Add(giveBackPause)}
	if err := queue.Insert(ctx, tx, in, []river.InsertManyParams{dispatch}); err != nil {
		return nil, err
	}
	return call, recordStatus(ctx, tx, in, call)
}
