package voice

import (
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/turn"
)

// attend leaves what the caller hears to a colleague, whose sound others play on the leg.
func (c *call) attend() {
	if c.background != nil {
		c.background.silence()
	}
	c.Leg.Flush()
}

// recordOperator writes what a colleague said into the journal and before the model, which has not said it.
func (c *call) recordOperator(a turn.RecordOperatorTurn) {
	said := Turn{Role: RoleAssistant, Operator: true, Text: a.Text, At: a.At}
	c.outcome.Turns++
	c.remember(said)
	c.Journal.Turn(said)
	c.history = append(c.history, llm.Message{Role: llm.RoleSystem, Content: "A colleague, who has joined the call, said to the caller: " + a.Text})
}
