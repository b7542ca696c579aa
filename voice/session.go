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
	Commands <-chan Command // nil: none
	Logger   *slog.Logger   // nil: discard
	Record   func(far, near []int16)
	Detector vad.Prober // nil: Silero
}

// Outcome is how a call ended.
type Outcome struct {
	Reason    Reason
	Fault     Fault
	Err       error           // the error behind Reason, nil when there is none
	Duration  time.Duration   // since the answer
	Turns     int             // of both sides
	Latencies []time.Duration // per reply: from the end of the caller's speech to the first sound of the answer
}

// Run holds the call and returns when it is over, exactly once and never later than a
// few seconds after the leg ended. When ctx ends it says goodbye and hangs up.
func (s *Session) Run(ctx context.Context) Outcome {
	return Outcome{}
}
