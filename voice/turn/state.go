package turn

import (
	"time"

	"github.com/callwright/callwright/voice/answerer"
	"github.com/callwright/callwright/voice/turn/evidence"
)

// phase is how far the call is.
type phase uint8

const (
	talking      phase = iota
	screening          // it is unclear who answered
	atMachine          // waiting for the beep of an answering machine, or speaking to it
	transferring       // waiting for somebody to take the caller
	joined             // the caller talks to a colleague
	attended           // a colleague has barged in, and speaks in the assistant's place
	closing            // the last words are being spoken
	over
)

// stage is what the assistant does.
type stage uint8

const (
	quiet    stage = iota
	thinking       // something to say is being made, nothing was played yet
	speaking       // something of it was played
)

// screenState is what is known about who answered.
type screenState struct {
	screens bool          // a machine may have answered
	who     answerer.Kind // has answered
	guess   answerer.Kind // of the model
	guesses int           // that the model was asked for
	greeted string        // words of the greeting that are on record already
	greetTo time.Duration // when the greeting of a person ended; 0: it has said something since
	sign    string
	hello   time.Duration // when its first sound began; 0: there was none
	foundAt time.Duration // when the machine was found
	beeped  bool
	leftAt  time.Duration // when our message began; 0: not yet
	left    bool          // it was spoken
}

// learned is what earlier pauses tell about later ones.
type learned struct {
	marks evidence.Marks // how the transcriber puts them
	voice evidence.Voice // how it ends
}

// deadline is the time since the answer at which something is due; zero: never.
type deadline = time.Duration

// State is all that is known about a call, and the only place that says who is speaking. The zero value is a call before
// Answered. A state never changes: Rules.Step returns the next one.
type State struct {
	phase phase

	// The caller.
	talks         bool          // makes sound now
	since         time.Duration // when the sound of now or last began
	vague         bool          // and it may be the assistant's own
	suspected     bool          // a reply was held back for a sound
	pausing       bool          // and is silent at the moment
	others        bool          // somebody else was heard behind the last sound
	stopped       time.Duration // when the last sound ended
	untranscribed int           // pauses that the transcriber has not answered yet
	wordAt        time.Duration // when words came last
	turnAt        time.Duration // when the turn that is being collected began; 0: not yet
	heard         string        // its words
	interim       string        // and those that may still change
	sttFailures   int           // of the transcriber, in a row
	repeating     bool          // the assistant asks to repeat what was lost
	taken         string        // interim words that were answered before they became final
	streams       bool          // the transcriber gives interim words
	atPause       string        // those of them that were there when the caller paused, until they are final
	lags          int           // more than 0: words were missing there, as a rule
	melodyBefore  float64       // of those before the sound of now or last
	melody        float64       // of the last syllables before the last pause
	habit         time.Duration // how long pauses within the caller's turns are
	learned                     // of the pauses so far
	before        learned       // what was known before the turn that is being answered
	noisyUntil    time.Duration // until then words alone tell that the caller speaks
	keys          string        // pressed and not entered yet
	keysAt        time.Duration // when the first of them was
	pressedAt     time.Duration // when the last key was, at all
	entered       bool          // the last thing the caller did was to complete an entry

	// The assistant.
	stage        stage
	ducked       bool          // quieter until it is clear whether this is an interruption
	paused       bool          // stopped until it is clear whether this is an interruption
	locked       bool          // may not be interrupted
	audibleAt    time.Duration // when what it says began to be heard; 0: not yet
	cutAt        time.Duration // when it was last interrupted
	asked        string        // the caller's words that it answers, until it is heard to answer
	askedAt      time.Duration
	tries        int           // failed ones of this reply
	requestedAt  time.Duration // when the reply was asked for
	filling      bool          // what is heard meanwhile asks for patience
	waitsFrom    time.Duration // when the wait for what is to be heard next began
	quietFrom    time.Duration // when the caller began to hear nothing, before that
	asksPatience string        // what asked for it last in this call
	silentAt     time.Duration // when it last fell silent
	fails        int           // replies in a row that broke off
	broken       bool          // this one did
	last         string        // what it said last, completely
	says         []Say         // waiting for quiet
	owesReply    bool          // someone asked for a reply while it was busy
	after        Command       // to do when it has spoken
	reason       Reason        // of closing, or of a transfer that succeeds
	attendant    string        // the BargeIn of the colleague who speaks, while one does
	unanswered   bool          // the caller spoke last while a colleague had barged in
	through      *TransferPlan // of the transfer that is waited for; nil: it has none

	// The silence in which nobody speaks, thinks or is about to.
	idle      bool
	idleAt    time.Duration // when it began, reminders aside; 0: there is none
	reminding bool          // what is being spoken is a reminder
	reminders int           // spoken so far

	screenState
	inquiry
	endState

	ahead           guessState
	dueReply        deadline // the caller is done
	dueInterruption deadline // the caller's sound is long enough to stop for
	dueWords        deadline // words are not waited for longer
	dueNoise        deadline // a sound without words is nobody's
	dueFiller       deadline
	dueRepeat       deadline // who was asked to repeat something says nothing
	dueKeys         deadline // no more keys are waited for
	dueIdle         deadline
	dueSilence      deadline
	dueScreen       deadline // enough was heard to tell who answered
	dueLeave        deadline // no beep is waited for longer
	dueMax          deadline
	dueEnd          deadline // closing words are cut off
}

