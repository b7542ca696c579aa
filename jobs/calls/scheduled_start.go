package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
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
	planned, err := s.plan(ctx, due)
	if err != nil || len(planned) == 0 {
		return err
	}
	refused, err := admitScheduled(ctx, tx, idsOf(planned))
	if err != nil {
		return err
	}
	insertion := s.insertion(planned, refused)
	insertion.ByVersion = db.Writes(tx, db.ShortCalls)
	calls, err := dbsqlc.New().CallInsertScheduledMany(ctx, tx, insertion)
	if err != nil {
		return fmt.Errorf("insert calls: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, calls...); err != nil {
		return err
	}
	s.claim(calls, hold)
	if err := setPlaced(ctx, tx, calls); err != nil {
		return err
	}
	failures, err := setNotPlaced(ctx, tx, planned, calls, refused)
	if err != nil {
		return err
	}
	times := make(map[uuid.UUID]time.Time, len(planned))
	for _, one := range planned {
		times[one.ID] = one.at
	}
	return s.record(ctx, tx, calls, times, failures)
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

// plannedCall is a call that is made now.
type plannedCall struct {
	*dueCall
	callID      uuid.UUID
	claimed     bool   // this process dials it; else it is queued
	longest     int32  // how many seconds it may last at most; 0: what its assistant is set to
	explanation string // why it is queued
}

// plan decides which of the calls are dialed by this process: those that find a place and minutes of their account, with nobody
// waiting before them, and a place here. Of the others, those whose time has not quite come wait for it. It returns which calls
// are made now.
func (s *scheduledStart) plan(ctx context.Context, due []*dueCall) ([]*plannedCall, error) {
	var planned []*plannedCall
	shares := s.shares(due)
	for _, scheduled := range due {
		callID, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make call id: %w", err)
		}
		load, share, one := s.held[scheduled.AccountID], shares[scheduled.AccountID], &plannedCall{dueCall: scheduled, callID: callID}
		one.claimed = s.held.places(scheduled.AccountID) > 0 && (scheduled.Simulated || share.calls > 0) && !load.Waiting &&
			s.reserve(ctx, callID)
		switch {
		case one.claimed:
			load.Outbound++
			if !scheduled.Simulated {
				share.calls, one.longest = share.calls-1, share.seconds
			}
		case scheduled.wait > 0:
			s.results[alarmOf(scheduled.ScheduledCall)] = started{wait: scheduled.wait}
			continue
		default:
			load.Waiting = true
			one.explanation = s.held.explain(scheduled.AccountID)
		}
		planned = append(planned, one)
	}
	return planned, nil
}

func idsOf(planned []*plannedCall) []uuid.UUID {
	ids := make([]uuid.UUID, len(planned))
	for i, one := range planned {
		ids[i] = one.ID
	}
	return ids
}

// share is how many calls of an account may start that cost minutes, and how many seconds each of them may last.
type share struct {
	calls   int
	seconds int32
}

func (s *scheduledStart) shares(due []*dueCall) map[uuid.UUID]*share {
	counts, shares := map[uuid.UUID]int{}, map[uuid.UUID]*share{}
	for _, scheduled := range due {
		counts[scheduled.AccountID]++
	}
	for id, count := range counts {
		calls, seconds := s.held.longest(id, count)
		shares[id] = &share{calls, seconds}
	}
	return shares
}

// insertion returns the rows of the calls that are not refused.
func (s *scheduledStart) insertion(planned []*plannedCall,
	refused map[uuid.UUID]*spending.Refusal) *dbsqlc.CallInsertScheduledManyParams {
	params := &dbsqlc.CallInsertScheduledManyParams{WorkerID: s.processID}
	for _, one := range planned {
		if refused[one.ID] != nil {
			continue
		}
		params.ScheduledCallIds, params.CallIds = append(params.ScheduledCallIds, one.ID), append(params.CallIds, one.callID)
		params.Claimed, params.Explanations = append(params.Claimed, one.claimed), append(params.Explanations, one.explanation)
		params.Longest = append(params.Longest, one.longest)
	}
	return params
}

func (s *scheduledStart) reserve(ctx context.Context, callID uuid.UUID) bool {
	place, ok := s.dialer.Reserve(ctx, 0)
	if ok {
		s.places[callID] = place
	}
	return ok
}

// record writes the events of the calls, the dispatch jobs of those that are queued beside a free place, and the results. times
// are when the scheduled calls are to be dialed, updates what is to be written besides.
func (s *scheduledStart) record(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call, times map[uuid.UUID]time.Time,
	updates []events.Event) error {
	var dispatches []river.InsertManyParams
	for _, call := range calls {
		queued := *call
		queued.Status = callstate.StatusQueued
		updates = append(updates, events.StatusUpdate(&queued))
		switch {
		case call.Status == callstate.StatusDialing:
			s.results[alarm{call.AccountID, *call.ScheduledCallID}] = started{claimed: &claimed{s.places[call.ID], call,
				times[*call.ScheduledCallID]}}
		case call.Explanation == nil:
			dispatches = append(dispatches, dispatchJob(call.AccountID, call.ID))
		}
	}
	if len(updates) == 0 {
		return nil
	}
	if err := events.Record(ctx, tx, updates...); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, s.in, dispatches)
}
