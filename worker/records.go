package worker

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
)

// recordsCooldown is how long what is to be written of a call waits for what is to be written of others. Most of what a busy
// process costs Postgres is transactions, and no conversation waits for these.
const recordsCooldown = 100 * time.Millisecond

// records write together what many calls have to write at the same time.
type records struct {
	arrivals   *db.Batcher[*calls.Arrival, *calls.Received]
	invites    *db.Batcher[*calls.Invitation, bool]
	progress   *db.Batcher[*calls.Progress, *dbsqlc.Call]
	turns      *db.Batcher[*calls.Turn, bool]
	liveEvents *db.Batcher[*events.Live, bool]
	ends       *db.Batcher[*callEnd, *dbsqlc.Call]
}

// keepRecords makes the phone's records.
func (p *Phone) keepRecords() {
	p.records = records{
		arrivals:   db.NewFairBatcher(p.recordArrivals, (*calls.Arrival).AccountID).Named("call_arrival"),
		invites:    db.NewBatcher(p.recordInvites).Named("call_invite"), // calls wait for these
		progress:   db.NewCooldownBatcher(recordsCooldown, p.recordProgress).Named("call_progress"),
		turns:      db.NewCooldownBatcher(recordsCooldown, p.recordTurns).Named("call_turn"),
		liveEvents: db.NewCooldownBatcher(recordsCooldown, p.recordLiveEvents).Named("live_event"),
		ends:       db.NewCooldownBatcher(recordsCooldown, p.recordEnds).Named("call_end"),
	}
}

// closeRecords stops the writing. Calls wait for what they write, so it comes when they are over.
func (p *Phone) closeRecords() {
	p.arrivals.Close()
	p.invites.Close()
	p.progress.Close()
	p.turns.Close()
	p.liveEvents.Close()
	p.ends.Close()
}

// callEnd is a call of this process that is over.
type callEnd struct {
	id     uuid.UUID
	ending calls.Ending
}

// recordArrivals writes the rows of calls that ring at the same time. A caller waits for it, so it comes without cooldown.
func (p *Phone) recordArrivals(ctx context.Context, arrivals []*calls.Arrival) (map[*calls.Arrival]*calls.Received, error) {
	return db.WithTx(ctx, db.PlanOnce(p.pool), func(tx pgx.Tx) (map[*calls.Arrival]*calls.Received, error) {
		return calls.Receive(ctx, tx, arrivals...)
	})
}

// recordInvites records that INVITEs may leave. It returns true for those of calls that are ours to dial.
func (p *Phone) recordInvites(ctx context.Context, invitations []*calls.Invitation) (map[*calls.Invitation]bool, error) {
	invited, err := calls.Invite(ctx, p.pool, p.processID, invitations...)
	ours := make(map[*calls.Invitation]bool, len(invited))
	for _, invitation := range invitations {
		ours[invitation] = slices.Contains(invited, invitation.CallID)
	}
	return ours, err
}

// recordProgress records calls that ring or were answered. A step without an entry was not made: the call is not ours, or
// has come further.
func (p *Phone) recordProgress(ctx context.Context, steps []*calls.Progress) (map[*calls.Progress]*dbsqlc.Call, error) {
	advanced, err := db.WithTx(ctx, db.PlanOnce(p.pool), func(tx pgx.Tx) ([]*dbsqlc.Call, error) {
		return calls.Advance(ctx, tx, p.processID, steps...)
	})
	return moved(steps, func(step *calls.Progress) uuid.UUID { return step.CallID }, advanced), err
}

// recordTurns records what is said in calls at the same time together. It returns true for turns of calls that are live and
// ours. Those of which nobody hears, as most, are one statement; when others fail, they are written again, which changes nothing.
func (p *Phone) recordTurns(ctx context.Context, turns []*calls.Turn) (map[*calls.Turn]bool, error) {
	var asked, unasked []*calls.Turn
	for _, turn := range turns {
		if turn.Unasked {
			unasked = append(unasked, turn)
		} else {
			asked = append(asked, turn)
		}
	}
	ours := map[*calls.Turn]bool{}
	if len(unasked) > 0 {
		held, err := calls.AddUnaskedTurns(ctx, p.pool, p.processID, unasked...)
		if err != nil {
			return nil, err
		}
		for _, turn := range unasked {
			ours[turn] = slices.Contains(held, turn.Call.ID)
		}
	}
	if len(asked) == 0 {
		return ours, nil
	}
	held, err := recordHeld(ctx, p, asked, func(turn *calls.Turn) uuid.UUID { return turn.Call.ID }, calls.AddTurns)
	maps.Copy(ours, held)
	return ours, err
}

// recordLiveEvents does likewise with live events.
func (p *Phone) recordLiveEvents(ctx context.Context, live []*events.Live) (map[*events.Live]bool, error) {
	return recordHeld(ctx, p, live, func(event *events.Live) uuid.UUID { return event.Call.ID }, events.RecordLive)
}

// recordHeld writes in one transaction what belongs to calls that are live and ours, for as long as it takes: another
// process may have taken this one for dead, ended the call and reported it.
func recordHeld[T comparable](ctx context.Context, p *Phone, all []T, callOf func(T) uuid.UUID,
	write func(ctx context.Context, tx pgx.Tx, held ...T) error) (map[T]bool, error) {
	ours := make(map[T]bool, len(all))
	err := db.InTx(ctx, db.PlanOnce(p.pool), func(tx pgx.Tx) error {
		ids := make([]uuid.UUID, len(all))
		for i, one := range all {
			ids[i] = callOf(one)
		}
		live, err := calls.HoldMany(ctx, tx, p.processID, ids...)
		if err != nil {
			return err
		}
		held := make([]T, 0, len(all))
		for i, one := range all {
			if slices.Contains(live, ids[i]) {
				held, ours[one] = append(held, one), true
			}
		}
		return write(ctx, tx, held...)
	})
	return ours, err
}

// recordEnds records calls that are over. A call without an entry was not ours to end.
func (p *Phone) recordEnds(ctx context.Context, ends []*callEnd) (map[*callEnd]*dbsqlc.Call, error) {
	endings := make(map[uuid.UUID]calls.Ending, len(ends))
	for _, end := range ends {
		endings[end.id] = end.ending
	}
	calls, err := db.WithTx(ctx, db.PlanOnce(p.pool), func(tx pgx.Tx) ([]*dbsqlc.Call, error) {
		return calls.End(ctx, tx, p.jobs, p.processID, endings)
	})
	return moved(ends, func(end *callEnd) uuid.UUID { return end.id }, calls), err
}

// moved are the calls by what moved them.
func moved[T comparable](moves []T, callOf func(T) uuid.UUID, calls []*dbsqlc.Call) map[T]*dbsqlc.Call {
	byID := make(map[uuid.UUID]*dbsqlc.Call, len(calls))
	for _, call := range calls {
		byID[call.ID] = call
	}
	byMove := make(map[T]*dbsqlc.Call, len(calls))
	for _, move := range moves {
		if call := byID[callOf(move)]; call != nil {
			byMove[move] = call
		}
	}
	return byMove
}
