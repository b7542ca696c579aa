package deepgram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/callwright/callwright/providers/faulttest"
)

// server is a Deepgram server that recognises nothing: a flush returns its words, or what its hooks send.
type server struct {
	words   string
	sound   func(c *conversation) // after each message of sound
	flushed func(c *conversation) // replaces the response to a flush; nil: it responds
	begun   func(c *conversation) // after the handshake

	mu       sync.Mutex
	requests []*http.Request
	controls []string // types of messages received, over all conversations
	samples  []int16  // received, over all conversations
}

// conversation is one connection to the server.
type conversation struct {
	*server
	ctx     context.Context
	conn    *websocket.Conn
	number  int // from 1
	heard   int // samples
	settled int // of these, with a final text
}

func (s *server) serve(t *testing.T) (baseURL string) {
	t.Helper()
	return faulttest.ServeSocket(t, func(ctx context.Context, conn *websocket.Conn, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		c := &conversation{server: s, ctx: ctx, conn: conn, number: len(s.requests)}
		s.mu.Unlock()
		if s.begun != nil {
			s.begun(c)
		}
		for c.next() {
			continue
		}
	})
}

// next returns one message, and false when the connection has ended.
func (c *conversation) next() bool {
	kind, data, err := c.conn.Read(c.ctx)
	if err != nil {
		return false
	}
	if kind == websocket.MessageBinary {
		c.hear(data)
		return true
	}
	var control struct{ Type string }
	if json.Unmarshal(data, &control) != nil {
		return false
	}
	c.mu.Lock()
	c.controls = append(c.controls, control.Type)
	c.mu.Unlock()
	switch control.Type {
	case "Finalize":
		if c.flushed != nil {
			c.flushed(c)
		} else {
			c.result(c.words, "is_final", "speech_final", "from_finalize")
		}
	case "CloseStream":
		c.say(`{"type":"Metadata","transaction_key":"deprecated","request_id":"x","channels":1}`)
		c.conn.Close(websocket.StatusNormalClosure, "")
		return false
	}
	return true
}

func (c *conversation) hear(data []byte) {
	c.heard += len(data) / 2
	c.mu.Lock()
	for i := 0; i < len(data); i += 2 {
		c.samples = append(c.samples, int16(uint16(data[i])|uint16(data[i+1])<<8))
	}
	c.mu.Unlock()
	if c.sound != nil {
		c.sound(c)
	}
}

// result is the text of what was heard since the last final one. marks are the fields of
// it that are true.
func (c *conversation) result(text string, marks ...string) {
	fields := map[string]any{
		"type": "Results", "channel_index": []int{0, 1},
		"start": float64(c.settled) / 8000, "duration": float64(c.heard-c.settled) / 8000,
		"is_final": false, "speech_final": false, "from_finalize": false,
		"channel": map[string]any{"alternatives": []any{
			map[string]any{"transcript": text, "confidence": 0.98, "words": []any{}},
		}},
		"metadata": map[string]any{"request_id": "x"},
	}
	for _, mark := range marks {
		fields[mark] = true
		if mark == "is_final" {
			c.settled = c.heard
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	c.say(string(data))
}

func (c *conversation) say(message string) {
	c.conn.Write(c.ctx, websocket.MessageText, []byte(message))
}

func (c *conversation) cut() { c.conn.CloseNow() }

// told returns the types of the messages that the server received.
func (s *server) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.controls...)
}

// asked returns the handshakes, in order.
func (s *server) asked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// received are the samples, over all conversations.
func (s *server) received() []int16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int16(nil), s.samples...)
}

func numbered(c *conversation) string {
	return fmt.Sprintf("heard %d by %d", c.heard-c.settled, c.number)
}
