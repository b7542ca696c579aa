package voice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/sentence"
	"github.com/callwright/callwright/voice/turn"
)

const (
	firstWord   = 20 * time.Second // of a reply, unless the script says otherwise
	nextWord    = 3 * time.Second  // behind another: then the reply is asked for anew from there
	mostResumed = 2                // times in a reply
	toolLimit   = 30 * time.Second // for one tool
	toolSteps   = 5                // of calls before the model must answer without tools
)

var errEmptyReply = errors.New("the model answered nothing")

// replyPart is something that a reply in the making has come to. Those with an id that is not the responder's are of a reply
// that was given up.
type replyPart struct {
	id           int
	sentence     string
	firstToken   time.Time // of the reply, when sentence is set; zero: no model made it
	aside        bool      // the sentence is no part of the reply: it asks for patience
	toolsStarted bool      // tools begin to run; messages follow with what they did
	ran          []ranTool // tools that ran, to be noted
	messages     []llm.Message
	brokeOff     error // it failed, and goes on
	last         bool
	err          error
}

func (replyPart) isEvent() {}

// ranTool is a tool call with its result.
type ranTool struct {
	call   llm.ToolCall
	result ToolResult
	began  time.Time
	took   time.Duration
}

// responder makes replies, one at a time: text in, sentences out while the model still talks. Its methods belong to the
// goroutine that owns the call.
type responder struct {
	provider llm.Provider
	tools    Tools
	model    Model
	events   chan<- event
	unread   <-chan struct{} // closed when nobody reads events any more
	running  *sync.WaitGroup

	id     int
	cancel context.CancelFunc // of the reply being made; nil: none
	spoke  bool               // a sentence of the model is part of the assistant's turn

	firstToken time.Time     // of the reply being made, or made last; zero: none came yet
	wanted     chan struct{} // closed when it is certain that the reply is wanted; nil: it always was
	cost       *cost         // of it
}

// respond begins a reply, after a delay. Its parts arrive on events, the last one with last or err.
// A silent one needs no words: it may press keys, or wait.
func (r *responder) respond(ctx context.Context, messages []llm.Message, delay time.Duration, silent bool) {
	r.begin(ctx, &reply{messages: messages, delay: delay, said: silent, silent: silent}, nil)
}

// respondAhead begins a reply whose tools wait until it is wanted.
func (r *responder) respondAhead(ctx context.Context, messages []llm.Message) {
	r.begin(ctx, &reply{messages: messages}, make(chan struct{}))
}

func (r *responder) begin(ctx context.Context, next *reply, wanted chan struct{}) {
	r.stop()
	next.call = ctx
	next.ctx, r.cancel = context.WithCancel(ctx)
	r.firstToken, r.wanted, r.cost = time.Time{}, wanted, &cost{}
	next.responder = *r
	r.running.Go(next.run)
}

// stop gives the reply up. Nothing of it counts any more.
func (r *responder) stop() {
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
	r.id++
}

// busy reports whether a reply is being made.
func (r *responder) busy() bool { return r.cancel != nil }

// done releases what the finished reply held.
func (r *responder) done() {
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}

// reply is one being made, in its own goroutine, on a copy of the responder.
type reply struct {
	responder responder
	call      context.Context // ends with the call
	ctx       context.Context // ends when the reply is given up, too
	messages  []llm.Message
	delay     time.Duration
	said      bool      // something, or it needs no words
	silent    bool      // it needs no words
	begun     time.Time // when the model's first token came
	resumed   int       // times that it was taken up again
}

// longestReply is how much of a reply is spoken, in bytes: half an hour. A model that says more is broken, or paid by the word.
const longestReply = 32 << 10

