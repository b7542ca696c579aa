package voice

import (
	"time"

	"github.com/callwright/callwright/voice/turn"
)

// Timing explains how a turn of the assistant came to answer the caller. Times are durations since the answer of the call.
type Timing struct {
	turn.EndOfTurn
	FirstToken time.Duration // of the model; 0: none came
	FirstSound time.Duration
	Guesses    []Guess // since the Timing before
}

// Guess is a reply that was begun before it was certain that the caller had finished.
type Guess struct {
	At    time.Duration
	Words string // of the caller, that it was to answer
	Used  bool   // it is the reply that was heard
	Tokens
}

// Tokens are what a guess cost that was thrown away.
type Tokens struct {
	PromptTokens     int
	CompletionTokens int
	Estimated        bool // the model did not tell
}

// heardFirst begins to explain a turn of which the first sound is heard, if it answers the caller.
func (c *call) heardFirst() {
	if end, answers := c.state.EndOfTurn(); answers {
		c.timing = &Timing{EndOfTurn: end, FirstSound: c.now()}
	}
}

// explained returns the explanation of the turn that is over; nil: it answered nobody.
func (c *call) explained() *Timing {
	timing := c.timing
	if timing == nil {
		return nil
	}
	c.timing = nil
	if token := c.responder.firstToken; !token.IsZero() {
		timing.FirstToken = token.Sub(c.begun)
	}
	timing.Guesses = c.outcome.Guesses[c.guessesTold:]
	c.guessesTold = len(c.outcome.Guesses)
	c.outcome.Timings = append(c.outcome.Timings, *timing)
	return timing
}
