package worker

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/questions"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/traces"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/assistant"
	"github.com/callwright/callwright/worker/gateways"
)

const (
	anonymous    = "anonymous" // the caller who does not want to be known
	maxCaller    = 64          // bytes of what a caller is named
	receiveLimit = 5 * time.Second
)

// refusal is why a call is turned away at once.
type refusal struct {
	code   int
	reason string
}

var (
	unknownNumber = &refusal{404, "Not Found"}
	accountFull   = &refusal{486, "Busy Here"}
	unavailable   = &refusal{503, "Service Unavailable"} // this process is full, stops or is in trouble: another may take the call
	nobodyThere   = &refusal{480, "Temporarily Unavailable"}
	loopDetected  = &refusal{482, "Loop Detected"}
)

// Receive takes a call that comes in on a gateway, and returns when it is over. The call's row is there before the caller
// hears anything of us.
func (p *Phone) Receive(ctx context.Context, gateway *gateways.Gateway, in *sip.Inbound) {
	callID := uuid.Must(uuid.NewV7()) // a random source that fails is the end of everything
	in.Permit, in.Reach, in.Wideband = p.lease.Permit(), gateway.ReachOf(in), true
	booked, refused := p.answerable(ctx, callID, gateway, in)
	if refused != nil {
		p.reject(gateway, in, refused)
		return
	}
	defer p.running.Done()
	defer p.places.give()
	defer p.release(callID, booked)
	received, refused := p.ring(ctx, callID, gateway, in)
	if refused != nil {
		p.reject(gateway, in, refused)
		return
	}
	p.hold(ctx, received, in)
}

// answerable books the call with the telephone. On success a place is booked, an entry in p.calls and one in p.running.
func (p *Phone) answerable(ctx context.Context, callID uuid.UUID, gateway *gateways.Gateway,
	in *sip.Inbound) (*liveCall, *refusal) {
	if !gateway.Trusts(in) {
		return nil, unknownNumber
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ready || !p.places.take(ctx, 0, p.stopping) {
		return nil, unavailable
	}
	call := &liveCall{}
	p.calls[callID] = call
	p.running.Add(1)
	return call, nil
}

// ring writes the call's row, also when the caller gives up meanwhile: then it is a missed call.
func (p *Phone) ring(ctx context.Context, callID uuid.UUID, gateway *gateways.Gateway,
	in *sip.Inbound) (*calls.Received, *refusal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiveLimit)
	defer cancel()
	ring := &calls.Ring{
		CallID: callID, ProcessID: p.processID, SIPCallID: in.CallID, Number: calledNumber(in.To), Caller: callerOf(in),
		Simulated: gateway.Simulated,
	}
	_, ring.RecordingSecret = recordings.NewSecret(p.seal, callID)
	if connection := p.connections.Named(in.Token); connection != nil {
		ring.SIPConnectionID, ring.Number = &connection.ID, connection.Number
	}
	received, err := p.arrive(ctx, ring)
	switch {
	case err == nil:
		return received, nil
	case errors.Is(err, calls.ErrNoAssistant):
		return nil, unknownNumber
	case errors.Is(err, calls.ErrNoPlace):
		return nil, accountFull
	case errors.Is(err, calls.ErrDuplicate):
		return nil, loopDetected
	}
	p.logger.ErrorContext(ctx, "call not received", "error", err)
	return nil, unavailable
}

// arrive writes the call's row, together with those of others that ring now.
func (p *Phone) arrive(ctx context.Context, ring *calls.Ring) (*calls.Received, error) {
	arrival, err := calls.Route(ctx, p.pool, ring)
	if err != nil {
		return nil, err
	}
	received, err := p.arrivals.Do(ctx, arrival)
	if err != nil {
		return nil, err
	}
	return received, received.Refused
}

