package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
)

// alarm is a scheduled call that may be due.
type alarm struct{ accountID, id uuid.UUID }

// started is what came of an alarm: nothing, a time to sleep on, or a call to dial.
type started struct {
	wait    time.Duration // until it is worth another try
	claimed *claimed
}

// scheduledStart starts scheduled calls that fall due together, in one transaction.
type scheduledStart struct {
	dialer    Dialer
	processID string
	in        queue.Inserter
	results   map[alarm]started

	held   loads
	places map[uuid.UUID]Place // of this process, for calls not dialed yet
}

func (s *scheduledStart) run(ctx context.Context, tx pgx.Tx, alarms []alarm, hold func(Place, uuid.UUID)) (err error) {
	var ids, accountIDs []uuid.UUID
	for _, alarm := range alarms {
		ids, accountIDs = append(ids, alarm.id), append(accountIDs, alarm.accountID)
	}
	if s.held, err = lockLoads(ctx, tx, accountIDs); err != nil {
		return err
	}
	rows, err := dbsqlc.New().ScheduledCallLockMany(ctx, tx, &dbsqlc.ScheduledCallLockManyParams{Ids: ids})
	if err != nil {
		return fmt.Errorf("lock scheduled calls: %w", err)
	}
	read := time.Now()
	var due []*dueCall
	for _, row := range rows {
		wait, err := waitOf(ctx, tx, row)
		if err != nil {
			return err
		}
		if wait > claimLead {
			s.results[alarmOf(&row.ScheduledCall)] = started{wait: wait - claimLead}
		} else {
			due = append(due, &dueCall{ScheduledCall: &row.ScheduledCall, wait: wait, at: read.Add(wait)})
		}
	}
	return s.makeCalls(ctx, tx, due, hold)
}

// dueCall is a scheduled call whose time has come, or has all but come.
type dueCall struct {
	*dbsqlc.ScheduledCall
	wait time.Duration // 0: it is time
	at   time.Time     // by this machine's clock
}

func alarmOf(scheduled *dbsqlc.ScheduledCall) alarm { return alarm{scheduled.AccountID, scheduled.ID} }

// release gives back the places of calls that are not claimed.
func (s *scheduledStart) release(claimed map[uuid.UUID]bool) {
	for id, place := range s.places {
		if !claimed[id] {
			place.Release()
			delete(s.places, id)
		}
	}
}

// waitOf returns how long a scheduled call still waits for its time or for its window, and says so in the row.
func waitOf(ctx context.Context, tx pgx.Tx, row *dbsqlc.ScheduledCallLockManyRow) (time.Duration, error) {
	scheduled, at := &row.ScheduledCall, row.Now
	if scheduled.ScheduledTime.After(at) {
		at = scheduled.ScheduledTime
	}
	if scheduled.Window == nil {
		return at.Sub(row.Now), nil
	}
	opens, err := scheduled.Window.Opens(at)
	if err != nil {
		return 0, err
	}
	wait := opens.Sub(row.Now)
	if !opens.After(at) || wait <= claimLead {
		return wait, nil
	}
	err = dbsqlc.New().ScheduledCallSetExplanation(ctx, tx, &dbsqlc.ScheduledCallSetExplanationParams{
		ID: scheduled.ID, Explanation: new("Waits for its window, which opens at " + opens.UTC().Format(time.RFC3339) + "."),
	})
	if err != nil {
		return 0, fmt.Errorf("explain scheduled call: %w", err)
	}
	return wait, nil
}

func (s *scheduledStart) makeCalls(ctx context.Context, tx pgx.Tx, due []*dueCall, hold func(Place, uuid.UUID)) error {
	params, due, err := s.plan(ctx, due)
	if err != nil || len(due) == 0 {
		return err
	}
	calls, err := dbsqlc.New().CallInsertScheduledMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("insert calls: %w", err)
	}
	s.claim(calls, hold)
	if err := setProcessed(ctx, tx, due, calls); err != nil {
		return err
	}
	times := make(map[uuid.UUID]time.Time, len(due))
	for _, one := range due {
		times[one.ID] = one.at
	}
	return s.record(ctx, tx, calls, times)
}

