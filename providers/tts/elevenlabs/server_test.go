package elevenlabs_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/callwright/callwright/providers/faulttest"
)

// server plays the company: each context sounds like a second of 440 Hz once it is
// flushed, and is final once it is closed, unless its hook says otherwise.
type server struct {
	flushed func(c *conversation, id string) // instead of the sound; nil: sounds

	mu       sync.Mutex
	requests []*http.Request
	orders   []string // messages received, over all conversations
	left     int      // conversations that are over
}

// conversation is one connection to the server.
type conversation struct {
	*server
	ctx    context.Context
	conn   *websocket.Conn
	number int // from 1
}

func (s *server) serve(t *testing.T) (baseURL string) {
	t.Helper()
	return faulttest.ServeSocket(t, func(ctx context.Context, conn *websocket.Conn, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		c := &conversation{server: s, ctx: ctx, conn: conn, number: len(s.requests)}
		s.mu.Unlock()
		for c.next() {
			continue
		}
		s.mu.Lock()
		s.left++
		s.mu.Unlock()
	})
}

// next takes one message; false: the conversation is over.
func (c *conversation) next() bool {
	_, data, err := c.conn.Read(c.ctx)
	if err != nil {
		return false
	}
	c.mu.Lock()
	c.orders = append(c.orders, string(data))
	c.mu.Unlock()
	var order struct {
		ID     string `json:"context_id"`
		Flush  bool   `json:"flush"`
		Close  bool   `json:"close_context"`
		Socket bool   `json:"close_socket"`
	}
	switch json.Unmarshal(data, &order); {
	case order.Socket:
		return false
	case order.Flush && c.flushed != nil:
		c.flushed(c, order.ID)
	case order.Flush:
		c.sound(order.ID, tone())
	case order.Close && c.flushed == nil:
		c.say(`{"contextId":"` + order.ID + `","isFinal":true}`)
	}
	return true
}

// hearOut takes the message that follows a flush: who closes before it arrives fails the sender, not the listener.
func (c *conversation) hearOut() { c.next() }

// sound sends samples in pieces that tear them apart.
func (c *conversation) sound(id, samples string) {
	const piece = 1001
	for len(samples) > 0 {
		n := min(piece, len(samples))
		c.say(sounding(id, samples[:n]))
		samples = samples[n:]
	}
}

func sounding(id, samples string) string {
	return `{"audio":"` + base64.StdEncoding.EncodeToString([]byte(samples)) + `","contextId":"` + id +
		`","isFinal":null,"alignment":{"chars":["a"]},"normalizedAlignment":null}`
}

func (c *conversation) say(message string) {
	c.conn.Write(c.ctx, websocket.MessageText, []byte(message))
}

// tone is a second at 440 Hz, as samples in bytes.
func tone() string {
	var out []byte
	for i := range 8000 {
		sample := int16(8000 * math.Sin(2*math.Pi*440*float64(i)/8000))
		out = binary.LittleEndian.AppendUint16(out, uint16(sample))
	}
	return string(out)
}

// asked are the handshakes, in order.
func (s *server) asked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

func (s *server) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.orders...)
}

// over is how many conversations are.
func (s *server) over() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}
