package voice

import (
	"sync/atomic"

	"github.com/callwright/callwright/providers/llm"
)

// guessing is a reply that is being made, or was, before it is certain that the caller has finished. It is the responder's, and
// its first sentence the speaker's, which holds it back.
type guessing struct {
	Guess
	begun bool // it has words
}

// guess begins a reply to words of the caller who may go on. What cannot be known yet is left to the reply that is asked for when
// the turn is over.
func (c *call) guess(words string) {
	if c.toolsRunning || c.speaker.disconnected {
		return
	}
	c.guessing = &guessing{Guess: Guess{At: c.now(), Words: words}}
	c.speaker.held = true
	c.responder.respondAhead(c.ctx, c.conversation(words))
}

// confirmGuess lets a guess be heard, and reports whether there was one.
func (c *call) confirmGuess() bool {
	g := c.guessing
	if g == nil {
		return false
	}
	c.guessing = nil
	g.Used = true
	c.outcome.Guesses = append(c.outcome.Guesses, g.Guess)
	close(c.responder.wanted)
	c.speaker.release(c.ctx)
	if g.begun {
		c.replyGoesOn(false)
	}
	return true
}

// dropGuess gives a guess up, if there is one. Nobody has heard of it, and it has done nothing.
func (c *call) dropGuess() {
	g := c.guessing
	if g == nil {
		return
	}
	c.guessing = nil
	c.responder.stop()
	c.speaker.cut()
	c.speaker.held = false
	g.Tokens = c.responder.cost.tokens()
	c.outcome.Guesses = append(c.outcome.Guesses, g.Guess)
}

// cost counts what a reply costs. The goroutine that makes the reply adds to it while the one that owns the call may read it.
type cost struct {
	asked, told        atomic.Int64 // requests, and those of which the model told the tokens
	prompt, completion atomic.Int64 // tokens that it told
	sent, received     atomic.Int64 // bytes
}

func (c *cost) ask(request llm.Request) {
	c.asked.Add(1)
	size := 0
	for _, message := range request.Messages {
		size += weight(message)
	}
	for _, tool := range request.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	c.sent.Add(int64(size))
}

func (c *cost) add(delta llm.Delta) {
	size := len(delta.Text)
	for _, call := range delta.ToolCalls {
		size += len(call.Name) + len(call.Arguments)
	}
	c.received.Add(int64(size))
	if delta.Usage != (llm.Usage{}) {
		c.prompt.Add(int64(delta.Usage.Prompt))
		c.completion.Add(int64(delta.Usage.Completion))
		c.told.Add(1)
	}
}

// bytesPerToken is what models make of European languages, roughly.
const bytesPerToken = 4

// tokens returns what was used so far, by the text where the model has not told: it does so at the end of a reply.
func (c *cost) tokens() Tokens {
	if c.told.Load() == c.asked.Load() {
		return Tokens{PromptTokens: int(c.prompt.Load()), CompletionTokens: int(c.completion.Load())}
	}
	estimate := func(bytes int64) int { return int((bytes + bytesPerToken - 1) / bytesPerToken) }
	return Tokens{PromptTokens: estimate(c.sent.Load()), CompletionTokens: estimate(c.received.Load()), Estimated: true}
}
