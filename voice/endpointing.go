package voice

import (
	"context"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/turn"
)

// Endpointer says, each time the caller pauses, for how long the caller may go on before the turn counts as over.
type Endpointer interface {
	// Wait judges a conversation, of which the caller's words so far are the last turn. It honours ctx.
	Wait(ctx context.Context, said []Turn) (time.Duration, error)
}

// mostJudged is how many turns an Endpointer is given: of the last minutes of a conversation.
const mostJudged = 50

// turnJudged is what an Endpointer says.
type turnJudged struct {
	id   int
	wait time.Duration
	err  error
}

func (turnJudged) isEvent() {}

// askTurnEnd asks the Endpointer. The conversation goes on meanwhile.
func (c *call) askTurnEnd(a turn.AskTurnEnd) {
	said := append(slices.Clone(c.said), Turn{Role: RoleUser, Text: a.Words, At: a.At})
	c.running.Go(func() {
		wait, err := c.Endpointer.Wait(c.ctx, said)
		c.send(turnJudged{a.ID, wait, err})
	})
}

// judged handles the answer. Of failures in a row the first one is logged.
func (c *call) judged(e turnJudged) {
	if e.err != nil && !c.unjudged {
		c.log.WarnContext(c.ctx, "the end of a turn was not judged by the server", "error", e.err)
	}
	c.unjudged = e.err != nil
	c.dispatch(turn.TurnEndJudged{ID: e.id, Wait: e.wait, Failed: e.err != nil})
}

// remember keeps the last turns for the Endpointer.
func (c *call) remember(t Turn) {
	if c.Endpointer == nil {
		return
	}
	if c.said = append(c.said, t); len(c.said) >= mostJudged {
		c.said = slices.Delete(c.said, 0, 1)
	}
}
