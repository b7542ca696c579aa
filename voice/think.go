package voice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/sentence"
)

const (
	firstWord  = 4 * time.Second  // from one provider: then the next one is asked
	thinkLimit = 10 * time.Second // without a word from any
	toolLimit  = 30 * time.Second // for one tool
	toolRounds = 5                // of calls before the model must answer without tools

	toolPatience = 6 * time.Second // of silence behind words, while a tool works
)

var errEmptyReply = errors.New("the model answered nothing")

// thought is something that a reply in the making has come to. Those with an id that is
// not the mind's are of a reply that was given up.
type thought struct {
	id       int
	sentence string
	aside    bool      // the sentence is no part of the reply: it asks for patience
	working  bool      // tools begin to run; messages will tell of them
	ran      []ranTool // tools that ran, to be noted
	messages []llm.Message
	last     bool
	err      error
}

// ranTool is a call with its result.
type ranTool struct {
	call   llm.ToolCall
	result ToolResult
	began  time.Time
	took   time.Duration
}

// mind makes replies, one at a time: text in, sentences out while the model still talks.
// Its methods belong to the goroutine that owns the call.
type mind struct {
	provider llm.Provider
	tools    Tools
	model    Model
	moment   string // spoken while a tool takes long
	out      chan<- happening
	left     <-chan struct{} // closed when nobody reads out any more
	running  *sync.WaitGroup

	id     int
	cancel context.CancelFunc // of the reply being made; nil: none
}

// think begins a reply, after a pause. Its thoughts arrive on out, the last one with last or err.
func (m *mind) think(ctx context.Context, messages []llm.Message, pause time.Duration) {
	m.stop()
	r := &reply{call: ctx, messages: messages, pause: pause}
	r.ctx, m.cancel = context.WithCancel(ctx)
	r.mind = *m
	m.running.Go(r.run)
}

// stop gives the reply up. Nothing of it counts any more.
func (m *mind) stop() {
	if m.cancel != nil {
		m.cancel()
		m.cancel = nil
	}
	m.id++
}

// thinks reports whether a reply is being made.
func (m *mind) thinks() bool { return m.cancel != nil }

// done releases what the finished reply held.
func (m *mind) done() {
	if m.cancel != nil {
		m.cancel()
		m.cancel = nil
	}
}

// reply is one being made, in its own goroutine, on a copy of the mind.
type reply struct {
	mind     mind
	call     context.Context // ends with the call
	ctx      context.Context // ends when the reply is given up, too
	messages []llm.Message
	pause    time.Duration
	said     bool
}

func (r *reply) run() {
	if !sleep(r.ctx, r.pause) {
		return
	}
	for round := range toolRounds + 1 {
		calls, text, err := r.ask(round < toolRounds)
		if err != nil {
			r.send(thought{err: fmt.Errorf("ask the language model: %w", err)})
			return
		}
		if len(calls) == 0 {
			break
		}
		if r.runTools(calls, text) {
			r.said = true // it needs no words
			break
		}
	}
	if !r.said {
		r.send(thought{err: fmt.Errorf("ask the language model: %w", errEmptyReply)})
		return
	}
	r.send(thought{last: true})
}

// ask streams one answer of the model and sends its sentences. It fails when the model
// is silent for thinkLimit.
func (r *reply) ask(withTools bool) (calls []llm.ToolCall, text string, err error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	tooLong := fmt.Errorf("no word for %s: %w", thinkLimit, context.DeadlineExceeded)
	watchdog := time.AfterFunc(thinkLimit, func() { cancel(tooLong) })
	defer watchdog.Stop()

	var split sentence.Splitter
	for delta, err := range r.mind.provider.Stream(ctx, r.request(withTools)) {
		if err != nil {
			return nil, "", causeOf(ctx, err)
		}
		watchdog.Reset(thinkLimit)
		text += delta.Text
		r.say(split.Push(delta.Text)...)
		calls = append(calls, delta.ToolCalls...)
	}
	if ctx.Err() != nil { // a provider that ends quietly when it is cancelled
		return nil, "", context.Cause(ctx)
	}
	if rest := split.Rest(); rest != "" {
		r.say(rest)
	}
	return calls, text, nil
}