// claim has places hold the calls that are ours when the transaction commits, and gives the places back of those that could
// not be made.
func (s *scheduledStart) claim(calls []*dbsqlc.Call, hold func(Place, uuid.UUID)) {
	ours := map[uuid.UUID]bool{}
	for _, call := range calls {
		if call.Status == callstate.StatusDialing {
			ours[call.ID] = true
			hold(s.places[call.ID], call.ID)
		}
	}
	s.release(ours)
}

// plan decides which of the calls are dialed by this process: those that find a place of their account, with nobody
// waiting before them, and a place here. Of the others, those whose time has not quite come wait for it. It returns which
// calls are made now.
func (s *scheduledStart) plan(ctx context.Context, due []*dueCall) (*dbsqlc.CallInsertScheduledManyParams, []*dueCall, error) {
	params, made := &dbsqlc.CallInsertScheduledManyParams{WorkerID: s.processID}, []*dueCall{}
	for _, scheduled := range due {
		callID, err := uuid.NewV7()
		if err != nil {
			return nil, nil, fmt.Errorf("make call id: %w", err)
		}
		load, explanation := s.held[scheduled.AccountID], ""
		claimed := s.held.places(scheduled.AccountID) > 0 && !load.Waiting && s.reserve(ctx, callID)
		switch {
		case claimed:
			load.Outbound++
		case scheduled.wait > 0:
			s.results[alarmOf(scheduled.ScheduledCall)] = started{wait: scheduled.wait}
			continue
		default:
			load.Waiting = true
			explanation = s.held.explain(scheduled.AccountID)
		}
		made = append(made, scheduled)
		params.ScheduledCallIds, params.CallIds = append(params.ScheduledCallIds, scheduled.ID), append(params.CallIds, callID)
		params.Claimed, params.Explanations = append(params.Claimed, claimed), append(params.Explanations, explanation)
	}
	return params, made, nil
}

func (s *scheduledStart) reserve(ctx context.Context, callID uuid.UUID) bool {
	place, ok := s.dialer.Reserve(ctx, 0)
	if ok {
		s.places[callID] = place
	}
	return ok
}

// record writes the events of the calls, the dispatch jobs of those that are queued beside a free place, and the results. times
// are when the scheduled calls are to be dialed.
func (s *scheduledStart) record(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call, times map[uuid.UUID]time.Time) error {
	var updates []events.Event
	var dispatches []river.InsertManyParams
	for _, call := range calls {
		queued := *call
		queued.Status = callstate.StatusQueued
		updates = append(updates, events.StatusUpdate(&queued))
		switch {
		case call.Status == callstate.StatusDialing:
			updates = append(updates, events.StatusUpdate(call))
			s.results[alarm{call.AccountID, *call.ScheduledCallID}] = started{claimed: &claimed{s.places[call.ID], call, times[*call.ScheduledCallID]}}
		case call.Explanation == nil:
			dispatches = append(dispatches, dispatchJob(call.AccountID, call.ID))
		}
	}
	if len(updates) == 0 {
		return nil
	}
	deliveries, err := events.Write(ctx, tx, updates...)
	if err != nil {
		return err
	}
	return queue.Insert(ctx, tx, s.in, append(dispatches, deliveries...))
}

// setProcessed closes scheduled calls, with their calls where one could be made.
func setProcessed(ctx context.Context, tx pgx.Tx, due []*dueCall, calls []*dbsqlc.Call) error {
	queries, placed := dbsqlc.New(), &dbsqlc.ScheduledCallSetPlacedManyParams{}
	made := map[uuid.UUID]bool{}
	for _, call := range calls {
		made[*call.ScheduledCallID] = true
		placed.Ids = append(placed.Ids, *call.ScheduledCallID)
		placed.CallIds = append(placed.CallIds, call.ID)
	}
	var left []uuid.UUID
	for _, scheduled := range due {
		if !made[scheduled.ID] {
			left = append(left, scheduled.ID)
		}
	}
	if len(left) > 0 {
		err := queries.ScheduledCallSetNotPlaced(ctx, tx, &dbsqlc.ScheduledCallSetNotPlacedParams{
			Ids: left, Explanation: new("Did not dial: the assistant has no phone number, or the assistant or the contact was deleted."),
		})
		if err != nil {
			return fmt.Errorf("explain scheduled calls: %w", err)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	if err := queries.ScheduledCallSetPlacedMany(ctx, tx, placed); err != nil {
		return fmt.Errorf("set processed: %w", err)
	}
	return nil
}
