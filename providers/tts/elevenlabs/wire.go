package elevenlabs

import (
	"encoding/json"
	"strings"

	"github.com/callwright/callwright/providers/fault"
)

// order is a message to the server.
type order struct {
	ContextID    string `json:"context_id,omitempty"`
	Text         string `json:"text,omitempty"`
	Flush        bool   `json:"flush,omitempty"`
	CloseContext bool   `json:"close_context,omitempty"`
	CloseSocket  bool   `json:"close_socket,omitempty"`
}

// utteranceOrders speak text in a context of its own. It begins with a blank, every text
// ends with one, and closing it lets the server say when all sound has come.
func utteranceOrders(id, text string) []order {
	return []order{
		{ContextID: id, Text: " "},
		{ContextID: id, Text: strings.TrimSpace(text) + " ", Flush: true},
		{ContextID: id, CloseContext: true},
	}
}

// message is any from the server, which spells some names in two ways.
type message struct {
	Audio     []byte `json:"audio"` // base64 in JSON; signed 16-bit little-endian samples
	IsFinal   bool   `json:"isFinal"`
	Final     bool   `json:"is_final"`
	ContextID string `json:"contextId"`
	Context   string `json:"context_id"`

	Error   string          `json:"error"` // a word, or a sentence
	Message string          `json:"message"`
	Code    json.RawMessage `json:"code"` // of the close that follows
}

func (m *message) last() bool { return m.IsFinal || m.Final }

// of reports whether it belongs to a context, or to all.
func (m *message) of(id string) bool {
	context := m.ContextID + m.Context
	return context == "" || m.ContextID == id || m.Context == id
}

// complaint is what an error says; empty: it is none.
func (m *message) complaint() string {
	if m.Error == "" {
		return ""
	}
	text, _ := fault.Explain([]byte(m.Error + " " + m.Message))
	return text
}

const policyViolation = "1008" // the code of most closes that are our fault

// kind is what a complaint means.
func (m *message) kind() fault.Kind {
	if strings.Trim(string(m.Code), `"`) == policyViolation {
		return blame(m.complaint(), fault.Refused)
	}
	return blame(m.complaint(), fault.Unavailable)
}

// blame finds the kind of fault in the words for it, which come in errors and in closes.
func blame(complaint string, otherwise fault.Kind) fault.Kind {
	complaint = strings.ToLower(complaint)
	for _, known := range []struct {
		word string
		kind fault.Kind
	}{
		{"quota", fault.Denied}, {"api_key", fault.Denied}, {"api key", fault.Denied}, {"unauthorized", fault.Denied},
		{"permission", fault.Denied}, {"payment", fault.Denied}, {"unusual_activity", fault.Denied},
		{"concurrent", fault.Unavailable}, {"max_active", fault.Unavailable}, {"busy", fault.Unavailable},
		{"rate_limit", fault.Unavailable}, {"input_timeout", fault.Unavailable}, {"internal", fault.Unavailable},
		{"voice", fault.Refused}, {"model", fault.Refused}, {"character", fault.Refused},
	} {
		if strings.Contains(complaint, known.word) {
			return known.kind
		}
	}
	return otherwise
}
