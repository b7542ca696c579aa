package voice

import (
	"context"
	"errors"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/sentence"
)

// transferLimit is how long the far end may take to accept a transfer.
const transferLimit = 30 * time.Second

// greetRequest is asked of a model that speaks first and was told nothing.
const greetRequest = "Greet the caller."

// feed tells the reducer what happened and does what it says.
func (c *call) feed(e event) {
	c.noteSpeech(e)
	state, actions := c.rules.step(c.state, c.now(), e)
	c.state = state
	for _, a := range actions {
		c.act(a)
	}
}

func (c *call) noteSpeech(e event) {
	switch e.(type) {
	case speechStarted:
		c.note(Note{Kind: SpeechStarted, Role: RoleUser})
	case speechEnded:
		c.note(Note{Kind: SpeechStopped, Role: RoleUser})
	}
}

func (c *call) act(a action) {
	switch a := a.(type) {
	case think:
		c.think(a.asked, a.pause)
	case speak:
		c.busy = true
		for _, spoken := range sentence.Split(a.text) {
			c.mouth.say(c.ctx, spoken)
		}
	case speakOne:
		c.act(speak{a.texts[c.pick(len(a.texts))]})
	case hold:
		c.mouth.hold()
	case resume:
		c.mouth.resume(c.ctx)
	case cut:
		c.cut(a.interrupted)
	case remember:
		c.record(a.turn)
	case inform:
		c.history = append(c.history, llm.Message{Role: a.role, Content: a.text})
	case transfer:
		c.transfer(a.id, a.target)
	case press:
		c.Leg.SendDigits(a.digits)
	case detected:
		c.note(Note{Kind: MachineDetected, Role: RoleUser, Text: a.sign})
	case delayed:
		c.note(Note{Kind: AssistantDelayed, Role: RoleAssistant})
	case settled:
		c.commandDone(a.id, nil)
	case refused:
		c.commandDone(a.id, errors.New(a.reason))
	case hangUp:
		c.outcome.Reason, c.outcome.Fault = a.reason, a.reason.Fault()
		if fault := c.outcome.Fault; fault != FaultProvider && fault != FaultCarrier {
			c.outcome.Err = nil // failures on the way were overcome
		}
	}
}

// think starts a reply to all that was said and these words of the caller, after a pause.
func (c *call) think(words string, pause time.Duration) {
	c.busy = true
	if c.working { // what tools do now, for a reply that was given up, is to be known first
		c.postponed = &words
		return
	}
	c.history = recent(c.history)
	messages := append(make([]llm.Message, 0, len(c.history)+1), c.history...)
	if words != "" {
		messages = append(messages, llm.Message{Role: llm.RoleUser, Content: words})
	}
	if len(messages) == 0 { // no model answers nothing
		messages = append(messages, llm.Message{Role: llm.RoleSystem, Content: greetRequest})
	}
	c.mind.think(c.ctx, messages, pause)
}

// thinks reports whether a reply is being made.
func (c *call) thinks() bool { return c.mind.thinks() || c.postponed != nil }

// thoughtOf takes what the reply in the making has come to.
func (c *call) thoughtOf(t thought) {
	current := t.id == c.mind.id
	switch {
	case t.working:
		c.working = true
	case t.messages != nil:
		c.toolsRan(t, current)
	case !current:
	case t.err != nil:
		c.mind.done()
		c.failed("llm", t.err)
		c.feed(thinkFailed{spoken: c.replied})
	case t.last:
		c.mind.done()
	default:
		c.replied = c.replied || !t.aside
		c.mouth.say(c.ctx, t.sentence)
	}
}

// toolsRan keeps what tools did: it has happened, even if the reply was interrupted. Then their wishes are void.
func (c *call) toolsRan(t thought, current bool) {
	c.working = false
	if current {
		c.feed(toolsRan{})
	}
	c.history = append(c.history, t.messages...)
	for _, ran := range t.ran {
		c.Ledger.Note(Note{
			Kind: ToolCalled, At: ran.began.Sub(c.begun), Role: RoleAssistant, Tool: &ToolUse{ran.call, ran.result.Content, ran.took}, Err: ran.result.Err,
		})
		if ran.result.Then != nil && current {
			c.feed(followUp{ran.result.Then, !c.replied})
		}
	}
	if words := c.postponed; words != nil {
		c.postponed = nil
		c.think(*words, 0)
	}
}

func (c *call) soundMade(s sound) {
	err, final := c.mouth.take(c.ctx, s)
	if err != nil {
		c.failed("voice", err)
	}
	if final {
		c.feed(voiceFailed{})
	}
}

// sentenceBegun follows the first sound of a sentence; the first of a turn is the moment
// that the caller has waited for.
func (c *call) sentenceBegun() {
	if c.soundAt != 0 {
		return
	}
	c.soundAt = max(c.now(), 1)
	if c.state.asked != "" {
		c.outcome.Latencies = append(c.outcome.Latencies, c.soundAt-max(c.state.stopped, c.state.askedAt))
	}
	c.note(Note{Kind: SpeechStarted, Role: RoleAssistant})
	c.feed(sounded{})
}

// allSpoken records the assistant's turn, once it was made and played completely.
func (c *call) allSpoken() {
	text := c.mouth.finish()
	c.turnOver(text, false)
	c.feed(drained{text})
}

// cut stops the assistant and records what of its turn was heard.
func (c *call) cut(interrupted bool) {
	thinking := c.thinks()
	c.mind.stop()
	c.postponed = nil
	text, lost := c.mouth.cut()
	if interrupted {
		c.note(Note{Kind: UserInterrupted, Role: RoleUser})
	}
	c.turnOver(text, lost || thinking)
}

func (c *call) turnOver(text string, interrupted bool) {
	if text != "" {
		c.record(Turn{Role: RoleAssistant, Text: text, At: c.soundAt, Interrupted: interrupted})
	}
	if c.soundAt != 0 {
		c.note(Note{Kind: SpeechStopped, Role: RoleAssistant})
	}
	c.busy, c.replied, c.soundAt = false, false, 0
}

// record writes a turn into the ledger and before the model.
func (c *call) record(t Turn) {
	c.outcome.Turns++
	c.Ledger.Turn(t)
	c.history = append(c.history, llm.Message{Role: t.Role, Content: t.Text})
}

func (c *call) transfer(id, target string) {
	c.note(Note{Kind: TransferStarted, Text: target, Command: id})
	c.running.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, transferLimit)
		defer cancel()
		c.tell(transferEnd{id, target, c.Leg.Transfer(ctx, target)})
	})
}

func (c *call) transferEnded(end transferEnd) {
	c.note(Note{Kind: TransferFinished, Text: end.target, Command: end.id, Err: end.err})
	c.commandDone(end.id, end.err)
	c.feed(transferred{failed: end.err != nil})
}

// commandDone tells how a command ended. One without an id was nobody's.
func (c *call) commandDone(id string, err error) {
	switch {
	case id == "":
	case err != nil:
		c.note(Note{Kind: CommandFailed, Command: id, Err: err})
	default:
		c.note(Note{Kind: CommandDone, Command: id})
	}
}