// hold answers the call, holds the conversation and records the end. ctx ends when the caller gives up before the answer.
func (p *Phone) hold(ctx context.Context, received *calls.Received, in *sip.Inbound) {
	call := received.Call
	live, cancel := context.WithCancelCause(p.live)
	defer cancel(nil)
	live, span := spanOf(live, call, "inbound_call")
	defer span.End("")
	logger := p.logger.With("call_id", call.ID, "account_id", call.AccountID)
	journal := newJournal(live, p, call, logger, func() { cancel(errDisowned) })
	p.claim(call.ID, cancel, journal)
	choice, err := p.resolve(ctx, live, received, in, logger)
	ending := missed(live, err)
	if err == nil {
		ending = p.answer(journal.tally.meter(live), choice, in, journal, logger)
	}
	journal.end(ending)
	logger.InfoContext(live, "call", "direction", call.Direction, "status", ending.Status, "reason", ending.Reason, "fault",
		ending.Fault, "error", ending.Error)
}

// unanswerable is why nobody takes a call that rings: nobody named an assistant for it.
type unanswerable struct{ failure error } // of the question; nil: the answer named nobody

// Error implements error.
func (u *unanswerable) Error() string {
	if u.failure == nil {
		return "the server named no assistant"
	}
	return u.failure.Error()
}

// ending returns how the call ended.
func (u *unanswerable) ending() calls.Ending {
	reason := callstate.ReasonAssistantRequestFailed
	switch {
	case u.failure == nil:
		reason = callstate.ReasonAssistantRequestReturnedNoneNamed
	case errors.Is(u.failure, questions.ErrInvalidAnswer):
		reason = callstate.ReasonAssistantRequestReturnedInvalid
	}
	ending := endingFor(reason, u)
	ending.SIPCode = nobodyThere.code
	return ending
}

// turnAway refuses a call to a number without an assistant, and returns why it was not answered.
func turnAway(in *sip.Inbound, failure error) error {
	if err := in.Reject(nobodyThere.code, nobodyThere.reason); err != nil {
		return err
	}
	return &unanswerable{failure}
}

// resolve rings and returns which assistant takes the call.
func (p *Phone) resolve(ringing, live context.Context, received *calls.Received, in *sip.Inbound,
	logger *slog.Logger) (questions.Choice, error) {
	choice := questions.Choice{Call: received.Call}
	ringing, stop := context.WithCancel(ringing)
	defer stop()
	defer context.AfterFunc(live, stop)()
	if err := in.Ring(); err != nil {
		return choice, err
	}
	var failure error
	if received.Request != uuid.Nil {
		choice, failure = questions.ResolveAssistant(traces.Below(ringing, live), p.sender, p.cfg.Speech.Offer(), p.processID, received)
		if failure != nil && ringing.Err() == nil {
			logger.WarnContext(ringing, "assistant request failed", "linked_assistant_answers", choice.Call.AssistantConfig != nil,
				"error", failure)
		}
	}
	if live.Err() != nil { // nobody is to be connected any more
		return choice, context.Cause(live)
	}
	if choice.Call.AssistantConfig == nil {
		return choice, turnAway(in, failure)
	}
	switch {
	case choice.Speech != "":
		choice.Call = speaking(choice.Call, choice.Speech)
	case choice.Destination != nil:
		choice.Call = p.forwarded(choice.Call, choice.Destination)
	}
	return choice, nil
}

// answer picks up and holds the conversation.
func (p *Phone) answer(live context.Context, choice questions.Choice, in *sip.Inbound, journal *journal,
	logger *slog.Logger) calls.Ending {
	talk := p.prepare(live, choice.Call, logger)
	secret, err := recordings.OpenSecret(p.seal, choice.Call.ID, choice.Call.RecordingSecret)
	if err != nil {
		return missed(live, err)
	}
	talk.recordingSecret = secret
	leg, err := in.Answer(live)
	if err != nil {
		return missed(live, err)
	}
	return choiceMade(choice, p.talk(live, talk, leg, journal))
}

// speaking is a call in which nothing but some words are spoken.
func speaking(call *dbsqlc.Call, words string) *dbsqlc.Call {
	silent, config := *call, *call.AssistantConfig
	config.FirstMessage, config.EndCallPhrases, config.FirstMessageInterruptionsEnabled = words, []string{words}, false
	config.FirstMessageMode = string(turn.AssistantSpeaksFirst)
	silent.AssistantConfig = &config
	return &silent
}

