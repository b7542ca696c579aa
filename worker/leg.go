package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

// leg is an answered call as the worker uses it, whatever carries it.
type leg interface {
	voice.Leg
	Stats() media.Stats
}

// dialogOf returns what another process needs to end the call should this one die, or nil for a leg that has no SIP dialog:
// its far end then notices by itself.
func dialogOf(l leg) any {
	if signalled, ok := l.(interface{ Dialog() sip.Dialog }); ok {
		return signalled.Dialog()
	}
	return nil
}

// secondLeg is that of somebody who was rung for a caller and has answered. When it is over its end goes to the journal, and its
// place back.
type secondLeg struct {
	voice.Leg
	id      uuid.UUID
	longest time.Duration // that it may last with the caller
	journal *journal

	mu      sync.Mutex
	verdict calls.LegStep // of the end
}

// join notes that the caller is put through.
func (s *secondLeg) join() {
	s.journal.leg(&calls.LegStep{ID: s.id, Status: callstate.LegJoined})
	s.conclude(callstate.LegCompleted, nil)
}

// conclude sets what the end will be. err may be nil.
func (s *secondLeg) conclude(status string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdict = calls.LegStep{ID: s.id, Status: status}
	if err != nil {
		s.verdict.Error = err.Error()
	}
}

// watch returns when the leg is over and that is on its way to the record.
func (s *secondLeg) watch() {
	<-s.Done()
	s.mu.Lock()
	verdict := s.verdict
	s.mu.Unlock()
	s.journal.leg(&verdict)
}

// dismiss hangs up.
func (s *secondLeg) dismiss(status string, cause error) {
	s.conclude(status, cause)
	ctx, cancel := context.WithTimeout(context.Background(), dismissLimit)
	defer cancel()
	if err := s.Hangup(ctx); err != nil {
		s.journal.logger.Warn("second leg not hung up", "error", err)
	}
}

const dismissLimit = 2 * time.Second

// leg records a step of a second leg.
func (l *journal) leg(step *calls.LegStep) {
	step.At = time.Now()
	l.add(entry{write: func(ctx context.Context, tx pgx.Tx) (*dbsqlc.Call, error) {
		return l.call, calls.MoveLeg(ctx, tx, l.phone.jobs, l.call, l.phone.processID, step)
	}})
}

// legEnded returns how a leg ended that nobody answered, and in words for the model. ringing is the context that bounded it,
// caller the one that ends when the caller has left.
func legEnded(ringing, caller context.Context, err error) (step calls.LegStep, why string) {
	step = calls.LegStep{Status: callstate.LegFailed, Error: err.Error()}
	var refused *sip.Refused
	if errors.As(err, &refused) {
		step.SIPCode = refused.Code
	}
	switch {
	case caller.Err() != nil:
		step.Status, why = callstate.LegCanceled, "the caller has left"
	case errors.Is(context.Cause(ringing), errNoAnswer):
		step.Status, why = callstate.LegNoAnswer, "there was no answer"
	case refused == nil:
		why = "the call did not get through"
	default:
		switch callstate.ReasonOfSIP(refused.Code) {
		case callstate.ReasonCustomerBusy:
			step.Status, why = callstate.LegBusy, "the line is busy"
		case callstate.ReasonCustomerDidNotAnswer:
			step.Status, why = callstate.LegNoAnswer, "there was no answer"
		case callstate.ReasonCustomerRejectedCall:
			step.Status, why = callstate.LegDeclined, "the call was declined"
		default:
			why = "the call did not get through"
		}
	}
	return step, why
}
