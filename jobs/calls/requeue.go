package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// Invitation is what is recorded of a call before its INVITE leaves.
type Invitation struct {
	CallID          uuid.UUID
	RecordingSecret string // sealed; see recordings.NewSecret
}

// Invite records that the INVITEs of calls may leave from now on, and returns those that are processID's and have not been
// invited: the INVITEs of the others must not leave. A call whose process is lost before is dialed by another; one that is
// lost after may have rung.
func Invite(ctx context.Context, conn dbsqlc.DBTX, processID string, invitations ...*Invitation) ([]uuid.UUID, error) {
	params := &dbsqlc.CallSetInvitedManyParams{WorkerID: &processID}
	for _, invitation := range invitations {
		params.Ids = append(params.Ids, invitation.CallID)
		params.RecordingSecrets = append(params.RecordingSecrets, invitation.RecordingSecret)
	}
	invited, err := dbsqlc.New().CallSetInvitedMany(ctx, conn, params)
	if err != nil {
		return nil, fmt.Errorf("record that calls are invited: %w", db.Uncertain(err))
	}
	return invited, nil
}

// GiveBack queues a claimed call of processID again whose INVITE has not left, whatever Invite recorded. It is dialed no
// sooner than after the pause; explanation tells the customer why it waits. ErrConflict: it is over, or somebody else's.
func GiveBack(ctx context.Context, tx pgx.Tx, in queue.Inserter, processID string, callID uuid.UUID, pause time.Duration,
	explanation string) error {
	requeued, err := requeue(ctx, tx, in, &dbsqlc.CallRequeueManyParams{WorkerID: &processID, NotSent: true,
		Ids: []uuid.UUID{callID}, Explanation: explanation}, pause)
	if err == nil && len(requeued) == 0 {
		err = ErrConflict
	}
	return err
}

// Requeue queues those calls of a lost process again that Invite did not record. It returns them; each of the others may have
// rung.
func Requeue(ctx context.Context, tx pgx.Tx, in queue.Inserter, processID string, callIDs ...uuid.UUID) ([]*dbsqlc.Call, error) {
	return requeue(ctx, tx, in, &dbsqlc.CallRequeueManyParams{WorkerID: &processID, Ids: callIDs}, 0)
}

// requeue makes queued calls of claimed ones, with a dispatch job for each. They dial when their scheduled calls may.
func requeue(ctx context.Context, tx pgx.Tx, in queue.Inserter, params *dbsqlc.CallRequeueManyParams,
	pause time.Duration) ([]*dbsqlc.Call, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: params.Ids}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	times, err := dialTimes(ctx, tx, params.Ids, pause)
	if err != nil {
		return nil, err
	}
	for _, id := range params.Ids {
		params.NotBefore = append(params.NotBefore, times[id])
	}
	requeued, err := queries.CallRequeueMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("queue calls again: %w", err)
	}
	var dispatches []river.InsertManyParams
	for _, call := range requeued {
		dispatch := dispatchJob(call.AccountID, call.ID)
		if call.NotBefore != nil {
			dispatch.InsertOpts = &river.InsertOpts{ScheduledAt: *call.NotBefore}
		}
		dispatches = append(dispatches, dispatch)
	}
	if err := queue.Insert(ctx, tx, in, dispatches); err != nil {
		return nil, err
	}
	return requeued, recordStatus(ctx, tx, requeued...)
}

// dialTimes returns when calls may be dialed again, the epoch for at once: after the pause, at their scheduled time, which a
// claim precedes a little, and within their window, which may have closed since.
func dialTimes(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, pause time.Duration) (map[uuid.UUID]time.Time, error) {
	rows, err := dbsqlc.New().CallListSchedules(ctx, tx, &dbsqlc.CallListSchedulesParams{Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("list schedules of calls: %w", err)
	}
	times := make(map[uuid.UUID]time.Time, len(ids))
	for _, row := range rows {
		at := row.Now.Add(pause)
		if row.ScheduledTime != nil && row.ScheduledTime.After(at) {
			at = *row.ScheduledTime
		}
		if row.Window != nil {
			if at, err = row.Window.Opens(at); err != nil {
				return nil, err
			}
		}
		times[row.ID] = time.Unix(0, 0)
		if at.After(row.Now) {
			times[row.ID] = at
		}
	}
	return times, nil
}
