package voice

import (
	"cmp"
	"slices"
	"time"
)

// This file and those beside it that extend turn (floor, reply, keypad, idle, screen,
// ending) are the reducer of a call:
// step takes what happened and when, and says what to do. It is pure: no clock, no
// goroutine, no I/O; everything about who may speak is decided here and can be tested as
// a table. The session feeds it and carries out its actions.

// What happens. Moments are durations since the answer.
type (
	event interface{ isEvent() }

	answered      struct{}
	speechStarted struct{ since time.Duration } // the caller makes sound, since a moment ago
	speechEnded   struct{ end time.Duration }   // the caller has been silent since end
	heard         struct {                      // what the recogniser understood
		text  string
		final bool
	}
	deaf        struct{}              // the recogniser failed
	sounded     struct{}              // the assistant's words begin to be played
	drained     struct{ text string } // all of it was made and played
	thinkFailed struct{ spoken bool } // no reply, or only a part that is being spoken
	voiceFailed struct{}              // words cannot be made audible
	asked       struct{ cmd Command } // someone commands
	followUp    struct {              // to be done when the reply was spoken
		cmd  Command
		mute bool // the reply has no words
	}
	pressed     struct{ key byte }      // the caller presses a key
	beeped      struct{}                // a beep ended
	transferred struct{ failed bool }   // how a transfer went
	toolsRan    struct{}                // the reply has had effects
	draining    struct{}                // the worker stops
	gone        struct{ reason Reason } // the leg is over
	tick        struct{}                // a due moment may have come
)

func (answered) isEvent()      {}
func (speechStarted) isEvent() {}
func (speechEnded) isEvent()   {}
func (heard) isEvent()         {}
func (deaf) isEvent()          {}
func (sounded) isEvent()       {}
func (drained) isEvent()       {}
func (thinkFailed) isEvent()   {}
func (voiceFailed) isEvent()   {}
func (asked) isEvent()         {}
func (followUp) isEvent()      {}
func (pressed) isEvent()       {}
func (beeped) isEvent()        {}
func (transferred) isEvent()   {}
func (toolsRan) isEvent()      {}
func (draining) isEvent()      {}
func (gone) isEvent()          {}
func (tick) isEvent()          {}

// What is to be done, in order.
type (
	action interface{ isAction() }

	think struct { // make and speak a reply to the conversation and these words
		asked string
		pause time.Duration // before
	}
	speak    struct{ text string }       // speak a fixed text after what is being spoken
	speakOne struct{ texts []string }    // speak one of these
	hold     struct{}                    // stop the sound, keep what was to be said
	resume   struct{}                    // go on where hold stopped
	cut      struct{ interrupted bool }  // forget what was not played; record what was
	remember struct{ turn Turn }         // the caller said this
	inform   struct{ role, text string } // put this before the model
	transfer struct{ id, target string } // hand the caller over
	press    struct{ digits string }     // send keys
	detected struct{ sign string }       // an answering machine was found by this
	delayed  struct{}                    // note that the caller waits for long
	settled  struct{ id string }         // a command was carried out
	refused  struct{ id, reason string } // a command was not
	hangUp   struct{ reason Reason }     // the last action of a call
)

func (think) isAction()    {}
func (speak) isAction()    {}
func (speakOne) isAction() {}
func (hold) isAction()     {}
func (resume) isAction()   {}
func (cut) isAction()      {}
func (remember) isAction() {}
func (inform) isAction()   {}
func (transfer) isAction() {}
func (press) isAction()    {}
func (detected) isAction() {}
func (delayed) isAction()  {}
func (settled) isAction()  {}
func (refused) isAction()  {}
func (hangUp) isAction()   {}

// Limits that no plan sets.
const (
	wordsLimit      = 8 * time.Second         // a recogniser that says nothing is not waited for longer
	noiseLimit      = 15 * time.Second        // of a sound without a new word: the caller is in a noisy place
	resumeAfter     = 2 * time.Second         // without words an interruption was none
	fillerAfter     = 3500 * time.Millisecond // of thinking: say that it takes a moment
	repeatPatience  = 3                       // failures in a row of recogniser or model that end the call
	ackWindow       = time.Second             // "yes" this close to the end of a question answers it
	farewellLimit   = 20 * time.Second        // of closing words
	overtimeLimit   = 7 * time.Second         // of closing words after the maximum duration
	transferPhrase  = "The transfer failed; the caller is still on the line."
	wishDropped     = "The caller interrupted you: the call was not ended or transferred."
	commandTooLate  = "the call is ending"
	commandReplaced = "another command took its place"
	transferPending = "a transfer is under way"
	machineHasCall  = "an answering machine took the call"
)

// rules are the parts of a script that decide turns. They never change.
type rules struct {
	script Script
	fixed  fixedTexts
	ack    phraseSet
	stop   phraseSet
	bye    phraseSet
	// What answering machines say, what only persons do, and what they say at the end.
	machinery phraseSet
	human     phraseSet
	parting   phraseSet
}

func newRules(script Script) *rules {
	return &rules{
		script: script,
		fixed:  fixedTextsIn(script.Language),
		ack:    newPhraseSet(script.StopSpeaking.AcknowledgementPhrases),
		stop:   newPhraseSet(script.StopSpeaking.InterruptionPhrases),
		bye:    newPhraseSet(asHeard(script.EndCallPhrases)),

		machinery: machineSet(),
		human:     personSet(),
		parting:   partingSet(),
	}
}

// phase is how far the call is.
type phase uint8

