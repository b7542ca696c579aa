package turn

// say speaks a fixed text.
func (t *transition) say(text string) {
	t.stage, t.dueReply, t.reminding = thinking, 0, false
	t.do(Speak{Text: text})
	t.armInterruption()
}

// ask has the model reply to these words of the caller, or to nobody.
func (t *transition) ask(words string) {
	t.asked, t.owesReply, t.reminding = words, false, false
	t.stage, t.tries, t.filling = thinking, 0, false
	t.dueReply, t.dueFiller, t.quietFrom = 0, t.at+fillerAfter, t.at
	if words != "" {
		t.quietFrom = max(t.stopped, t.askedAt, t.silentAt, t.pressedAt)
		t.dueFiller = min(t.dueFiller, max(t.quietFrom+quietLimit, t.at+fillerSoon))
	}
	t.requestedAt, t.waitsFrom = t.at, t.at
	t.do(Respond{Words: words, Guessed: t.confirmGuess(words)})
	t.armInterruption()
}

func (t *transition) interruptible() bool {
	return t.phase == talking && t.stage != quiet && !t.locked
}

// armInterruption sets the deadline after which the caller's sound is long enough to stop for.
func (t *transition) armInterruption() {
	if !t.talks || !t.interruptible() || t.paused {
		return
	}
	if t.stage == thinking { // the caller goes on: what was not heard yet is held back until it is clear why
		t.paused, t.dueInterruption = true, 0
		t.do(Pause{})
		return
	}
	if !t.ducked {
		t.ducked = true
		t.do(Duck{})
	}
	if t.plan.StopSpeaking.NumWords == 0 {
		t.dueInterruption = max(t.since+t.plan.StopSpeaking.Voice, t.at)
	}
}

// resume goes on, as loud as before, after an interruption that was none, and reports whether there was one.
func (t *transition) resume() bool {
	if t.ducked {
		t.ducked = false
		t.do(Unduck{})
		return true
	}
	if !t.paused {
		return false
	}
	t.paused = false
	t.do(Resume{})
	return true
}

// cut gives up what the assistant is saying.
func (t *transition) cut(interrupted bool) {
	t.do(Cut{Interrupted: interrupted, Since: t.audibleAt})
	t.fallSilent()
}

// silence leaves the assistant with nothing to say.
func (t *transition) silence() {
	if t.stage != quiet {
		t.cut(false)
		return
	}
	t.fallSilent()
}

// fallSilent notes that the assistant has nothing to say.
func (t *transition) fallSilent() {
	t.stage, t.ducked, t.paused, t.locked, t.tries, t.dueFiller, t.audibleAt = quiet, false, false, false, 0, 0, 0
	t.filling, t.silentAt = false, t.at
}

// recordAsked puts the words that are being answered on record.
func (t *transition) recordAsked() {
	if t.asked != "" {
		t.do(RecordUserTurn{t.asked, t.askedAt})
		t.asked = ""
	}
}

// recordHeard puts words that will get no answer on record.
func (t *transition) recordHeard() {
	if said := join(t.heard, t.interim); said != "" {
		t.do(RecordUserTurn{said, t.turnAt})
	}
	t.takeWords()
}

// takeWords begins a new turn of the caller.
func (t *transition) takeWords() {
	t.taken = join(t.taken, t.interim)
	t.turnAt, t.heard, t.interim, t.entered, t.suspected = 0, "", "", false, false
	t.closeInquiry()
	t.ahead.count = 0
}

// confirm reports a command as carried out. One without an id is nobody's.
func (t *transition) confirm(id string) {
	if id != "" {
		t.do(ConfirmCommand{id})
	}
}

// refuse reports a command as not carried out.
func (t *transition) refuse(id, reason string) {
	if id != "" {
		t.do(RefuseCommand{id, reason})
	}
}