// causeOf prefers the reason for which we cancelled over the error that this caused.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (r *reply) request(withTools bool) llm.Request {
	req := llm.Request{
		Model: r.mind.model.Name, Messages: r.messages,
		Temperature: r.mind.model.Temperature, MaxTokens: r.mind.model.MaxTokens, FirstToken: firstWord,
	}
	if withTools && r.mind.tools != nil {
		req.Tools = r.mind.tools.List()
	}
	return req
}

func (r *reply) say(sentences ...string) {
	for _, spoken := range sentences {
		r.said = true
		r.send(thought{sentence: spoken})
	}
}

// runTools runs the tools of one round and reports whether the reply ends with them. What they did has happened: it is
// told even when the reply was given up meanwhile.
func (r *reply) runTools(calls []llm.ToolCall, text string) (ends bool) {
	if !r.send(thought{working: true}) {
		return false
	}
	round := thought{id: r.mind.id, messages: []llm.Message{{Role: llm.RoleAssistant, Content: text, ToolCalls: calls}}}
	silent := 0 // tools whose results the model is to put into words
	for _, call := range calls {
		if r.ctx.Err() != nil {
			round.messages = append(round.messages, llm.Message{Role: llm.RoleTool, Content: toolNotRun, ToolCallID: call.ID})
			continue
		}
		ran := r.runTool(call)
		round.ran = append(round.ran, ran)
		round.messages = append(round.messages, llm.Message{Role: llm.RoleTool, Content: ran.result.Content, ToolCallID: call.ID})
		switch ran.result.Then.(type) {
		case End, Transfer:
			ends = true
		}
		if r.say(sentence.Split(ran.result.Say)...); ran.result.Say == "" {
			silent++
		}
	}
	r.messages = append(slices.Clip(r.messages), round.messages...)
	select {
	case r.mind.out <- round:
	case <-r.mind.left:
	}
	return ends || silent == 0
}

// toolNotRun is what the model reads of tools that it wanted and that an interruption came before.
const toolNotRun = "Not done: the caller interrupted."

func (r *reply) runTool(call llm.ToolCall) ranTool {
	ran := ranTool{call: call, began: time.Now()}
	if r.mind.tools == nil {
		ran.result = ToolResult{Content: "There are no tools.", Err: fmt.Errorf("call %s: no tools", call.Name)}
		return ran
	}
	ctx, cancel := context.WithTimeout(r.call, toolLimit)
	defer cancel()
	spoke, stop := r.reassure()
	defer stop()
	ran.result = r.mind.tools.Call(ctx, call, func(words string) {
		spoke()
		for _, spoken := range sentence.Split(words) {
			r.send(thought{sentence: spoken, aside: true})
		}
	})
	ran.took = time.Since(ran.began)
	return ran
}

// reassure asks the caller for patience after a silence, and again after each that is twice as long, until stop. Whoever
// speaks meanwhile says so. The first silence, in which the caller has heard nothing yet, is the reducer's to break.
func (r *reply) reassure() (spoke, stop func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	news, done := make(chan struct{}), make(chan struct{})
	wait := toolPatience
	if !r.said {
		wait += fillerAfter
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-time.After(wait):
				select {
				case r.mind.out <- thought{id: r.mind.id, sentence: r.mind.moment, aside: true}:
					wait = 2 * toolPatience
				case <-ctx.Done():
				}
			case <-news:
				wait = toolPatience
			case <-ctx.Done():
				return
			}
		}
	}()
	spoke = func() {
		select {
		case news <- struct{}{}:
		case <-done:
		}
	}
	return spoke, func() {
		cancel()
		<-done
	}
}

// send reports whether the thought still counted.
func (r *reply) send(t thought) bool {
	t.id = r.mind.id
	select {
	case r.mind.out <- t:
		return true
	case <-r.ctx.Done():
		return false
	}
}
