package voice

// open begins the call.
func (t *turn) open() {
	if t.script.MaxDuration > 0 {
		t.dueMax = t.script.MaxDuration
	}
	if t.script.DetectVoicemail {
		t.screen()
		return
	}
	t.begin()
}

// begin begins the conversation as the script says.
func (t *turn) begin() {
	t.phase = talking
	switch {
	case !t.speaksFirst():
		return
	case t.script.FirstMessageMode == AssistantSpeaksFirstGenerated:
		t.ask("")
	default:
		t.say(t.script.FirstMessage)
	}
	t.locked = !t.script.FirstMessageInterruptions
}

func (t *turn) speaksFirst() bool {
	switch t.script.FirstMessageMode {
	case AssistantWaitsForUser:
		return false
	case AssistantSpeaksFirstGenerated:
		return true
	default:
		return t.script.FirstMessage != ""
	}
}

// reply answers the caller, or speaks what others asked for when the caller said nothing.
func (t *turn) reply() {
	said := join(t.heard, t.interim)
	switch {
	case t.talks || t.stage != quiet || t.phase != talking:
	case t.after != nil: // it was ordered, and needs no answer of the model
		t.settleHeard()
		t.goOn()
	case said != "":
		t.answerer = person // or as good as one
		t.askedAt, t.turnAt, t.heard, t.interim, t.entered = t.turnAt, 0, "", "", false
		t.ask(said)
	case len(t.says) > 0:
		t.sayNext()
	case t.owesTurn:
		t.ask("")
	}
}

func (t *turn) ask(words string) {
	t.asked, t.owesTurn, t.reminds = words, false, false
	t.stage, t.tries = thinking, 0
	t.dueReply, t.dueFiller = 0, t.at+fillerAfter
	t.thoughtAt = t.at
	t.do(think{asked: words})
	t.armHold()
}

// fill breaks the silence of a long thought.
func (t *turn) fill() {
	if t.stage == thinking && !t.talks && !t.held {
		t.do(delayed{}, speak{t.fixed.moment})
	}
}

// say speaks a fixed text.
func (t *turn) say(text string) {
	t.stage, t.dueReply, t.reminds = thinking, 0, false
	t.do(speak{text})
	t.armHold()
}

func (t *turn) sayNext() {
	next := t.says[0]
	t.says = t.says[1:]
	t.say(next.Content)
	t.settle(next.ID)
	if next.EndAfter {
		t.follow(lastMessage)
		t.locked = true
	}
}

// lastMessage ends a call in which somebody wanted a message to be the last.
var lastMessage = End{Reason: AssistantEndedCallAfterMessage}

// replySounds settles what the caller said before: it has been answered.
func (t *turn) replySounds() {
	if t.stage != thinking {
		return
	}
	t.stage, t.dueFiller = speaking, 0
	t.settleAsked()
	t.armHold()
}

func (t *turn) settleAsked() {
	if t.asked != "" {
		t.do(remember{Turn{Role: RoleUser, Text: t.asked, At: t.askedAt}})
		t.asked = ""
	}
}

// settleHeard puts words that will get no answer on record.
func (t *turn) settleHeard() {
	if said := join(t.heard, t.interim); said != "" {
		t.do(remember{Turn{Role: RoleUser, Text: said, At: t.turnAt}})
	}
	t.turnAt, t.heard, t.interim, t.entered = 0, "", "", false
}

// replyEnds gives the floor back when all was spoken.
func (t *turn) replyEnds(text string) {
	t.settleAsked()
	t.rest()
	t.last = text
	if !t.broken {
		t.fails = 0
	}
	t.broken = false
	switch {
	case t.phase == closing:
		t.finish(t.reason)
	case t.phase == atMachine:
		t.messageLeft()
	case t.phase != talking:
	case t.bye.within(text):
		t.finish(AssistantSaidEndCallPhrase)
	case t.after != nil:
		t.goOn()
	default:
		t.floorFree()
	}
}

// goOn does what waited for the assistant to finish, behind the words that others wanted to be said.
func (t *turn) goOn() {
	if len(t.says) > 0 && t.after != Command(lastMessage) {
		t.sayNext()
		return
	}
	cmd := t.after
	t.after = nil
	t.command(cmd)
}

// floorFree takes up what waited for the assistant to finish. A word of acknowledgement
// spoken well before the end was not an answer.
func (t *turn) floorFree() {
	if said := join(t.heard, t.interim); t.ack.covers(said) && t.at-t.wordAt > ackWindow {
		t.settleHeard()
	}
	t.scheduleReply()
}

// replyFails tries again where the caller has heard nothing of the reply: at once, then, where that failed soon, too, after
// asking for patience, then it gives up politely. A reply that broke off later counts as said: the caller can ask on.
func (t *turn) replyFails(spoken bool) {
	switch {
	case t.stage == quiet:
	case spoken:
		t.fails++
		t.broken = true
		if t.fails >= repeatPatience {
			t.shut(ProviderLLMFailed, t.fixed.apology, farewellLimit)
		}
	case t.tries == 0:
		t.tries++
		if t.stage == speaking { // it has asked for patience already, and needs more
			t.do(speak{t.fixed.moment})
		}
		t.do(think{asked: t.asked})
	case t.tries == 1 && t.at < t.thoughtAt+failsSoon:
		t.tries++
		t.dueFiller = 0
		t.do(delayed{}, speak{t.fixed.moment}, think{t.asked, retryPause})
	default:
		t.shut(ProviderLLMFailed, t.fixed.apology, farewellLimit)
	}
}