func (r *reply) run() {
	if !sleep(r.ctx, r.delay) {
		return
	}
	for step := 0; step <= toolSteps; step++ {
		calls, text, err := r.ask(step < toolSteps)
		if err != nil && r.resume(text, err) {
			step--
			continue
		}
		if err != nil {
			r.send(replyPart{err: fmt.Errorf("ask the language model: %w", err)})
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
		r.send(replyPart{err: fmt.Errorf("ask the language model: %w", errEmptyReply)})
		return
	}
	r.send(replyPart{last: true})
}

// ask streams one answer of the model and sends its sentences. It fails when the model is silent for too long; then text is what
// was sent.
func (r *reply) ask(withTools bool) (calls []llm.ToolCall, text string, err error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	first, vendor := r.firstWord(), r.responder.provider.Name()
	watchdog := time.AfterFunc(first, func() { cancel(tooLate(vendor, "no word", first)) })
	defer func() { watchdog.Stop() }()
	stalled := tooLate(vendor, "no further word", nextWord)

	var split sentence.Splitter
	var sent []string
	say := func(sentences ...string) {
		sent = append(sent, sentences...)
		r.say(sentences...)
	}
	request := r.request(withTools)
	r.responder.cost.ask(request)
	for delta, err := range r.responder.provider.Stream(ctx, request) {
		r.responder.cost.add(delta)
		if err != nil {
			return nil, strings.Join(sent, " "), causeOf(ctx, err)
		}
		r.noteToken()
		watchdog.Stop()
		watchdog = time.AfterFunc(nextWord, func() { cancel(stalled) })
		text += delta.Text
		say(split.Push(delta.Text)...)
		if calls = append(calls, delta.ToolCalls...); len(text) > longestReply {
			break
		}
	}
	if ctx.Err() != nil { // a provider that ends quietly when it is cancelled
		return nil, strings.Join(sent, " "), context.Cause(ctx)
	}
	if rest := split.Rest(); rest != "" {
		say(rest)
	}
	return calls, text, nil
}

// firstWord returns how long the model may be silent: not for long behind words that are being heard.
func (r *reply) firstWord() time.Duration {
	if r.resumed > 0 {
		return nextWord
	}
	return cmp.Or(r.responder.model.Timeout, firstWord)
}

// resumeNote asks for the rest of a reply.
const resumeNote = "Your answer was cut off behind these words, which the caller has heard. Go on exactly where it stopped. Repeat nothing."

// resume has a reply that broke off go on behind what was sent of it, and reports whether it may.
func (r *reply) resume(sent string, why error) bool {
	if sent == "" || r.resumed == mostResumed || r.ctx.Err() != nil {
		return false
	}
	r.resumed++
	r.send(replyPart{brokeOff: fmt.Errorf("ask the language model: %w", why)})
	r.messages = append(slices.Clip(r.messages),
		llm.Message{Role: llm.RoleAssistant, Content: sent}, llm.Message{Role: llm.RoleSystem, Content: resumeNote})
	return true
}

func (r *reply) request(withTools bool) llm.Request {
	req := llm.Request{
		Model: r.responder.model.Name, Messages: r.messages,
		Temperature: r.responder.model.Temperature, MaxTokens: r.responder.model.MaxTokens, FirstToken: r.firstWord(),
	}
	if withTools && r.responder.tools != nil {
		req.Tools = r.responder.tools.List()
	}
	return req
}

func (r *reply) say(sentences ...string) {
	for _, text := range sentences {
		r.said = true
		r.send(replyPart{sentence: text, firstToken: r.begun})
	}
}

// noteToken notes when the first token came.
func (r *reply) noteToken() {
	if r.begun.IsZero() {
		r.begun = time.Now()
	}
}

// runTools runs the tools of one step and reports whether the reply ends with them. What they did has happened: it is
// sent even when the reply was given up meanwhile.
func (r *reply) runTools(calls []llm.ToolCall, text string) (ends bool) {
	if !r.wanted() || !r.send(replyPart{toolsStarted: true}) {
		return false
	}
	step := replyPart{id: r.responder.id, messages: []llm.Message{{Role: llm.RoleAssistant, Content: text, ToolCalls: calls}}}
	silent := 0 // tools whose results the model is to put into words
	if r.ctx.Err() != nil {
		for _, call := range calls {
			step.messages = append(step.messages, llm.Message{Role: llm.RoleTool, Content: toolNotRun, ToolCallID: call.ID})
		}
		calls = nil
	}
	for i, ran := range r.runAll(calls) {
		call := calls[i]
		step.ran = append(step.ran, ran)
		step.messages = append(step.messages, llm.Message{Role: llm.RoleTool, Content: ran.result.Content, ToolCallID: call.ID})
		switch ran.result.Then.(type) {
		case turn.End, turn.Transfer:
			ends = true
		case turn.SendDigits:
			ends = ends || r.silent
		}
		if r.say(sentence.Split(ran.result.Say)...); ran.result.Say == "" {
			silent++
		}
	}
	r.messages = append(slices.Clip(r.messages), step.messages...)
	select {
	case r.responder.events <- step:
	case <-r.responder.unread:
	}
	return ends || silent == 0
}

// wanted waits until the reply is wanted for certain, and reports whether it came to that.
func (r *reply) wanted() bool {
	if r.responder.wanted == nil {
		return true
	}
	select {
	case <-r.responder.wanted:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// toolNotRun is what the model reads of tools that it wanted and that an interruption came before.
const toolNotRun = "Not done: the caller interrupted."

// runAll runs the tools of one step side by side.
func (r *reply) runAll(calls []llm.ToolCall) []ranTool {
	results := make([]ranTool, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() { results[i] = r.runTool(call) })
	}
	running.Wait()
	return results
}

func (r *reply) runTool(call llm.ToolCall) ranTool {
	ran := ranTool{call: call, began: time.Now()}
	if r.responder.tools == nil {
		ran.result = ToolResult{Content: "There are no tools.", Err: fmt.Errorf("call %s: no tools", call.Name)}
		return ran
	}
	ctx, cancel := context.WithTimeout(r.call, toolLimit)
	defer cancel()
	ran.result = r.responder.tools.Call(ctx, call, func(words string) {
		for _, text := range sentence.Split(words) {
			r.send(replyPart{sentence: text, aside: true})
		}
	})
	ran.took = time.Since(ran.began)
	return ran
}

// send reports whether the part still counted.
func (r *reply) send(part replyPart) bool {
	part.id = r.responder.id
	select {
	case r.responder.events <- part:
		return true
	case <-r.ctx.Done():
		return false
	}
}
