// Package simnet is a simulated phone network: far ends that answer, talk, listen and
// hang up as a script says. It is a SIP user agent of its own, so a call to it
// crosses real sockets with real INVITE, SDP and RTP, and it could as well run in another
// process or on another machine.
//
// What a number does is decided by its last two digits. The scripts that come with the
// package:
//
//	00 and all others  answers after 1 s, talks and hangs up
//	01  busy (486)
//	02  rings until the caller gives up
//	03  rejects (603)
//	04  voicemail: greeting, beep, silence
//	05  hangs up in the middle of its sentence
//	06  answers and says nothing
//	07  service unavailable (503)
//	08  answers after 10 s
//	09  interrupts
//	10  presses 1 2 3 #
//	12  talks for two minutes
//	13  talks in wideband (G.722), where it is offered
//	20  a menu of three keys; behind key 2 is somebody
//	21  a call screener, behind which somebody takes the call
//	22  a fax
//	23  voicemail whose greeting lasts 25 s
//
// A call may be transferred: the number it goes to does what its script says, busy, refused or answered after so long.
// One that rings for ever is given up after 8 s (480). Whoever was transferred has left the call.
//
// It is a registrar too: accounts whose names end on 03 or 07 are refused with 403 or 503, all
// others are registered, whatever their password.
//
// Others can be given as YAML:
//
//	scripts:
//	  default:                # or two digits in quotes: "04"
//	    language: en          # of the voice; default en
//	    answer_after: 1s      # default 1s
//	    wideband: true        # G.722 where the other side has it; default G.711
//	    steps:                # one after the other; then it hangs up
//	      - listen: 15s       # until the other side has spoken and paused; at most so long (default 15s)
//	      - hear: 1s          # until the other side has been speaking for so long
//	      - say: Hello.       # speaks, in quotes where the text has a colon
//	      - say: Hello, I am calling about
//	        cut: 50%          # speaks that much of it
//	      - press: 123#       # keys
//	      - await: "2"        # until the other side has pressed these; it hangs up after 15 s without them
//	      - wait: 2s
//	      - beep: 500ms
//	      - fax: 3s             # the tone that a fax answers with
//	      - echo: 150ms         # from now on the other side hears itself after so long
//	        gain: -12dB         # that much softer (default -12dB)
//	  "01":
//	    refuse: 486           # a final SIP status, instead of an answer
//	  "02":
//	    ring: true            # never answers
//
// The far end speaks with a real voice. Where captions were negotiated (RFC 4351) it also
// sends the exact words at the end of each utterance, and reads those of the other side.
// It hears the other side with a voice activity detector and waits for its turn.
//
// The package knows telephones and scripts. It must not know assistants, sessions or
// anything else behind the SIP socket of the other side.
package simnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/sip"
)

// Config is what a network needs.
type Config struct {
	Listen      string        // address and UDP port; port 0 picks a free one
	TTS         tts.Provider  // the voice of the far ends
	Scripts     Scripts       // in place of those that come with the package, per number; nil: none
	Logger      *slog.Logger  // nil: discard
	AnswerDelay time.Duration // in place of each script's answer_after; 0: as the scripts say
	NoTransfers bool          // REFER is refused, as many carriers do
	OnInvite    func(Invite)  // called for each call that comes in, before anything is answered; nil: nobody
}

// Invite is a call coming in.
type Invite struct {
	At               time.Time
	CallID, From, To string
}

// Network is a running simulation.
type Network struct {
	cfg     Config
	log     *slog.Logger
	scripts Scripts
	speech  *speech
	ua      *sip.UA
	live    context.Context // ends when the far ends must hang up
	cut     context.CancelFunc
	running sync.WaitGroup // calls; Add only while open

	mu     sync.Mutex
	closed bool
	calls  []*record
}

// keepCalls is how many calls Calls remembers.
const keepCalls = 10_000

// errClosed is returned by a closed network.
var errClosed = errors.New("the simulated network is closed")

// Start opens the socket. The network runs until Close, or until ctx ends.
func Start(ctx context.Context, cfg Config) (*Network, error) {
	scripts, err := DefaultScripts()
	if err != nil {
		return nil, fmt.Errorf("start simulated network: %w", err)
	}
	maps.Copy(scripts, cfg.Scripts)
	n := &Network{cfg: cfg, log: cfg.Logger, scripts: scripts, speech: newSpeech(cfg.TTS)}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	n.live, n.cut = context.WithCancel(ctx)
	n.ua, err = sip.Listen(sip.Config{Listen: cfg.Listen, Logger: n.log, Inbound: n.answer, Registrar: register,
		Transfers: !cfg.NoTransfers})
	if err != nil {
		n.cut()
		return nil, fmt.Errorf("start simulated network: %w", err)
	}
	return n, nil
}

