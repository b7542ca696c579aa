// Package voice is a live call: an assistant that listens, thinks and speaks on a
// telephone line.
//
// A Session is one answered call. One goroutine owns it: it feeds what happens (frames,
// recognised words, sentences of the model, made sound, commands, time) to a pure
// reducer that decides who may speak, and carries out what that says. Around it stand the
// ear (frames to text), the mind (text to a reply, streamed) and the mouth (a reply to
// sound that is really played). A call ends exactly once, and whatever fails, the caller
// is not left in silence.
//
// The package knows calls, turns and the interfaces of providers. It must not know any
// database, HTTP API or job, where an assistant is configured, nor which vendor speaks:
// those who start a session hand it a line, providers, a script and a ledger.
package voice

import (
	"context"
	"log/slog"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/vad"
)

// Session is one answered call and what it needs. The fields are set before Run and not
// changed after; those that may be nil say so.
type Session struct {
	Leg      Leg
	Ledger   Ledger
	LLM      llm.Provider
	STT      stt.Provider
	TTS      tts.Provider
	Tools    Tools // nil: none
	Script   Script
	Commands <-chan Command          // nil: none
	Logger   *slog.Logger            // nil: discard
	Record   func(far, near []int16) // both directions, once per frame, while Run runs; nil: not recorded
	Detector vad.Prober              // nil: Silero
	Pick     func(n int) int         // a number from 0 to n-1, for what is to vary; nil: random
}

// Outcome is how a call ended.
type Outcome struct {
	Reason    Reason
	Fault     Fault
	Err       error           // the error behind Reason; nil: none
	Duration  time.Duration   // since the answer
	Turns     int             // of both sides
	Latencies []time.Duration // per reply: from the end of the caller's speech to the first sound of the answer
}

const (
	hangUpLimit = 2 * time.Second // for the far end to confirm
	leaveLimit  = 2 * time.Second // for providers to notice that the call is over
)

// Run holds the call and returns when it is over, exactly once and never later than a
// few seconds after the line is gone. When ctx ends it says goodbye and hangs up.
func (s *Session) Run(ctx context.Context) Outcome {
	live, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c, err := s.start(live)
	if err != nil {
		return s.abandon(live, err)
	}
	if s.Record != nil {
		s.Leg.Record(s.Record)
	}
	defer context.AfterFunc(ctx, func() { c.tell(draining{}) })()
	c.loop()
	c.hangUp()
	cancel()
	c.leave()
	return c.outcome
}

// abandon ends a call that cannot begin.
func (s *Session) abandon(ctx context.Context, err error) Outcome {
	ctx, cancel := context.WithTimeout(ctx, hangUpLimit)
	defer cancel()
	if hanging := s.Leg.Hangup(ctx); hanging != nil && s.Logger != nil {
		s.Logger.Warn("hang up", "error", hanging)
	}
	return Outcome{Reason: PlatformError, Fault: PlatformError.Fault(), Err: err}
}
