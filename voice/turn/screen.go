package turn

import "time"

// Screening tells a person who answers our call from an answering machine. A person says a few words and waits; a machine
// talks long, says what machines say, or beeps. Nothing is said while it is unclear, unless nobody speaks.
const (
	greetingLength = 2500 * time.Millisecond // persons greet in less
	personPause    = 500 * time.Millisecond  // behind a short greeting
	machinePause   = 1500 * time.Millisecond // behind a long one; also the longest wait for its words
	greetPatience  = 1500 * time.Millisecond // of nobody speaking: then the assistant greets first
	screenLimit    = 10 * time.Second        // after the answer: speech that begins later proves nothing
	longestHello   = 20 * time.Second        // of sound without a pause: a noisy place, not a greeting
	beepPatience   = 2 * time.Second         // of silence: there will be no beep
	beepLimit      = 30 * time.Second        // after the answer: later beeps mean nothing, unless a machine was found
	machineLimit   = time.Minute             // for a machine to come to its beep
	messageLimit   = 2 * time.Minute         // for our message
	lastObjection  = 3 * time.Second         // for someone who talks when our message ends
)

// The signs by which a machine was found, as noted.
const (
	signLength = "long greeting"
	signPhrase = "phrase"
	signBeep   = "beep"
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
	t.dueScreen = t.at + greetPatience
	if t.plan.FirstMessageMode == AssistantWaitsForUser {
		t.dueScreen = t.at + screenLimit
	}
}

// screenStarts notes the first sound.
func (t *transition) screenStarts() {
	if t.hello == 0 {
		t.hello = max(t.since, 1)
	}
	t.dueScreen = t.hello + longestHello
}

// screenStops sets how long words, or more of them, are waited for.
func (t *transition) screenStops() {
	switch long := t.stopped-t.hello > greetingLength; {
	case t.talks:
	case long && !t.human.within(join(t.heard, t.interim)):
		t.dueScreen = max(t.stopped+machinePause, t.at)
	case t.untranscribed > 0:
		t.dueScreen = max(t.stopped+machinePause, t.at)
	default:
		t.dueScreen = max(t.stopped+personPause, t.at)
	}
}

// screened decides when enough was heard, or nothing for long enough.
func (t *transition) screened() {
	switch {
	case t.phase != screening: // someone transferred it meanwhile
	case t.hello == 0, t.talks: // it stays unclear
		t.begin()
		t.scheduleReply()
	case t.stopped-t.hello > greetingLength && !t.human.within(join(t.heard, t.interim)):
		t.findMachine(signLength)
	default:
		t.answerer = person
		t.greet()
	}
}

// greet begins the conversation with a person who has said hello, which needs no other answer than the first message.
func (t *transition) greet() {
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
		return false
	case t.phase == atMachine && t.objects(said):
		t.takeOver()
	case t.phase == atMachine:
		return true
	case t.phase != talking && t.phase != screening:
	case t.turnAt <= screenLimit && t.machinery.within(said) && !t.human.within(said):
		t.findMachine(signPhrase)
		return true
	case t.phase == screening && t.hello == 0: // words whose sound was not noticed
		t.hello, t.stopped = t.turnAt, t.at
	}
	return false
}

// objects reports whether a person speaks to us where we took it for a machine: into our message, or behind the pause that
// gave it away. A machine that has said that it is one may go on.
func (t *transition) objects(said string) bool {
	switch {
	case said == "" || t.machinery.within(said):
		return false
	case t.leftAt != 0:
		return t.since >= t.leftAt
	default:
		return t.sign == signLength && t.since >= t.foundAt
	}
}

// findMachine stops everything until the machine is ready.
func (t *transition) findMachine(sign string) {
	t.recordAsked()
	t.silence()
	t.dropToolCommand()
	t.phase, t.answerer, t.sign, t.foundAt = atMachine, machine, sign, t.at
	t.dueReply, t.dueInterruption, t.dueScreen = 0, 0, 0
	t.reason, t.dueEnd = Voicemail, t.at+machineLimit
	t.do(ReportMachine{sign})
	t.recordGreeting()
	t.awaitBeep()
}

// recordGreeting puts what the machine said on record once that is complete, so that it is not taken for the beginning of
// what a person says next.
func (t *transition) recordGreeting() {
	if t.interim == "" && t.untranscribed == 0 {
		t.recordHeard()
	}
}

// awaitBeep sets the deadline after which no beep is expected any more.
func (t *transition) awaitBeep() {
	t.dueLeave = 0
	if t.phase == atMachine && t.stage == quiet && !t.talks {
		t.dueLeave = max(t.stopped+beepPatience, t.at)
	}
}

// beeps notes that a machine begins to record. A message that was begun too early is spoken again.
func (t *transition) beeps() {
	switch {
	case t.phase == atMachine && !t.left && !t.beeped:
		if t.stage != quiet {
			t.cut(false)
		}
	case t.screens && t.answerer == unknown && t.at <= beepLimit && (t.phase == screening || t.phase == talking):
		t.findMachine(signBeep)
	default:
		return
	}
	t.beeped = true
	t.leaveMessage()
}

// leaveMessage speaks to the machine, if there is anything to say that was not said.
func (t *transition) leaveMessage() {
	t.dueLeave = 0
	t.recordHeard()
	if t.left || t.plan.VoicemailMessage == "" {
		t.finish(Voicemail)
		return
	}
	t.leftAt, t.dueEnd = t.at, t.at+messageLimit
	t.say(t.plan.VoicemailMessage)
}

// messageLeft hangs up, but not on somebody who is speaking.
func (t *transition) messageLeft() {
	t.left = true
	if t.talks || t.untranscribed > 0 {
		t.dueLeave = t.at + lastObjection
		return
	}
	t.finish(Voicemail)
}

// takeOver gives the floor to a person who was taken for a machine.
func (t *transition) takeOver() {
	t.phase, t.answerer, t.reason = talking, person, ""
	t.dueLeave, t.dueEnd = 0, 0
	if t.stage != quiet {
		t.interrupt()
	}
}
