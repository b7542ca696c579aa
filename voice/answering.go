package voice

import (
	"context"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/answerer"
	"github.com/callwright/callwright/voice/turn"
)

const (
	guessLimit  = 1500 * time.Millisecond // for the model to say who has answered
	guessLength = 200                     // bytes of its answer that are read
)

// guessPrompt asks for one word.
const guessPrompt = "We placed a telephone call. Below is what was said when it was answered, as a recogniser wrote it down. Who or what answered? " +
	"Reply with one word: person (also a receptionist who introduces a company), machine (an answering machine or a recorded " +
	"announcement), menu (it offers choices by keys or by voice) or screener (a service that asks who is calling and why)."

// answererNamed is what the model says of who has answered.
type answererNamed struct{ kind answerer.Kind }

func (answererNamed) isEvent() {}

// askWhoAnswered asks the model, which may be too slow: then the rules decide.
func (c *call) askWhoAnswered(words string) {
	still := 0.0
	request := llm.Request{
		Model: c.Script.Model.Name, Temperature: &still, MaxTokens: 8, FirstToken: guessLimit, Aside: true,
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: guessPrompt}, {Role: llm.RoleUser, Content: words}},
	}
	c.running.Go(func() {
		late := tooLate(c.LLM.Name(), "no word of who has answered", guessLimit)
		ctx, cancel := context.WithTimeoutCause(c.ctx, guessLimit, late)
		defer cancel()
		var answer strings.Builder
		for delta, err := range c.LLM.Stream(ctx, request) {
			answer.WriteString(delta.Text)
			if err != nil || answer.Len() > guessLength {
				break
			}
		}
		if kind := answerer.Named(answer.String()); kind != answerer.Unknown {
			c.send(answererNamed{kind})
		}
	})
}

// listenForTones hears what no person sounds like, while that means anything.
func (c *call) listenForTones(frame []int16) {
	if !c.state.WantsBeep() {
		return
	}
	if c.beep.Detect(frame) {
		c.dispatch(turn.BeepHeard{})
	}
	if c.faxTone.Detect(frame) {
		c.dispatch(turn.FaxHeard{})
	}
}
