package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/recordings"
)

// takeWebCalls claims the web calls that wait, as many as this process has places for. Other processes look for them, too.
func (p *Phone) takeWebCalls(ctx context.Context, conn dbsqlc.DBTX) error {
	if p.gateways.Web == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, receiveLimit)
	defer cancel()
	waiting, err := dbsqlc.New().WebOfferListOpen(ctx, conn)
	if err != nil {
		return fmt.Errorf("list web calls that wait: %w", err)
	}
	for _, id := range waiting {
		p.takeWebCall(id)
	}
	return nil
}

// takeWebCall claims a web call where there is a place, beside its caller, and holds it.
func (p *Phone) takeWebCall(id uuid.UUID) {
	if p.gateways.Web == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ready || p.calls[id] != nil || !p.places.take(p.live, 0, p.stopping) {
		return
	}
	booked := &liveCall{}
	p.calls[id] = booked
	p.running.Go(func() {
		defer p.places.give()
		defer p.release(id, booked)
		p.claimWebCall(id)
	})
}

// claimWebCall holds the call unless another process was faster.
func (p *Phone) claimWebCall(id uuid.UUID) {
	ctx, cancel := context.WithTimeout(p.live, receiveLimit)
	defer cancel()
	if p.lease.Permit()() != nil {
		return
	}
	var call *dbsqlc.Call
	var offer string
	err := db.InTx(ctx, p.pool, func(tx pgx.Tx) (err error) {
		call, offer, err = calls.ClaimWebCall(ctx, tx, p.seal, p.processID, id)
		return err
	})
	switch {
	case errors.Is(err, calls.ErrConflict):
	case err != nil:
		p.logger.WarnContext(ctx, "web call not claimed", "call_id", id, "error", err)
	default:
		p.holdWebCall(call, offer)
	}
}

// holdWebCall answers the browser, holds the conversation and records the end.
func (p *Phone) holdWebCall(call *dbsqlc.Call, offer string) {
	live, cancel := context.WithCancelCause(p.live)
	defer cancel(nil)
	live, span := spanOf(live, call, "web_call")
	defer span.End("")
	logger := p.logger.With("call_id", call.ID, "account_id", call.AccountID)
	journal := newJournal(live, p, call, logger, func() { cancel(errDisowned) })
	p.claim(call.ID, cancel, journal)
	ending := p.answerBrowser(journal.tally.meter(live), call, offer, journal, logger)
	journal.end(ending)
	logger.InfoContext(live, "call", "channel", call.Channel, "status", ending.Status, "reason", ending.Reason, "fault",
		ending.Fault, "error", ending.Error)
}

func (p *Phone) answerBrowser(live context.Context, call *dbsqlc.Call, offer string, journal *journal,
	logger *slog.Logger) calls.Ending {
	talk := p.prepare(live, call, logger)
	secret, err := recordings.OpenSecret(p.seal, call.ID, call.RecordingSecret)
	if err != nil {
		return missed(live, err)
	}
	talk.recordingSecret = secret
	began := time.Now()
	leg, answer, err := p.gateways.Web.Answer(live, offer)
	if refusal := p.replyTo(live, call, answer, err); refusal != nil {
		if leg != nil {
			logHangup(logger, leg.Hangup(live))
		}
		return endingFor(callstate.ReasonCarrierRefusedMedia, refusal)
	}
	select {
	case <-leg.Connected():
	case <-leg.Done():
		return endingFor(callstate.ReasonCustomerEndedCallBeforeAnswer, leg.Err())
	case <-live.Done():
		logHangup(logger, leg.Hangup(live))
		return cutShort(live)
	}
	logger.DebugContext(live, "browser connected", "after_ms", time.Since(began).Milliseconds())
	return p.talk(live, talk, leg, journal)
}

// replyTo hands the answer, or what is wrong with the offer, to the API process that waits.
func (p *Phone) replyTo(ctx context.Context, call *dbsqlc.Call, answer string, refusal error) error {
	failure := ""
	if refusal != nil {
		failure = refusal.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, receiveLimit)
	defer cancel()
	return errors.Join(refusal, calls.AnswerWebCall(ctx, p.pool, p.processID, call.ID, answer, db.Storable(failure)))
}

func logHangup(logger *slog.Logger, err error) {
	if err != nil {
		logger.Warn("web call not hung up", "error", err)
	}
}
