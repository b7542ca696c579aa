package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/traces"
)

// dial rings the number of a call that this process has claimed, not before at, and returns when the end is recorded, or when a
// call whose INVITE could not leave is given back.
func (p *Phone) dial(ctx context.Context, call *dbsqlc.Call, at time.Time) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, span := spanOf(ctx, call, "place_call")
	defer span.End("")
	logger := p.logger.With("call_id", call.ID, "account_id", call.AccountID)
	journal := newJournal(ctx, p, call, logger, func() { cancel(errDisowned) })
	p.claim(call.ID, cancel, journal)
	ending, unsent := p.place(journal.tally.meter(ctx), call, at, journal, logger)
	switch {
	case unsent == nil:
	case errors.Is(unsent, errDisowned) || errors.Is(context.Cause(ctx), errDisowned):
		logger.InfoContext(ctx, "call was not dialed and is somebody else's")
		return
	case p.leaves(call.ID):
		p.giveBack(ctx, call, logger, unsent)
		return
	default:
		ending = endingFor(callstate.ReasonManuallyCanceled, nil)
	}
	journal.end(ending)
	logger.InfoContext(ctx, "call", "status", ending.Status, "reason", ending.Reason, "fault", ending.Fault,
		"sip_code", ending.SIPCode, "error", ending.Error)
}

// place rings the call's number, not before at, and answers how the call ended, or why it was not dialed and may be by others.
func (p *Phone) place(ctx context.Context, call *dbsqlc.Call, at time.Time, journal *journal,
	logger *slog.Logger) (ending calls.Ending, unsent error) {
	gateway, err := p.gateways.ForCall(call)
	if err != nil {
		return endingFor(callstate.ReasonStartErrorNoCarrier, err), nil
	}
	ringing, cancel := context.WithTimeoutCause(ctx, p.cfg.RingFor+max(0, time.Until(at)), errNoAnswer)
	defer cancel()
	dial, err := p.route(ctx, gateway, call)
	if err != nil {
		if isOurs(err) {
			return calls.Ending{}, err
		}
		return endingFor(callstate.ReasonStartErrorNoCarrier, err), nil
	}
	dial.NotBefore, dial.Wideband = at, true
	dial.Sent = func() { countLateness(call, at) }
	dial.Progress = func(code int, _ string) {
		if code == 180 || code == 183 {
			journal.ringing()
		}
	}
	talk, invitation := p.prepare(ctx, call, logger), &calls.Invitation{CallID: call.ID}
	talk.recordingSecret, invitation.RecordingSecret = recordings.NewSecret(p.seal, call.ID)
	inviting, span := traces.Begin(ringing, "invite")
	leg, never, err := p.invite(inviting, gateway, dial, invitation)
	span.End("")
	switch {
	case never:
		return calls.Ending{}, err
	case err != nil:
		return unanswered(ringing, ctx, err), nil
	}
	return p.talk(ctx, talk, leg, journal), nil
}

// talk holds the conversation of an answered call.
func (p *Phone) talk(ctx context.Context, talk *conversation, leg leg, journal *journal) calls.Ending {
	ctx, span := traces.Begin(ctx, "talk")
	defer span.End("")
	journal.answered(dialogOf(leg))
	recorder, err := talk.record(p.cfg.Files, &p.writers, p.processID, leg.Band())
	if err != nil {
		talk.logger.ErrorContext(ctx, "call is not recorded", "error", err)
	}
	session := talk.begin(ctx)
	p.warmWideband(ctx, talk, leg.Band())
	session.Commands, session.Loops = p.commandsFor(talk.call.ID), p.loops
	through := &transfers{phone: p, call: talk.call, leg: leg, talk: talk, journal: journal}
	session.Leg, session.Transfers = leg, through
	session.Journal, session.Logger, session.Record = journal, talk.logger, recorder.Frame
	shown(session, leg)
	dismiss := p.admitListeners(ctx, talk, journal)
	outcome := session.Run(served.Report(ctx, journal.tally.add))
	dismiss()
	through.running.Wait()
	ending := endedByUs(ctx, outcome)
	stats := leg.Stats()
	countPackets(stats, metrics.Network(talk.call.Simulated))
	ending.Media, ending.Providers = mediaQuality(stats), journal.tally.providers()
	// The recording outlives a shutdown that interrupts the call.
	if ending.RecordingKey, err = recorder.Keep(context.WithoutCancel(ctx), talk.call); err != nil {
		talk.logger.ErrorContext(ctx, "recording not kept", "error", err)
	}
	return ending
}

var errNoAnswer = fmt.Errorf("nobody answered: %w", context.DeadlineExceeded)
