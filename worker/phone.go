package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/appointments"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/calendar"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/traces"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/assistant"
	"github.com/callwright/callwright/worker/lease"
	"github.com/callwright/callwright/worker/listening"
	"github.com/callwright/callwright/worker/recording"
)

// PhoneConfig is what the telephone of a worker needs.
type PhoneConfig struct {
	SIP       *SIP       // our side of live calls; nil: there are none
	Trunk     *Trunk     // where live calls leave; nil: they fail with a clear reason
	Simulated *Simulated // the simulated phone network; nil: calls of test keys fail
	Web       *Web       // where browsers reach this process; nil: it takes no web calls
	RingFor   time.Duration
	Speech    *all.Providers // who thinks, listens and speaks
	Files     files.Store    // nil: of a process that holds no calls

	RegistrationsPerSecond int // REGISTERs of customers' SIP connections that leave this process; 0: 50
}

// Phone places calls and holds their conversations. It implements calls.Dialer.
type Phone struct {
	processID string
	lease     *lease.Lease
	cfg       PhoneConfig
	pool      *pgxpool.Pool
	seal      seal.Sealer
	jobs      queue.Inserter
	sender    *events.Sender // asks customers' servers what calls need to know
	tools     *assistant.Tools
	logger    *slog.Logger
	gateways  *gateways
	listening *listening.Host
	routes    *db.Batcher[*dbsqlc.Call, *dbsqlc.SIPConnection]
	records
	places   *places
	stopping chan struct{} // closed under mu, when no calls are taken any more

	connections *connections

	live    context.Context // of the calls that came in; ends when they must
	cut     context.CancelCauseFunc
	running sync.WaitGroup // calls that came in; Add only while not stopping
	asking  sync.WaitGroup // what calls wait for from outside; Add only while a call runs
	orphans sync.WaitGroup // calls of dead processes that are being hung up; Add only while the supervisor runs
	sounds  *assistant.Backgrounds

	writers recording.Writers // of recordings
	loops   *voice.Loops      // of all calls

	mu    sync.Mutex
	calls map[uuid.UUID]*liveCall
	ready bool // calls that come in are taken
}

// liveCall is a call that this process holds, or is about to claim.
type liveCall struct {
	claimed  bool
	cancel   context.CancelCauseFunc // set when claimed
	journal  *journal                // set when claimed
	commands chan turn.Command       // for the session; set when claimed
	talking  bool                    // a session reads commands
	audience *listening.Audience     // who listens in; nil: nobody may
	given    map[uuid.UUID]bool      // commands that were handed over
	early    []*dbsqlc.CallCommand   // commands that came between the commit of the claim and here
	ended    bool                    // by a command, before anybody answered
	leaving  bool                    // it is given back: commands are for whoever dials it next
}

// claim makes the call one that this process holds.
func (p *Phone) claim(callID uuid.UUID, cancel context.CancelCauseFunc, journal *journal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[callID]
	if call == nil {
		call = &liveCall{}
		p.calls[callID] = call
	}
	call.claimed, call.cancel, call.journal = true, cancel, journal
	call.commands, call.given = make(chan turn.Command, commandsAhead), map[uuid.UUID]bool{}
	for _, command := range call.early {
		call.give(command)
	}
}

// errDisowned ends a call whose row another process ended, believing this one dead.
var errDisowned = errors.New("the call was ended by another process")

