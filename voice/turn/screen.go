package turn

import (
	"time"

	"github.com/callwright/callwright/voice/answerer"
)

// Screening tells a person who answers our call from a machine, by package answerer. Nothing is said while it is unclear, unless
// nobody speaks: a person is answered half a second behind the greeting, a machine is listened to until it is silent or beeps.
const (
	personPause     = 500 * time.Millisecond  // behind the greeting of a person
	leaningPause    = 900 * time.Millisecond  // behind one that is rather a person's; but a company's welcome may begin a menu
	screenerPause   = 900 * time.Millisecond  // behind what a call screener asks
	machinePause    = 1500 * time.Millisecond // behind any other; also the longest wait for words
	guessLimit      = 1500 * time.Millisecond // for the model to say who it is
	mostGuesses     = 2                       // that it is asked for
	greetPatience   = 1500 * time.Millisecond // of nobody speaking: then the assistant greets first
	screenLimit     = 10 * time.Second        // after the answer: speech that begins later proves nothing
	longestHello    = 20 * time.Second        // of sound without a pause: a noisy place, if no words say otherwise
	beepPatience    = 2 * time.Second         // of silence: there will be no beep to hang up behind
	beepSilence     = 5 * time.Second         // before a message is left without a beep
	beepLimit       = 30 * time.Second        // after the answer: later beeps mean nothing, unless a machine was found
	goesOnSoon      = 1200 * time.Millisecond // behind a greeting: nobody has heard us by then, so it is still the greeting
	soonBeep        = 2500 * time.Millisecond // behind a greeting
	lateBeep        = 6 * time.Second         // behind the greeting of a person who says nothing else
	machineGreeting = 3 * time.Second         // no machine greets in less
	machineLimit    = 3 * time.Minute         // for a machine to come to its beep
	messageLimit    = 2 * time.Minute         // for our message
	lastObjection   = 3 * time.Second         // for someone who talks when our message ends
)

// open begins the call, with screening where an answering machine may have taken it.
func (t *transition) open() {
	if t.plan.MaxDuration > 0 {
		t.dueMax = t.plan.MaxDuration
	}
	if t.plan.DetectVoicemail {
		t.screen()
		return
	}
	t.begin()
}

// screen begins a call that a machine may have answered.
func (t *transition) screen() {
	t.phase, t.screens = screening, true
	t.dueScreen = t.at + t.plan.Answering.GreetAfter
	if t.plan.FirstMessageMode == AssistantWaitsForUser {
		t.dueScreen = t.at + t.plan.Answering.Until
	}
}

// screenStarts notes the first sound.
func (t *transition) screenStarts() {
	if t.hello == 0 {
		t.hello = max(t.since, 1)
	}
	t.dueScreen = max(t.since, 1) + longestHello
}

// screenStops sets how long words, or more of them, are waited for, and asks the model where the words leave it open.
func (t *transition) screenStops() {
	if t.talks {
		return
	}
	wait := t.plan.Answering.Pause
	verdict := t.judge()
	switch {
	case t.untranscribed > 0:
	case verdict.Kind == answerer.Person && verdict.Sure:
		wait = personPause
	case verdict.Kind == answerer.Screener:
		wait = screenerPause
	case !verdict.Sure && t.guesses < mostGuesses && t.greeting() != "":
		t.guesses++
		t.do(AskWhoAnswered{t.greeting()})
		wait = max(wait, t.at+guessLimit-t.stopped)
	}
	if t.untranscribed == 0 && verdict.Kind == answerer.Person && !verdict.Formal {
		wait = min(wait, leaningPause)
	}
	t.dueScreen = max(t.stopped+wait, t.at)
}

// greeting returns all that was said since the answer.
func (t *transition) greeting() string { return join(t.greeted, join(t.heard, t.interim)) }

// judge weighs what was heard.
func (t *transition) judge() answerer.Verdict {
	length := t.stopped - t.hello
	if t.talks {
		length = t.at - t.hello
	}
	return answerer.Judge(answerer.Evidence{Words: t.greeting(), Length: length})
}