const (
	talking      phase = iota
	screening          // it is unclear who answered
	atMachine          // waiting for the beep of an answering machine, or speaking to it
	transferring       // waiting for the far end to take the transfer
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

// moment is a duration since the answer at which something is due; zero: never.
type moment = time.Duration

// turnState is all that the reducer knows about a call.
type turnState struct {
	phase phase

	// The caller.
	talks   bool          // makes sound now
	since   time.Duration // when the sound of now or last began
	stopped time.Duration // when the last sound ended
	owed    int           // pauses that the recogniser has not answered yet
	wordAt  time.Duration // when words came last
	turnAt  time.Duration // when the turn that is being collected began; 0: not yet
	heard   string        // its words
	interim string        // and those that may still change
	deafs   int           // failures of the recogniser in a row
	keys    string        // pressed and not entered yet
	keysAt  time.Duration // when the first of them was
	entered bool          // the last thing the caller did was to complete an entry

	// The assistant.
	stage     stage
	held      bool          // stopped until it is clear whether this is an interruption
	locked    bool          // may not be interrupted
	cutAt     time.Duration // when it was last interrupted
	asked     string        // the caller's words that it answers, until it is heard to answer
	askedAt   time.Duration
	tries     int           // failed ones of this reply
	thoughtAt time.Duration // when the reply was asked for
	fails     int           // replies in a row that broke off
	broken    bool          // this one did
	last      string        // what it said last, completely
	says      []Say         // waiting for quiet
	owesTurn  bool          // someone asked for a reply while it was busy
	after     Command       // to do when it has spoken
	reason    Reason        // of closing, or of a transfer that succeeds

	// The silence in which nobody speaks, thinks or is about to.
	idle    bool
	idleAt  time.Duration // when it began, reminders aside; 0: there is none
	reminds bool          // what is being spoken is a reminder
	idles   int           // reminders spoken

	screenState

	dueReply   moment // the caller is done
	dueHold    moment // the caller's sound is long enough to stop for
	dueWords   moment // words are not waited for longer
	dueNoise   moment // a sound without words is nobody's
	dueFiller  moment
	dueKeys    moment // no more keys are waited for
	dueIdle    moment
	dueSilence moment
	dueScreen  moment // enough was heard to tell who answered
	dueLeave   moment // no beep is waited for longer
	dueMax     moment
	dueEnd     moment // closing words are cut off
}

// next is when tick is due: the earliest due moment; false: never.
func (s turnState) next() (time.Duration, bool) {
	var earliest moment
	for _, due := range []moment{
		s.dueReply, s.dueHold, s.dueWords, s.dueNoise, s.dueFiller, s.dueKeys, s.dueScreen, s.dueLeave, s.dueIdle, s.dueSilence, s.dueMax, s.dueEnd,
	} {
		if due != 0 && (earliest == 0 || due < earliest) {
			earliest = due
		}
	}
	return earliest, earliest != 0
}

// step is the reducer.
func (r *rules) step(s turnState, at time.Duration, e event) (turnState, []action) {
	if s.phase == over {
		return s, nil
	}
	s.says = slices.Clone(s.says)
	t := &turn{rules: r, turnState: s, at: max(at, 1)} // moment 0 means never
	t.take(e)
	t.watchSilence()
	return t.turnState, t.actions
}

// turn is one step being taken.
type turn struct {
	*rules
	turnState
	at      time.Duration
	actions []action
}

func (t *turn) do(a ...action) { t.actions = append(t.actions, a...) }

func (t *turn) take(e event) {
	switch e := e.(type) {
	case answered:
		t.open()
	case speechStarted:
		t.callerStarts(e.since)
	case speechEnded:
		t.callerStops(e.end)
	case heard:
		t.callerSays(e.text, e.final)
	case deaf:
		t.recogniserFails()
	case sounded:
		t.replySounds()
	case drained:
		t.replyEnds(e.text)
	case thinkFailed:
		t.replyFails(e.spoken)
	case voiceFailed:
		t.shut(ProviderVoiceFailed, t.fixed.apology, farewellLimit)
	case asked:
		t.command(e.cmd)
	case followUp:
		t.afterSpeech(e.cmd, e.mute)
	case pressed:
		t.callerPresses(e.key)
	case beeped:
		t.beeps()
	case transferred:
		t.transferEnds(e.failed)
	case toolsRan:
		t.settleAsked()
	case draining:
		t.shut(WorkerShutdown, t.farewell(), farewellLimit)
	case gone:
		t.lineGone(e.reason)
	case tick:
		t.due()
	}
}

// due does what has become due.
func (t *turn) due() {
	passed := func(m *moment) bool {
		if *m == 0 || *m > t.at {
			return false
		}
		*m = 0
		return true
	}
	switch {
	case passed(&t.dueEnd):
		t.finish(t.reason)
	case passed(&t.dueMax):
		t.shut(ExceededMaxDuration, t.farewell(), overtimeLimit)
	case passed(&t.dueScreen):
		t.screened()
	case passed(&t.dueLeave):
		t.leaveMessage()
	case passed(&t.dueHold):
		t.suspectInterruption()
	case passed(&t.dueWords):
		t.stopWaitingForWords()
	case passed(&t.dueNoise):
		t.overhear()
	case passed(&t.dueReply):
		t.reply()
	case passed(&t.dueFiller):
		t.fill()
	case passed(&t.dueKeys):
		t.enterKeys()
	case passed(&t.dueSilence):
		t.shut(SilenceTimedOut, cmp.Or(t.script.Idle.SilenceMessage, t.farewell()), farewellLimit)
	case passed(&t.dueIdle):
		t.remind()
	}
}