func newPhone(ctx context.Context, processID string, held *lease.Lease, cfg Config) (*Phone, error) {
	phone := &Phone{
		processID: processID, lease: held, cfg: cfg.Phone, pool: cfg.Pool, seal: cfg.Seal, logger: cfg.Logger,
		calls:  map[uuid.UUID]*liveCall{},
		places: newPlaces(cfg.Queues[queue.Calls]), stopping: make(chan struct{}),
	}
	phone.live, phone.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	phone.sounds = assistant.NewBackgrounds(cfg.Hook.HTTP())
	phone.keepRecords()
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	phone.sender = &events.Sender{DB: cfg.Pool, Hook: cfg.Hook, Seal: cfg.Seal, Now: time.Now}
	var err error
	if phone.jobs, err = NewInserter(cfg.Pool, cfg.Logger); err != nil {
		return nil, err
	}
	phone.tools = &assistant.Tools{
		DB: cfg.Pool, Jobs: phone.jobs, Questions: embed.NewQuestions(cfg.Embed, cfg.Logger), Sender: phone.sender,
		ProcessID: processID,
		Planner:   &appointments.Planner{DB: cfg.Pool, Calendar: calendar.NewReader(cfg.Hook.HTTP()), Now: time.Now},
		Live:      phone.live, Asking: &phone.asking, Logger: cfg.Logger,
	}
	if phone.gateways, err = openGateways(ctx, cfg.Phone, cfg.Hook.Guard(), phone, cfg.Logger); err != nil {
		return nil, err
	}
	phone.listening = &listening.Host{ProcessID: processID, Pool: cfg.Pool, Web: phone.gateways.web}
	phone.loops = voice.NewLoops(min(runtime.NumCPU(), runtime.GOMAXPROCS(0)), cap(phone.places.taken))
	phone.connections = newConnections(processID, cfg, phone.gateways)
	return phone, nil
}

// open begins to take calls that come in.
func (p *Phone) open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = true
}

// drain takes no more calls. It lets those that came in go on for a while, then ends them with a goodbye, and returns
// when they are recorded. When ctx ends it waits no longer.
func (p *Phone) drain(ctx context.Context, patience time.Duration) {
	p.mu.Lock()
	close(p.stopping)
	p.ready = false
	p.mu.Unlock()
	p.gateways.refuse()
	p.logger.InfoContext(ctx, "stopping; live calls go on", "for", patience)
	ended := make(chan struct{})
	go func() {
		p.running.Wait()
		close(ended)
	}()
	if err := p.connections.leave(ctx, p.jobs); err != nil {
		p.logger.ErrorContext(ctx, "SIP connections not given up; they move when this process has ended", "error", err)
	}
	enough := time.AfterFunc(patience, func() { p.cut(errStopping) })
	defer enough.Stop()
	select {
	case <-ended:
	case <-ctx.Done():
		p.cut(errStopping)
	}
}

var errStopping = errors.New("the worker stops")

// Close closes the telephone gateways. The calls on them have ended before, and the supervisor has stopped.
func (p *Phone) Close(ctx context.Context) error {
	p.cut(errStopping)
	p.asking.Wait()
	p.orphans.Wait()
	err := p.gateways.Close(ctx)
	p.connections.reports.close()
	p.routes.Close()
	p.loops.Close()
	p.closeRecords()
	return err
}

// Reserve implements calls.Dialer.
func (p *Phone) Reserve(ctx context.Context, wait time.Duration) (calls.Place, bool) {
	if !p.places.take(ctx, wait, p.stopping) {
		return nil, false
	}
	return &place{phone: p}, true
}

// place is room for one call on the telephone. It implements calls.Place. One goroutine at a time uses it.
type place struct {
	phone    *Phone
	held     uuid.UUID // the call that is about to be claimed for it
	call     *liveCall // likewise
	released bool
}

// Hold implements calls.Place.
func (r *place) Hold(callID uuid.UUID) (forget func()) {
	r.held, r.call = callID, r.phone.expect(callID)
	return func() {
		r.phone.release(callID, r.call)
		r.held = uuid.Nil
	}
}

// Dial implements calls.Place.
func (r *place) Dial(ctx context.Context, call *dbsqlc.Call, at time.Time) {
	defer r.Release()
	r.phone.dial(ctx, call, at)
}

// Release implements calls.Place.
func (r *place) Release() {
	if r.released {
		return
	}
	r.released = true
	if r.held != uuid.Nil {
		r.phone.release(r.held, r.call)
	}
	r.phone.places.give()
}

// Stopping implements calls.Dialer.
func (p *Phone) Stopping() <-chan struct{} { return p.stopping }

// expect keeps a call that is about to be claimed from being taken for lost.
func (p *Phone) expect(callID uuid.UUID) *liveCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := &liveCall{}
	p.calls[callID] = call
	return call
}

