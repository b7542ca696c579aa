package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// Invite records that the INVITEs of calls may leave from now on, and returns those that are processID's and have not been
// invited: the INVITEs of the others must not leave. A call whose process is lost before is dialed by another; one that is
// lost after may have rung.
func Invite(ctx context.Context, tx pgx.Tx, processID string, callIDs ...uuid.UUID) ([]uuid.UUID, error) {
	invited, err := dbsqlc.New().CallSetInvitedMany(ctx, tx, &dbsqlc.CallSetInvitedManyParams{Ids: callIDs, WorkerID: &processID})
	if err != nil {
		return nil, fmt.Errorf("record that calls are invited: %w", err)
	}
	return invited, nil
}

// Requeue queues those calls of a lost process again that Invite did not record. It returns them; each of the others may have
// rung.
func Requeue(ctx context.Context, tx pgx.Tx, in queue.Inserter, processID string, callIDs ...uuid.UUID) ([]*dbsqlc.Call, error) {
	return requeue(ctx, tx, in, &dbsqlc.CallRequeueManyParams{WorkerID: &processID, Ids: callIDs}, 0)
}

// requeue makes queued calls of claimed ones, with a dispatch job for each, which waits for the pause. They dial when their
// scheduled calls may.
func requeue(ctx context.Context, tx pgx.Tx, in queue.Inserter, params *dbsqlc.CallRequeueManyParams, pause time.Duration) ([]*dbsqlc.Call, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: params.Ids}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	times, err := dialTimes(ctx, tx, params.Ids)
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
		at := call.UpdatedAt.Add(pause)
		if call.NotBefore != nil && call.NotBefore.After(at) {
			at = *call.NotBefore
		}
		dispatch.InsertOpts = &river.InsertOpts{ScheduledAt: at}
		dispatches = append(dispatches, dispatch)
	}
	if err := queue.Insert(ctx, tx, in, dispatches); err != nil {
		return nil, err
	}
	return requeued, recordStatus(ctx, tx, in, requeued...)
}

// dialTimes returns when calls may be dialed again, the epoch for at once: at their scheduled time, which a
// claim precedes a little, and within their window, which may have closed since.
func dialTimes(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]time.Time, error) {
	rows, err := dbsqlc.New().CallListSchedules(ctx, tx, &dbsqlc.CallListSchedulesParams{Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("list schedules of calls: %w", err)
	}
	times := make(map[uuid.UUID]time.Time, len(ids))
	for _, row := range rows {
		at := row.Now
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
