package openai

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callwright/callwright/providers/llm"
)

type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null beside tool calls
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	Index    *int     `json:"index,omitempty"` // in responses only
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string     `json:"type"`
	Function definition `json:"function"`
}

type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// chunk is one event of a response. Reasoning beside the content is not read: it is not to be spoken.
type chunk struct {
	Error json.RawMessage `json:"error"`
	Usage *struct {
		Prompt        int `json:"prompt_tokens"`
		Completion    int `json:"completion_tokens"`
		PromptDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content   string     `json:"content"`
			Refusal   string     `json:"refusal"`
			ToolCalls []toolCall `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

// firstWords replace the words of a caller who has said nothing.
const firstWords = "Begin."

func (p *Provider) encode(req llm.Request) ([]byte, error) {
	out := request{Model: req.Model, Stream: true, Temperature: req.Temperature}
	if out.Model == "" {
		out.Model = p.cfg.Model
	}
	// OpenAI's own newer models refuse the older name, other servers do not know the newer. Some refuse stream_options, too.
	if p.isOpenAI() {
		out.MaxCompletionTokens, out.StreamOptions = req.MaxTokens, &streamOptions{IncludeUsage: true}
	} else {
		out.MaxTokens = req.MaxTokens
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, encodeMessage(m))
	}
	// Some servers refuse a conversation without a user message, which a model that speaks first would get.
	if !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role != llm.RoleSystem }) {
		out.Messages = append(out.Messages, encodeMessage(llm.Message{Role: llm.RoleUser, Content: firstWords}))
	}
	for _, t := range req.Tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out.Tools = append(out.Tools, tool{Type: "function",
			Function: definition{Name: t.Name, Description: t.Description, Parameters: parameters}})
	}
	if len(req.Schema) > 0 {
		out.ResponseFormat = &responseFormat{Type: "json_schema",
			JSONSchema: jsonSchema{Name: "reply", Schema: req.Schema}}
	}
	return json.Marshal(out)
}

func (p *Provider) isOpenAI() bool {
	base, err := url.Parse(p.endpoint.BaseURL)
	return err == nil && strings.HasSuffix("."+base.Hostname(), ".openai.com")
}

func encodeMessage(m llm.Message) message {
	out := message{Role: m.Role, Content: &m.Content, ToolCallID: m.ToolCallID}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, toolCall{ID: call.ID, Type: "function",
			Function: function{Name: call.Name, Arguments: call.Arguments}})
	}
	if len(out.ToolCalls) > 0 && m.Content == "" {
		out.Content = nil
	}
	return out
}

// calls collects tool calls from their fragments, in the order in which they begin.
type calls []*call

type call struct {
	llm.ToolCall
	index int
}

// What a reply may want at most. Each call is an act of ours, and all of a reply are carried out side by side.
const (
	mostCalls     = 64
	mostArguments = 256 << 10
	mostTokens    = 100_000_000 // that a server says it used
)

var errTooManyCalls = fmt.Errorf("wants more than %d tools at once, or gives one more than %d bytes", mostCalls, mostArguments)

// tokens returns a number of tokens as far as it can be one.
func tokens(said int) int { return min(max(said, 0), mostTokens) }

func (c *calls) add(fragments []toolCall) error {
	for _, fragment := range fragments {
		into := c.find(fragment)
		if into == nil {
			if len(*c) == mostCalls {
				return errTooManyCalls
			}
			into = &call{index: len(*c)}
			if fragment.Index != nil {
				into.index = *fragment.Index
			}
			*c = append(*c, into)
		}
		if fragment.ID != "" {
			into.ID = fragment.ID
		}
		if fragment.Function.Name != "" {
			into.Name = fragment.Function.Name // some servers repeat it
		}
		if into.Arguments += fragment.Function.Arguments; len(into.Arguments) > mostArguments {
			return errTooManyCalls
		}
	}
	return nil
}

// find returns the newest call that a fragment continues: of the same index, or the last one if the server sends no
// index. A new id begins a new call, whatever the index.
func (c calls) find(fragment toolCall) *call {
	for _, newest := range slices.Backward(c) {
		if fragment.Index != nil && newest.index != *fragment.Index {
			continue
		}
		if fragment.ID != "" && newest.ID != "" && fragment.ID != newest.ID {
			return nil
		}
		return newest
	}
	return nil
}

// whole returns the calls at the end of the reply.
func (c calls) whole() ([]llm.ToolCall, error) {
	out := make([]llm.ToolCall, 0, len(c))
	for _, call := range c {
		if call.Name == "" {
			return nil, errors.New("tool call without a name")
		}
		if call.ID == "" {
			call.ID = "call_" + rand.Text()
		}
		if call.Arguments == "" {
			call.Arguments = "{}"
		}
		out = append(out, call.ToolCall)
	}
	return out, nil
}
