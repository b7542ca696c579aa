// Package voice is a live call: an assistant that listens, thinks and speaks on a leg.
//
// A Session is one answered call. One goroutine at a time owns it: its own, and for frames one of the Loops that calls share. It
// steps the rules of package turn, which decide who may speak, with what happens (frames, transcribed words, sentences of the
// model, synthesised sound, commands, time), and carries out the actions that follow. Around it stand the transcriber (frames to
// text), the responder (text to a reply, streamed) and the speaker (a reply to sound that is really played). A call ends exactly
// once, and whatever fails, the caller is not left in silence.
//
// The package knows calls, turns and the interfaces of providers. It must not know any database, HTTP API or job, where an
// assistant is configured, which vendor speaks, nor what carries the sound: those who start a session hand it a leg,
// providers, a script and a journal.
package voice

import (
	"log/slog"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/vad"
)

// Session is one answered call and what it needs. The fields are set before Run and not changed after; those that may be
// nil say so.
type Session struct {
	Leg        Leg
	Journal    Journal
	LLM        llm.Provider
	STT        stt.Provider
	TTS        tts.Provider
	Tools      Tools        // nil: none
	Transfers  Transferrer  // nil: the leg's own
	Operator   *OperatorLeg // where a colleague speaks who barges in; nil: on Leg itself, and the echo of it is taken for the caller
	Endpointer Endpointer   // asked where the Script's Endpointing is turn.ByServer; nil: the rules decide alone
	Script     Script
	Loops      *Loops                  // where its frames are handled; nil: in its own goroutine
	Commands   <-chan turn.Command     // nil: none
	Logger     *slog.Logger            // nil: discard
	Record     func(far, near []int16) // both directions, once per frame, while Run runs; nil: not recorded
	Detector   vad.Prober              // nil: Silero
	Pauses     func(turn.CallerPause)  // is given each pause of the caller as it is judged, one more than once; nil: nobody looks
	Pick       func(n int) int         // a number from 0 to n-1, for what is to vary; nil: random
}

// Outcome is how a call ended.
type Outcome struct {
	Reason   turn.Reason
	Fault    turn.Fault
	Err      error         // the error behind Reason; nil: none
	Duration time.Duration // since the answer
	Turns    int           // of both sides
	Timings  []Timing      // of the answers to the caller that were heard
	Guesses  []Guess       // all, also those that no answer followed
}
