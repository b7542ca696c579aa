package turn

import (
	"cmp"
	"time"
)

// TransferMode is how a caller is put through. The words are those of the field.
type TransferMode string

// The modes. Of the warm ones the assistant rings and speaks to the colleague first, while the caller waits.
const (
	Blind              TransferMode = "blind-transfer"
	BlindWithSummary   TransferMode = "blind-transfer-add-summary-to-sip-header"
	WarmMessage        TransferMode = "warm-transfer-say-message"
	WarmSummary        TransferMode = "warm-transfer-say-summary"
	WarmWaitForMessage TransferMode = "warm-transfer-wait-for-operator-to-speak-first-and-then-say-message"
	WarmWaitForSummary TransferMode = "warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary"
	WarmAssistant      TransferMode = "warm-transfer-experimental" // the colleague decides, in talk with the assistant
)

// TransferModes returns all modes.
func TransferModes() []TransferMode {
	return []TransferMode{Blind, BlindWithSummary, WarmMessage, WarmSummary, WarmWaitForMessage, WarmWaitForSummary, WarmAssistant}
}

// Warm reports whether the colleague is spoken to before the caller is put through.
func (m TransferMode) Warm() bool { return m != "" && m != Blind && m != BlindWithSummary }

// Summarises reports whether the colleague is told what was said so far.
func (m TransferMode) Summarises() bool {
	return m == BlindWithSummary || m == WarmSummary || m == WarmWaitForSummary || m == WarmAssistant
}

// WaitsForHello reports whether the colleague has to speak first.
func (m TransferMode) WaitsForHello() bool { return m == WarmWaitForMessage || m == WarmWaitForSummary }

// How a caller leaves who is not announced.
const (
	ViaAuto   = "auto"   // by the carrier, and where that refuses, on legs of ours
	ViaRefer  = "refer"  // by the carrier alone
	ViaBridge = "bridge" // on legs of ours
)

// TransferPlan is how a caller is put through to one destination. It never changes. Its texts are final.
type TransferPlan struct {
	Mode      TransferMode  // empty: Blind
	Message   string        // told to the colleague; empty: a fixed sentence
	Via       string        // of a blind one: ViaRefer or ViaBridge; empty: as it is set for the call's line
	RingFor   time.Duration // 0: a default
	WaitFor   time.Duration // for a colleague to speak first and hear the message; 0: a default
	HoldSound string        // that the caller hears meanwhile, a URL; empty: music

	SummaryPrompt  string        // of a system, for who summarises; empty: a fixed one
	SummaryTimeout time.Duration // 0: a default

	// Of WarmAssistant.
	Greeting     string        // spoken to the colleague first; empty: the model's
	Instructions string        // for the model
	TalkFor      time.Duration // at most; 0: a default

	Fallback    string // said to the caller when nobody took the call; empty: a fixed sentence
	EndFallback bool   // hang up when that was spoken
}

// callerAway refuses commands while the caller talks to a colleague.
const callerAway = "the caller was put through"

// transferEnds goes on without the caller, or with one who is back.
func (t *transition) transferEnds(e TransferEnded) {
	switch {
	case t.phase != transferring:
	case e.Failed:
		t.comeBack(e.Why)
	case e.Joined:
		t.stopConversation()
		t.phase, t.through = joined, nil
		if e.Limit > 0 {
			t.dueMax = t.at + e.Limit
		}
	default:
		t.finish(t.reason)
	}
}

// comeBack goes on with a caller whom nobody took.
func (t *transition) comeBack(why string) {
	var plan TransferPlan
	if t.through != nil {
		plan = *t.through
	}
	t.phase, t.reason, t.through = talking, "", nil
	if why != "" {
		why = " Nobody took the call: " + why + "."
	}
	t.do(AppendMessage{roleSystem, transferFailed + why})
	t.say(cmp.Or(plan.Fallback, t.fixed.TransferFailed))
	if plan.EndFallback {
		t.follow(lastMessage)
		t.locked = true
	}
}

// whileJoined handles what happens while the caller talks to a colleague, and reports whether it has: little concerns the
// assistant then, and what was under way when it began is forgotten.
func (t *transition) whileJoined(e Event) bool {
	if t.phase != joined {
		return false
	}
	switch e := e.(type) {
	case CommandReceived:
		switch cmd := e.Command.(type) {
		case End, SendDigits:
			return false
		default:
			t.refuse(cmd.command(), callerAway)
		}
	case ColleagueLeft:
		t.finish(t.reason)
	case ShuttingDown, Disconnected, Tick:
		return false
	}
	return true
}
