package voice

import (
	"errors"
	"fmt"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/sentence"
	"github.com/callwright/callwright/voice/turn"
)

// duckGain is how much quieter the assistant is while it is unclear whether the caller interrupts, in decibels.
const duckGain = -12.0

// greetRequest is asked of a model that speaks first and was given nothing to say.
const greetRequest = "Greet the caller."

// dispatch steps the rules with an event and carries out what follows.
func (c *call) dispatch(e turn.Event) {
	c.noteSpeech(e)
	state, actions := c.rules.Step(c.state, c.now(), e)
	c.state = state
	c.endWait()
	if c.Pauses != nil {
		if pause, lasts := c.rules.CallerPause(&c.state); lasts {
			c.Pauses(pause)
		}
	}
	for _, a := range actions {
		c.do(a)
	}
}

func (c *call) noteSpeech(e turn.Event) {
	switch e.(type) {
	case turn.SpeechStarted:
		c.note(Note{Kind: SpeechStarted, Role: RoleUser})
	case turn.SpeechEnded:
		c.note(Note{Kind: SpeechStopped, Role: RoleUser})
	}
}

func (c *call) do(a turn.Action) {
	switch a := a.(type) {
	case turn.Respond:
		if !a.Guessed || !c.confirmGuess() {
			c.respond(a.Words, a.Delay)
		}
	case turn.Guess:
		c.guess(a.Words)
	case turn.DropGuess:
		c.dropGuess()
	case turn.Speak:
		if a.First {
			c.speaker.sayFirst(c.ctx, a.Text)
		} else {
			c.speak(a.Text)
		}
	case turn.SpeakOneOf:
		c.speak(a.Texts[c.pick(len(a.Texts))])
	case turn.AskTurnEnd:
		c.askTurnEnd(a)
	case turn.EndSpeech:
		c.transcriber.ending = true
	case turn.Duck:
		c.speaker.setGain(c.ctx, duckGain)
	case turn.Unduck:
		c.speaker.setGain(c.ctx, 0)
	case turn.Pause:
		c.speaker.pause()
	case turn.Resume:
		c.speaker.resume(c.ctx)
	case turn.Cut:
		c.cut(a)
	case turn.RecordUserTurn:
		c.met = true
		c.record(Turn{Role: RoleUser, Text: a.Text, At: a.At})
	case turn.RecordOperatorTurn:
		c.recordOperator(a)
	case turn.Attend:
		c.attend()
	case turn.Unattend:
		c.unattend()
	case turn.AppendMessage:
		c.history = append(c.history, llm.Message{Role: a.Role, Content: a.Content})
	case turn.StartTransfer:
		c.transfer(a)
	case turn.PressKeys:
		c.Leg.SendDigits(a.Digits)
	case turn.AskWhoAnswered:
		c.askWhoAnswered(a.Words)
	case turn.ReportMachine:
		c.note(Note{Kind: MachineDetected, Role: RoleUser, Text: a.Sign})
	case turn.ReplaceTranscriber:
		c.transcriptionFailed(fmt.Errorf("%s: %w", c.STT.Name(), errTranscriberSilent))
	case turn.ReportDelay:
		c.note(Note{Kind: AssistantDelayed, Role: RoleAssistant})
	case turn.ConfirmCommand:
		c.commandDone(a.ID, nil)
	case turn.RefuseCommand:
		c.commandDone(a.ID, errors.New(a.Reason))
	case turn.HangUp:
		c.end(a.Reason)
	}
}

// respond starts a reply to all that was said and these words of the caller, after a delay.
func (c *call) respond(words string, delay time.Duration) {
	if c.toolsRunning { // what they do now, for a reply that was given up, is to be known first
		c.postponed = true
		return
	}
	c.responder.respond(c.ctx, c.conversation(words), delay, c.state.AtMenu())
}

// conversation returns what was said, with these words of the caller.
func (c *call) conversation(words string) []llm.Message {
	c.history = recent(c.history)
	messages := append(make([]llm.Message, 0, len(c.history)+1), c.history...)
	if words != "" {
		messages = append(messages, llm.Message{Role: llm.RoleUser, Content: words})
	}
	if len(messages) == 0 { // no model answers nothing
		messages = append(messages, llm.Message{Role: llm.RoleSystem, Content: greetRequest})
	}
	return messages
}

func (c *call) speak(text string) {
	for _, spoken := range sentence.Split(text) {
		c.speaker.say(c.ctx, spoken)
	}
}

// cut stops the assistant and records what of its turn was heard.
func (c *call) cut(a turn.Cut) {
	responding := c.responding()
	c.responder.stop()
	c.postponed = false
	text, lost := c.speaker.cut()
	if a.Interrupted {
		c.note(Note{Kind: UserInterrupted, Role: RoleUser})
	}
	c.turnOver(text, a.Since, lost || responding)
}

// turnOver records the assistant's turn, of which text was heard since a time; 0: nothing was.
func (c *call) turnOver(text string, since time.Duration, interrupted bool) {
	timing := c.explained()
	if text != "" {
		c.record(Turn{Role: RoleAssistant, Text: text, At: since, Interrupted: interrupted, Timing: timing})
	}
	if since != 0 {
		c.note(Note{Kind: SpeechStopped, Role: RoleAssistant})
	}
	c.responder.spoke = false
}

// record writes a turn into the journal and before the model.
func (c *call) record(t Turn) {
	c.outcome.Turns++
	c.remember(t)
	c.Journal.Turn(t)
	c.history = append(c.history, llm.Message{Role: t.Role, Content: t.Text})
}

// commandDone notes how a command ended. One without an id was nobody's.
func (c *call) commandDone(id string, err error) {
	switch {
	case id == "":
	case err != nil:
		c.note(Note{Kind: CommandFailed, Command: id, Err: err})
	default:
		c.note(Note{Kind: CommandDone, Command: id})
	}
}

// end sets the outcome. Failures on the way that were overcome are no part of it.
func (c *call) end(reason turn.Reason) {
	c.outcome.Reason, c.outcome.Fault = reason, reason.Fault()
	if fault := c.outcome.Fault; fault != turn.FaultProvider && fault != turn.FaultCarrier {
		c.outcome.Err = nil
	}
}