// Addr returns where it listens for SIP.
func (n *Network) Addr() netip.AddrPort { return n.ua.Addr() }

// Close lets every far end hang up and closes the socket.
func (n *Network) Close(ctx context.Context) error {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.cut()
	if err := n.ua.Close(ctx); err != nil {
		return fmt.Errorf("close simulated network: %w", err)
	}
	n.running.Wait()
	return nil
}

// Calls returns the calls seen so far, the oldest first; of many, the last ones.
func (n *Network) Calls() []Call {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]Call, len(n.calls))
	for i, r := range n.calls {
		out[i] = r.snapshot()
	}
	return out
}

// register decides on an account that wants to be registered.
func register(account string) (code int, reason string) {
	switch {
	case strings.HasSuffix(account, "03"):
		return 403, "Forbidden"
	case strings.HasSuffix(account, "07"):
		return 503, reasonPhrase(503)
	}
	return 200, "OK"
}

// open begins the record of a call. It returns nil when the network is closed; otherwise
// running.Done is owed.
func (n *Network) open(c Call) *record {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil
	}
	n.running.Add(1)
	r := &record{call: c}
	if n.calls = append(n.calls, r); len(n.calls) > keepCalls {
		n.calls = append([]*record(nil), n.calls[len(n.calls)-keepCalls/2:]...)
	}
	return r
}

// answer returns the far end of one INVITE.
func (n *Network) answer(_ context.Context, in *sip.Inbound) {
	invite := Invite{At: time.Now(), CallID: in.CallID, From: in.From, To: in.To}
	if n.cfg.OnInvite != nil {
		n.cfg.OnInvite(invite)
	}
	r := n.open(Call{CallID: in.CallID, From: in.From, To: in.To, InvitedAt: invite.At})
	if r == nil {
		return
	}
	defer n.running.Done()
	script := n.scripts.of(in.To)
	if err := n.take(in, script, r); err != nil && !errors.Is(err, sip.ErrCancelled) && n.live.Err() == nil {
		n.log.Warn("simulated call failed", "call_id", in.CallID, "to", in.To, "error", err)
		r.fail(err)
	}
	r.end()
}

func (n *Network) take(in *sip.Inbound, script Script, r *record) error {
	if script.Refuse != 0 {
		r.refused(script.Refuse)
		return in.Reject(script.Refuse, reasonPhrase(script.Refuse))
	}
	if err := in.Ring(); err != nil {
		return err
	}
	if script.Ring {
		n.ring(in, nil)
		return nil
	}
	timer := time.NewTimer(n.delay(script))
	defer timer.Stop()
	n.speech.prepare(n.live, script)
	if !n.ring(in, timer.C) {
		return nil
	}
	in.Wideband = script.Wideband
	leg, err := in.Answer(n.live)
	if err != nil {
		return err
	}
	return n.talk(leg, script, r)
}

// delay returns how long a number rings before it answers.
func (n *Network) delay(script Script) time.Duration {
	if n.cfg.AnswerDelay > 0 {
		return n.cfg.AnswerDelay
	}
	return script.AnswerAfter
}

// ring waits until it is time to answer. It returns false when the caller gave up before.
func (n *Network) ring(in *sip.Inbound, answer <-chan time.Time) bool {
	select {
	case <-answer:
		return true
	case <-in.Done():
		return false
	case <-n.live.Done():
		return false
	}
}

// Call places a call to the SIP address target and plays the script. It returns when the
// call is over; a refusal is a *sip.Refused.
func (n *Network) Call(ctx context.Context, target, from, to string, script Script) (Call, error) {
	r := n.open(Call{From: from, To: to, Outbound: true, InvitedAt: time.Now()})
	if r == nil {
		return Call{}, errClosed
	}
	defer n.running.Done()
	defer r.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(n.live, cancel)()
	n.speech.prepare(ctx, script)
	leg, err := n.ua.Dial(ctx, sip.Dial{Proxy: target, From: from, To: to, Captions: true, Wideband: script.Wideband})
	if err != nil {
		if refusal, ok := errors.AsType[*sip.Refused](err); ok {
			r.refused(refusal.Code)
		}
		return r.snapshot(), fmt.Errorf("call %s: %w", to, err)
	}
	r.dialed(leg.Dialog().CallID)
	err = n.talk(leg, script, r)
	r.end()
	return r.snapshot(), err
}

// reasonPhrase returns what a carrier writes behind a status.
func reasonPhrase(code int) string {
	switch code {
	case 200:
		return "OK"
	case 404:
		return "Not Found"
	case 480:
		return "Temporarily Unavailable"
	case 486:
		return "Busy Here"
	case 503:
		return "Service Unavailable"
	case 600:
		return "Busy Everywhere"
	case 603:
		return "Decline"
	default:
		return "Refused"
	}
}