// guessed takes what the model says of who answered. A guess that comes when more is being said is of no use.
func (t *transition) guessed(kind answerer.Kind) {
	if t.phase == screening && !t.talks && kind != answerer.Unknown {
		t.guess = kind
		t.dueScreen = 0
		t.screened()
	}
}

// screened decides when enough was heard, or nothing for long enough.
func (t *transition) screened() {
	if t.phase != screening { // someone transferred it meanwhile
		return
	}
	verdict := t.judge()
	if !verdict.Sure && t.guess != answerer.Unknown {
		verdict = answerer.Verdict{Kind: t.guess, Sign: string(t.guess)}
	}
	switch {
	case t.hello == 0, t.talks && (!verdict.Sure || verdict.Kind == answerer.Person): // it stays unclear
		t.begin()
		t.scheduleReply()
	default:
		t.found(verdict)
	}
}

// found acts on who has answered.
func (t *transition) found(v answerer.Verdict) {
	switch v.Kind {
	case answerer.Machine:
		t.findMachine(v.Sign)
	case answerer.Menu, answerer.Screener:
		t.findListener(v.Kind)
	case answerer.Fax:
		t.findFax()
	default:
		t.who = answerer.Person
		t.greet()
	}
}

// greet begins the conversation with a person who has said hello, which needs no other answer than the first message.
func (t *transition) greet() {
	t.greetTo = t.stopped
	t.greeted = t.greeting()
	if t.speaksFirst() {
		t.recordHeard()
	}
	t.begin()
	t.scheduleReply()
}

// screenWords looks for a machine in what was said, and for a person behind a machine. It reports whether the words are
// dealt with.
func (t *transition) screenWords() bool {
	said := join(t.heard, t.interim)
	switch {
	case !t.screens:
	case t.phase == atMachine && t.objects(said):
		t.takeOver()
	case t.phase == atMachine:
		if v := t.judge(); t.leftAt == 0 && (v.Kind == answerer.Menu || v.Kind == answerer.Screener) {
			t.found(v)
		}
		return true
	case t.phase == screening && t.hello == 0: // words whose sound was not noticed
		t.hello, t.stopped = t.turnAt, t.at
	case t.phase == talking && t.goesOnGreeting():
		v := answerer.Judge(answerer.Evidence{Words: join(t.greeted, said), Length: t.at - t.hello})
		if v.Kind != answerer.Person {
			t.found(v)
			return v.Kind == answerer.Machine
		}
	case t.phase == talking && t.who == answerer.Person && t.greetTo != 0 && t.turnAt > t.greetTo && !t.later(said):
		t.greetTo = 0
	case t.phase == talking && t.who == answerer.Menu:
		t.leaveMenu(said)
	case t.phase == talking && t.who != answerer.Screener && t.turnAt <= t.plan.Answering.Until:
		if v := answerer.Judge(answerer.Evidence{Words: said, Later: true}); v.Kind != answerer.Person {
			t.found(v)
			return v.Kind == answerer.Machine
		}
	}
	return false
}

// goesOnGreeting reports whether what is said now goes on with what we took for a person's greeting: machines pause, too.
func (t *transition) goesOnGreeting() bool {
	return t.who == answerer.Person && t.greetTo != 0 && t.turnAt != 0 && t.turnAt <= t.greetTo+goesOnSoon
}

// later reports whether words behind a greeting tell that no person has answered.
func (t *transition) later(said string) bool {
	return answerer.Judge(answerer.Evidence{Words: said, Later: true}).Kind != answerer.Person
}

// objects reports whether a person speaks to us where we took it for a machine: into our message, or behind the pause that
// gave it away. A machine that has said that it is one may go on.
func (t *transition) objects(said string) bool {
	if said == "" || t.later(said) {
		return false
	}
	if t.leftAt != 0 {
		return t.since >= t.leftAt
	}
	return t.sign == answerer.SignLength && t.since >= t.foundAt
}