// forwarded is a call that goes elsewhere as soon as it is answered. Where that fails, its assistant is there.
func (p *Phone) forwarded(call *dbsqlc.Call, to *jsonb.ToolDestination) *dbsqlc.Call {
	forward := turn.Transfer{
		Target: to.Target, Announcement: to.Message, Reason: turn.AssistantRequestReturnedForward, Firm: true,
		Plan: assistant.ForwardPlan(call, to.Plan, p.clock.Now()),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.calls[call.ID].commands <- forward:
	default: // so many commands wait for the call that none more is taken
		return call
	}
	silent, config := *call, *call.AssistantConfig
	config.FirstMessageMode = string(turn.AssistantWaitsForUser)
	if call.AssistantID == nil { // there is no assistant to go on with
		config.EndCallPhrases = []string{turn.FixedTextsIn("").TransferFailed}
	}
	silent.AssistantConfig = &config
	return &silent
}

// choiceMade is the ending of a call that a server wanted to be nothing but some words, once they were spoken.
func choiceMade(choice questions.Choice, ending calls.Ending) calls.Ending {
	if choice.Speech == "" || ending.Reason != callstate.ReasonAssistantSaidEndCallPhrase {
		return ending
	}
	said := endingFor(callstate.ReasonAssistantRequestReturnedError, errors.New(choice.Speech))
	ending.Status, ending.Reason, ending.Fault, ending.Error = said.Status, said.Reason, said.Fault, said.Error
	return ending
}

// missed is the ending of an inbound call that was not answered.
func missed(live context.Context, err error) calls.Ending {
	nobody, refused := errors.AsType[*unanswerable](err)
	switch {
	case errors.Is(err, sip.ErrCancelled):
		return endingFor(callstate.ReasonCustomerEndedCallBeforeAnswer, nil)
	case refused:
		return nobody.ending()
	case live.Err() != nil:
		return cutShort(live)
	}
	return endingFor(callstate.ReasonCarrierFailedToConnect, err)
}

func (p *Phone) reject(gateway *gateways.Gateway, in *sip.Inbound, refused *refusal) {
	metrics.CallsRefused.WithLabelValues(metrics.Network(gateway.Simulated), strconv.Itoa(refused.code)).Inc()
	p.logger.Info("call refused", "sip_code", refused.code, "pii.from", in.From, "pii.to", in.To, "source", in.Source)
	if err := in.Reject(refused.code, refused.reason); err != nil && !errors.Is(err, sip.ErrCancelled) {
		p.logger.Warn("refusal not sent", "error", err)
	}
}

// calledNumber is the number that a carrier names, in E.164: with a plus, with the international prefix, or bare.
func calledNumber(text string) string {
	if number, ok := e164(text); ok {
		return number
	}
	return plain(text)
}

// callerOf is who calls, as far as the caller lets it be known. Carriers tell the number that they vouch for in
// P-Asserted-Identity (RFC 3325), which counts where From names no number.
func callerOf(in *sip.Inbound) string {
	if privacy := strings.ToLower(in.Header("Privacy")); strings.Contains(privacy, "id") || strings.Contains(privacy, "user") {
		return anonymous
	}
	if number, ok := e164(in.From); ok {
		return number
	}
	if number, ok := e164(userOf(in.Header("P-Asserted-Identity"))); ok {
		return number
	}
	switch name := strings.ToLower(in.From); name {
	case "", anonymous, "restricted", "unavailable", "unknown", "private":
		return anonymous
	}
	return plain(in.From)
}

// userOf is the user part in a header such as "Jan" <sip:+31612345678@carrier.example>.
func userOf(header string) string {
	if quoted, is := strings.CutPrefix(header, `"`); is { // a name may hold anything
		_, header, _ = strings.Cut(quoted, `"`)
	}
	_, address, _ := strings.Cut(header, ":")
	end := strings.IndexAny(address, "@;>")
	if end < 0 {
		return address
	}
	return address[:end]
}

func e164(text string) (string, bool) {
	if digits, found := strings.CutPrefix(text, "00"); found {
		text = digits
	}
	number, err := phonenumbers.Parse("+"+strings.TrimPrefix(text, "+"), "")
	if err != nil || number.GetExtension() != "" || !phonenumbers.IsPossibleNumber(number) {
		return "", false
	}
	return phonenumbers.Format(number, phonenumbers.E164), true
}

// plain returns a name that an unknown source sent as it is stored; without one, anonymous.
func plain(text string) string {
	if text = db.Legible(text, maxCaller); text == "" {
		return anonymous
	}
	return text
}