// release forgets a call that this process does not hold any more. One that was given back may have been claimed here anew, and
// then is another.
func (p *Phone) release(callID uuid.UUID, call *liveCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[callID] == call {
		delete(p.calls, callID)
	}
}

// leaves keeps commands from a call that is to be given back, and reports whether it may be: not one that a command ended.
func (p *Phone) leaves(callID uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[callID]
	call.leaving = !call.ended
	return call.leaving
}

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
	gateway, err := p.gateways.forCall(call)
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

// claimed answers the calls that this process has claimed and holds.
func (p *Phone) claimed() map[uuid.UUID]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := map[uuid.UUID]bool{}
	for id, call := range maps.All(p.calls) {
		if call.claimed {
			held[id] = true
		}
	}
	return held
}

// idle reports that this process holds no call, and is about to claim none.
func (p *Phone) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) == 0
}

// holds reports whether this process holds the call or is about to claim it.
func (p *Phone) holds(callID uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[callID] != nil
}

// disown hangs up a call that is no longer this process's.
func (p *Phone) disown(callID uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.calls[callID]; call != nil && call.claimed {
		call.cancel(errDisowned)
	}
}

// hangUpAll ends the calls of a process whose lease has run out or was lost, each with a goodbye: others act on them now, or
// are about to.
func (p *Phone) hangUpAll(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for call := range maps.Values(p.calls) {
		if call.claimed {
			call.cancel(cause)
		}
	}
}

// hangUpOrphans says BYE in the name of a dead process, so that nobody stays connected to silence. It is a courtesy:
// the calls are ended in any case, and a far end that heard nothing hangs up by itself.
func (p *Phone) hangUpOrphans(lost []*dbsqlc.Call) {
	p.orphans.Go(func() {
		ctx, cancel := context.WithTimeout(p.live, 10*time.Second)
		defer cancel()
		if err := p.hangUpOrphanedLegs(ctx, lost); err != nil {
			p.logger.WarnContext(ctx, "second legs of orphaned calls not hung up", "error", err)
		}
	})
	for _, call := range lost {
		if len(call.SIPDialog) == 0 {
			continue
		}
		p.orphans.Go(func() {
			ctx, cancel := context.WithTimeout(p.live, 10*time.Second)
			defer cancel()
			if err := p.hangUpOrphan(ctx, call); err != nil {
				p.logger.WarnContext(ctx, "orphaned call not hung up", "call_id", call.ID, "error", err)
			}
		})
	}
}

func (p *Phone) hangUpOrphan(ctx context.Context, call *dbsqlc.Call) error {
	gateway, err := p.gateways.forCall(call)
	if err != nil {
		return err
	}
	return p.endOrphan(ctx, gateway, call, call.SIPDialog)
}

// hangUpOrphanedLegs does so on those who were talking to the callers of lost calls.
func (p *Phone) hangUpOrphanedLegs(ctx context.Context, lost []*dbsqlc.Call) error {
	legs, err := calls.ListLegs(ctx, p.pool, lost...)
	if err != nil {
		return err
	}
	var failures []error
	for _, call := range lost {
		for _, leg := range legs[call.ID] {
			if len(leg.SIPDialog) == 0 {
				continue
			}
			gateway, err := p.gateways.forCall(call)
			if err == nil {
				err = p.endOrphan(ctx, gateway, call, leg.SIPDialog)
			}
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// endOrphan says BYE in a dialog of a call.
func (p *Phone) endOrphan(ctx context.Context, gateway *gateway, call *dbsqlc.Call, encoded []byte) error {
	var dialog sip.Dialog
	if err := json.Unmarshal(encoded, &dialog); err != nil {
		return fmt.Errorf("decode dialog: %w", err)
	}
	known, err := p.route(ctx, gateway, call) // for the account alone
	if err != nil {
		p.logger.WarnContext(ctx, "orphaned call is hung up without an account", "call_id", call.ID, "error", err)
	}
	return gateway.ua.EndOrphan(ctx, dialog, known.Username, known.Password)
}

var errNoAnswer = fmt.Errorf("nobody answered: %w", context.DeadlineExceeded)
