package voice

import (
	"sync"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/turn"
)

// OperatorLeg is the leg of a session as a colleague uses it who barges in: the session knows what is played there, which may
// come back as the caller's echo. Its methods may be called from any goroutine.
type OperatorLeg struct {
	Leg
	mu     sync.Mutex
	played playback
}

// NewOperatorLeg returns the leg of a session for colleagues who barge in.
func NewOperatorLeg(leg Leg) *OperatorLeg {
	return &OperatorLeg{Leg: leg, played: playback{leg: leg, band: leg.Band()}}
}

// Play implements Leg.
func (o *OperatorLeg) Play(pcm []int16) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.played.hand(pcm)
}

// Flush implements Leg.
func (o *OperatorLeg) Flush() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.played.takeBack()
}

func (o *OperatorLeg) readReference(frame []int16) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.played.readReference(frame)
}

// attend leaves what the caller hears to a colleague, whose sound others play on the leg.
func (c *call) attend() {
	if c.background != nil {
		c.background.silence()
	}
	c.Leg.Flush()
}

// unattend takes the caller back.
func (c *call) unattend() {
	if c.Operator != nil {
		c.Operator.Flush()
		return
	}
	c.Leg.Flush()
}

// recordOperator writes what a colleague said into the journal and before the model, which has not said it.
func (c *call) recordOperator(a turn.RecordOperatorTurn) {
	said := Turn{Role: RoleAssistant, Operator: true, Text: a.Text, At: a.At}
	c.outcome.Turns++
	c.remember(said)
	c.Journal.Turn(said)
	c.history = append(c.history, llm.Message{Role: llm.RoleSystem,
		Content: "A colleague, who has joined the call, said to the caller: " + a.Text})
}
