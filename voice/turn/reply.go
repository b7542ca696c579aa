package turn

import "github.com/callwright/callwright/voice/answerer"

// begin begins the conversation as the plan says.
func (t *transition) begin() {
	t.phase = talking
	switch {
	case !t.speaksFirst():
		return
	case t.plan.FirstMessageMode == AssistantSpeaksFirstGenerated:
		t.ask("")
	default:
		t.say(t.plan.FirstMessage)
	}
	t.locked = !t.plan.FirstMessageInterruptions
}

func (t *transition) speaksFirst() bool {
	switch t.plan.FirstMessageMode {
	case AssistantWaitsForUser:
		return false
	case AssistantSpeaksFirstGenerated:
		return true
	default:
		return t.plan.FirstMessage != ""
	}
}

// reply answers the caller, or speaks what others asked for when the caller said nothing.
func (t *transition) reply() {
	said := join(t.heard, t.interim)
	switch {
	case t.talks || t.stage != quiet || t.phase != talking:
	case t.after != nil: // it was ordered, and needs no answer of the model
		t.recordHeard()
		t.goOn()
	case said != "":
		if t.who == answerer.Unknown {
			t.who = answerer.Person // or as good as one
		}
		t.endTurn()
		t.askedAt = t.turnAt
		if t.goesOnGreeting() {
			t.greeted = join(t.greeted, said)
		}
		if t.before = t.learned; t.interim == "" {
			t.learn(said, "", t.melody)
		}
		t.takeWords()
		t.ask(said)
	case len(t.says) > 0:
		t.sayNext()
	case t.owesReply:
		t.ask("")
	}
}