// NextDeadline returns when the next Tick is due, since the answer, and false when none is.
func (s *State) NextDeadline() (time.Duration, bool) {
	var earliest deadline
	for _, due := range []deadline{
		s.dueReply, s.dueInterruption, s.dueWords, s.dueNoise, s.dueFiller, s.dueRepeat, s.dueKeys, s.dueScreen, s.dueLeave, s.dueIdle,
		s.dueSilence,
		s.dueMax, s.dueEnd,
	} {
		if due != 0 && (earliest == 0 || due < earliest) {
			earliest = due
		}
	}
	return earliest, earliest != 0
}

// Over reports whether the call has ended: HangUp was the last action.
func (s *State) Over() bool { return s.phase == over }

// Closing reports whether the last words are being spoken, or were.
func (s *State) Closing() bool { return s.phase >= closing }

// Transferring reports whether the outcome of a transfer is waited for.
func (s *State) Transferring() bool { return s.phase == transferring }

// Joined reports whether the caller talks to a colleague.
func (s *State) Joined() bool { return s.phase == joined }

// Attended reports whether a colleague speaks to the caller in the assistant's place.
func (s *State) Attended() bool { return s.phase == attended }

// AssistantBusy reports whether something that the assistant is to say is being made or played.
func (s *State) AssistantBusy() bool { return s.stage != quiet }

// AudibleSince returns when what the assistant says began to be heard, since the answer; 0: it was not heard yet.
func (s *State) AudibleSince() time.Duration { return s.audibleAt }

// Paused reports whether the assistant's sound is stopped until it is clear whether the caller interrupts.
func (s *State) Paused() bool { return s.paused }

// CallerTalks reports whether the caller makes sound.
func (s *State) CallerTalks() bool { return s.talks }

// AwaitsTranscript reports whether speech has ended whose words have not arrived.
func (s *State) AwaitsTranscript() bool { return s.untranscribed > 0 }

// EndOfTurn returns when and why the turn of the caller was over that is answered by what the assistant is about to say, and
// false when that answers nobody, or is being heard already.
func (s *State) EndOfTurn() (EndOfTurn, bool) { return s.end, s.asked != "" }

// Asked returns the words of the caller that are being answered and are not on record yet.
func (s *State) Asked() string { return s.asked }

// WantsBeep reports whether a beep means anything.
func (s *State) WantsBeep() bool { return s.screens && (s.who != answerer.Person || s.greetTo != 0) }

// AtMenu reports whether we talk to the menu of a machine, which wants keys rather than words.
func (s *State) AtMenu() bool { return s.who == answerer.Menu }

// TranscriberFailures returns how often the transcriber has failed in a row.
func (s *State) TranscriberFailures() int { return s.sttFailures }
