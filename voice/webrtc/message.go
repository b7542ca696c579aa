package webrtc

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/media"
)

// What a browser may send over its data channel. More is dropped.
const (
	maxMessage        = 1000 // bytes
	messagesPerSecond = 20
	mostUnsent        = 256 << 10 // bytes that may wait for a browser that does not take them
)

// Message is what travels over the data channel, as JSON, both ways. A browser sends
//
//	{"type": "say", "text": "…"}      what was typed: taken as said, whatever recogniser listens
//	{"type": "caption", "text": "…"}  what the browser's own recogniser heard, for calls without one; a line feed ends a sentence
//	{"type": "keys", "keys": "12#"}   keys of a page without a microphone, which has no telephone-events
//	{"type": "hang-up"}
//
// and gets captions of what the assistant is saying, keys that it presses, a hang-up when it ends the call, and what the call's
// owner sends with Leg.Tell.
type Message struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	Keys string `json:"keys,omitempty"`
}

// The types of messages.
const (
	MessageSay     = "say"
	MessageCaption = "caption"
	MessageKeys    = "keys"
	MessageHangUp  = "hang-up"
)

// budget is how many messages were taken in a second.
type budget struct {
	second int64
	taken  int
}

func (b *budget) take(at time.Duration) bool {
	if second := int64(at / time.Second); second != b.second {
		b.second, b.taken = second, 0
	}
	b.taken++
	return b.taken <= messagesPerSecond
}

// talk takes what comes over the data channel. A browser that opens a second one is none of ours.
func (l *Leg) talk(channel *webrtc.DataChannel) {
	if !l.channel.CompareAndSwap(nil, channel) {
		l.server.spawn(func() { l.end(media.ErrRemoteHangup) })
		return
	}
	channel.OnOpen(l.opened)
	channel.OnClose(func() { l.open.Store(false) })
	var taken budget
	channel.OnMessage(func(m webrtc.DataChannelMessage) {
		var message Message
		if !taken.take(l.Now()) || len(m.Data) > maxMessage || !utf8.Valid(m.Data) || json.Unmarshal(m.Data, &message) != nil {
			l.Counts.Strays.Add(1)
			return
		}
		l.take(message)
	})
}

func (l *Leg) take(m Message) {
	switch m.Type {
	case MessageSay:
		if text := strings.TrimSpace(m.Text); text != "" {
			l.DeliverTyped(text)
		}
	case MessageCaption:
		if m.Text != "" {
			l.DeliverCaption(m.Text)
		}
	case MessageKeys:
		for _, key := range []byte(m.Keys) {
			if strings.IndexByte(media.EventKeys, key) >= 0 {
				l.DeliverKey(key)
			}
		}
	case MessageHangUp:
		l.server.spawn(func() { l.end(media.ErrRemoteHangup) })
	}
}

// mostUntold is how much is kept for a browser whose data channel is not open yet.
const mostUntold = 32

// Tell sends anything as JSON over the data channel, once that is open. It never blocks: what a browser does not take in time
// is dropped.
func (l *Leg) Tell(about any) {
	text, err := json.Marshal(about)
	if err != nil {
		l.server.log.Error("message to a browser not made", "error", err)
		return
	}
	l.telling.Lock()
	defer l.telling.Unlock()
	switch {
	case l.open.Load():
		l.send(string(text))
	case l.captioned && len(l.untold) < mostUntold:
		l.untold = append(l.untold, string(text))
	}
}

// opened sends what has waited for the data channel.
func (l *Leg) opened() {
	l.telling.Lock()
	defer l.telling.Unlock()
	l.open.Store(true)
	for _, text := range l.untold {
		l.send(text)
	}
	l.untold = nil
}

func (l *Leg) send(text string) {
	channel := l.channel.Load()
	if channel.BufferedAmount() > mostUnsent {
		return
	}
	if err := channel.SendText(text); err != nil {
		l.server.log.Debug("message to a browser not sent", "error", err)
	}
}

// Captioned implements voice.Leg.
func (l *Leg) Captioned() bool { return l.captioned }

// Caption implements voice.Leg.
func (l *Leg) Caption(text string) { l.Tell(Message{Type: MessageCaption, Text: text}) }

// SendDigits implements voice.Leg: the page is shown them, as a person has no menu.
func (l *Leg) SendDigits(digits string) { l.Tell(Message{Type: MessageKeys, Keys: digits}) }
