package turn

import "github.com/callwright/callwright/voice/answerer"

// What the model reads when no person has answered.
const (
	menuNote = "The call was answered by the menu of a machine, not by a person. When it has named its choices, press the key that " +
		"serves the purpose of this call with the tool for keys, and say nothing. Speak only where it asks for spoken words. " +
		"End the call if no choice fits and no person can be reached."
	screenerNote = "The call was answered by a call screening service, which asks who is calling and why before a person decides. Say in one " +
		"short sentence who you are and why you are calling, and nothing else. Then wait; when a person comes on the line, greet them."
	personNote = "A person is on the line now."
)

// findMachine stops everything until the machine is ready.
func (t *transition) findMachine(sign string) {
	t.stopForMachine(sign)
	t.phase, t.who = atMachine, answerer.Machine
	t.reason, t.dueEnd = Voicemail, t.at+machineLimit
	t.recordGreeting()
	t.awaitBeep()
}

// stopForMachine ends what was begun for a person, and notes who has answered instead.
func (t *transition) stopForMachine(sign string) {
	t.recordAsked()
	t.silence()
	t.dropToolCommand()
	t.sign, t.foundAt = sign, t.at
	t.dueReply, t.dueInterruption, t.dueScreen, t.dueLeave, t.dueEnd = 0, 0, 0, 0, 0
	t.do(ReportMachine{sign})
}

// findListener lets the model talk to a machine that listens: a menu or a call screener.
func (t *transition) findListener(kind answerer.Kind) {
	t.stopForMachine(string(kind))
	t.phase, t.who, t.reason = talking, kind, ""
	note := screenerNote
	if kind == answerer.Menu {
		note = menuNote
		if t.plan.Answering.LeaveMenus {
			t.finish(Voicemail)
			return
		}
	}
	t.do(AppendMessage{roleSystem, note})
	t.scheduleReply()
}

// leaveMenu notes that somebody has taken the call behind a menu.
func (t *transition) leaveMenu(said string) {
	v := answerer.Judge(answerer.Evidence{Words: said, Length: t.at - t.turnAt})
	if v.Kind == answerer.Person && v.Sure && t.turnAt > t.foundAt && answerer.Greets(said) {
		t.who = answerer.Person
		t.do(AppendMessage{roleSystem, personNote})
	}
}

// findFax hangs up on a fax.
func (t *transition) findFax() {
	if t.screens && (t.phase == screening || t.phase == talking) && t.who == answerer.Unknown {
		t.stopForMachine(string(answerer.Fax))
		t.who = answerer.Fax
		t.finish(Voicemail)
	}
}

// recordGreeting puts what the machine said on record once that is complete, so that it is not taken for the beginning of
// what a person says next.
func (t *transition) recordGreeting() {
	if t.interim == "" && t.untranscribed == 0 {
		t.greeted = t.greeting()
		t.recordHeard()
	}
}

// awaitBeep sets the deadline after which no beep is expected any more. A message waits for it until the plan's limit, and
// until the machine was silent for long: what is said before the beep is not recorded.
func (t *transition) awaitBeep() {
	t.dueLeave = 0
	if t.phase != atMachine || t.stage != quiet || t.talks {
		return
	}
	t.dueLeave = max(t.stopped+beepPatience, t.at)
	if t.plan.VoicemailMessage != "" && !t.left {
		t.dueLeave = max(t.stopped+beepSilence, t.plan.Answering.BeepWait, t.at)
	}
}

// beeps notes that a machine begins to record. A message that was begun too early is spoken again.
func (t *transition) beeps() {
	switch {
	case t.phase == atMachine && !t.left && !t.beeped:
		if t.stage != quiet {
			t.cut(false)
		}
	case t.phase == talking && t.beepsBehindGreeting():
		t.findMachine(answerer.SignBeep)
	case t.screens && t.who == answerer.Unknown && t.at <= beepLimit && (t.phase == screening || t.phase == talking):
		v := answerer.Judge(answerer.Evidence{Words: t.greeting(), Beep: true})
		switch {
		case v.Kind == answerer.Machine:
		case v.Kind == answerer.Person && t.greetingMayBeOver():
			v.Sign = answerer.SignBeep
		default:
			return
		}
		t.findMachine(v.Sign)
	default:
		return
	}
	t.beeped = true
	t.leaveMessage()
}

// greetingMayBeOver reports whether somebody has greeted, and says nothing now.
func (t *transition) greetingMayBeOver() bool {
	return t.phase == screening && t.stopped != 0 && t.greeting() != "" && (!t.talks || t.interim == "")
}

// beepsBehindGreeting reports whether a beep belongs to the greeting of somebody who has said nothing else. At once behind it
// there is no doubt, however short it was.
func (t *transition) beepsBehindGreeting() bool {
	if t.greetTo == 0 {
		return false
	}
	return t.at <= t.greetTo+soonBeep || t.at <= t.greetTo+lateBeep && t.greetTo-t.hello > machineGreeting
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
	t.phase, t.who, t.reason = talking, answerer.Person, ""
	t.dueLeave, t.dueEnd = 0, 0
	if t.stage != quiet {
		t.interrupt()
	}
}
