// Package openai streams replies from servers of OpenAI's chat completions interface: OpenAI, vLLM, Ollama, llama.cpp,
// LocalAI, Groq and others.
//
// It knows the wire format and how such servers deviate from it. It must not know what a conversation is about.
package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/openaihttp"
)

const (
	defaultFirstToken = 8 * time.Second
	defaultIdle       = 5 * time.Second
	drainTime         = 100 * time.Millisecond // for data after the end of a reply
	maxLine           = 1 << 20
	maxReply          = 8 << 20
)

// Config is an account on a server.
type Config struct {
	Name       string        // in logs and faults; empty: "openai"
	BaseURL    string        // with the version; empty: OpenAI's own
	APIKey     string        // empty: none is sent
	Model      string        // for requests that name none
	FirstToken time.Duration // until the first word or tool call, for requests without their own; 0: 8 s
	Idle       time.Duration // between two parts after that; 0: 5 s
	HTTP       *http.Client  // nil: a new one
}

// Provider is an llm.Provider.
type Provider struct {
	cfg      Config
	endpoint openaihttp.Endpoint
}

// New returns a Provider with the defaults of cfg filled in.
func New(cfg Config) *Provider {
	if cfg.FirstToken <= 0 {
		cfg.FirstToken = defaultFirstToken
	}
	if cfg.Idle <= 0 {
		cfg.Idle = defaultIdle
	}
	return &Provider{cfg: cfg, endpoint: openaihttp.NewEndpoint(cfg.Name, cfg.BaseURL, cfg.APIKey, cfg.HTTP)}
}

// Name returns the configured name.
func (p *Provider) Name() string { return p.endpoint.Provider }

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		reply, err := p.open(ctx, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		defer reply.Close()
		s := &stream{provider: p, reply: reply, yield: yield}
		last, err := s.run()
		last.Usage = s.usage
		switch {
		case s.left:
		case err != nil:
			yield(llm.Delta{}, err)
		case yield(last, nil):
			s.drain()
		}
	}
}

func (p *Provider) open(ctx context.Context, req llm.Request) (*openaihttp.Reply, error) {
	body, err := p.encode(req)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Refused, Provider: p.endpoint.Provider, Message: "request cannot be written", Err: err}
	}
	reply, err := p.endpoint.Post(ctx, openaihttp.Request{
		Path: "/chat/completions", ContentType: "application/json", Body: body,
		Wait: cmp.Or(req.FirstToken, p.cfg.FirstToken), MaxBytes: maxReply,
	})
	if err != nil {
		return nil, err
	}
	if reply.MediaType == "application/json" || reply.MediaType == "text/html" {
		reply.Close()
		return nil, p.broken(fmt.Errorf("responded with %s instead of an event stream", reply.MediaType))
	}
	return reply, nil
}

func (p *Provider) broken(err error) error {
	return &fault.Error{Kind: fault.Unavailable, Provider: p.endpoint.Provider, Message: "response cannot be read", Err: err}
}

// stream is one reply that is being read.
type stream struct {
	provider *Provider
	reply    *openaihttp.Reply
	yield    func(llm.Delta, error) bool
	calls    calls
	thoughts thoughts
	finish   string
	usage    llm.Usage
	begun    bool // something was produced: Idle applies
	left     bool // the caller has left the loop
}

// run yields the text and returns the last delta.
func (s *stream) run() (llm.Delta, error) {
	lines := bufio.NewScanner(s.reply)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	for s.scan(lines) {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, an empty line, or an unused field
		}
		if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
			return s.last(llm.FinishStop)
		}
		if err := s.chunk(data); err != nil || s.left {
			return llm.Delta{}, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return llm.Delta{}, s.provider.broken(err)
	case err != nil:
		return llm.Delta{}, err
	case s.finish == "":
		return llm.Delta{}, s.provider.broken(io.ErrUnexpectedEOF)
	}
	return s.last("")
}

// scan reads a line while the timer runs; it is stopped while the caller's loop runs.
func (s *stream) scan(lines *bufio.Scanner) bool {
	if s.begun {
		s.reply.Allow(s.provider.cfg.Idle)
		defer s.reply.Pause()
	}
	return lines.Scan()
}

func (s *stream) chunk(data []byte) error {
	var chunk chunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return s.provider.broken(err)
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		message, _ := fault.Explain(data)
		return fault.New(fault.Unavailable, s.provider.endpoint.Provider, message)
	}
	if chunk.Usage != nil { // some servers count along, others at the end
		s.usage = llm.Usage{Prompt: tokens(chunk.Usage.Prompt), Completion: tokens(chunk.Usage.Completion)}
		s.usage.Cached = min(tokens(chunk.Usage.PromptDetails.Cached), s.usage.Prompt)
	}
	for _, choice := range chunk.Choices {
		if err := s.calls.add(choice.Delta.ToolCalls); err != nil {
			return s.provider.broken(err)
		}
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
		if text := choice.Delta.Content + choice.Delta.Refusal; text != "" && !s.left {
			s.start()
			s.say(s.thoughts.pass(text))
		}
	}
	if len(s.calls) > 0 {
		s.start()
	}
	return nil
}

func (s *stream) say(text string) {
	if text != "" {
		s.left = !s.yield(llm.Delta{Text: text}, nil)
	}
}

func (s *stream) start() {
	s.begun = true
	s.reply.Pause()
}

// last returns the delta that ends the reply; fallback is the finish reason if the server sent none.
func (s *stream) last(fallback string) (llm.Delta, error) {
	if s.finish == "" {
		s.finish = fallback
	}
	if !s.thoughts.over {
		if s.say(s.thoughts.rest()); s.left {
			return llm.Delta{}, nil
		}
	}
	if s.finish == llm.FinishLength || len(s.calls) == 0 {
		return llm.Delta{Finish: s.finish}, nil // truncated calls cannot be run
	}
	whole, err := s.calls.whole()
	if err != nil {
		return llm.Delta{}, s.provider.broken(err)
	}
	return llm.Delta{ToolCalls: whole, Finish: llm.FinishToolCalls}, nil
}

// drain reads the few bytes after the end, so that the connection can be reused.
func (s *stream) drain() {
	s.reply.Allow(drainTime)
	io.Copy(io.Discard, io.LimitReader(s.reply, maxLine)) //nolint:errcheck // the connection is not reused then
}
