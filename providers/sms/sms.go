// Package sms defines sending text messages: one text to one phone.
//
// It knows messages. It must not know any carrier (each has a package below this
// one), nor what is written, when, or how often it is tried.
package sms

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/fault"
)

// Message is a text to one phone.
type Message struct {
	To   string // E.164
	Text string
}

// Sender sends text messages. Implementations are safe for concurrent use.
type Sender interface {
	Name() string
	// Send returns the carrier's id of the message once the carrier has accepted it. Its errors are *fault.Error
	// unless ctx was canceled; NotTaken reports after which of them the message may be sent again. No carrier
	// deduplicates requests.
	Send(ctx context.Context, message *Message) (id string, err error)
}

// Senders are the senders of a deployment.
type Senders struct {
	Live      Sender
	Simulated Sender
}

// Of returns the sender for simulated or for real messages.
func (s Senders) Of(simulated bool) Sender {
	if simulated {
		return s.Simulated
	}
	return s.Live
}

// MaxRunes limits a text: ten parts, which carriers accept.
const MaxRunes = 1530

var number = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// Check returns an error for a message that no carrier accepts.
func Check(message *Message) error {
	switch {
	case !number.MatchString(message.To):
		return errors.New("recipient is not a number in E.164")
	case strings.TrimSpace(message.Text) == "":
		return errors.New("message has no text")
	case !utf8.ValidString(message.Text) || strings.ContainsRune(message.Text, 0):
		return errors.New("message is not text")
	case utf8.RuneCountInString(message.Text) > MaxRunes:
		return fmt.Errorf("message has %d characters, %d are allowed", utf8.RuneCountInString(message.Text), MaxRunes)
	}
	return nil
}

// NotTaken reports whether a message that failed with err was certainly not accepted, but may be later: the carrier was
// not reached, is too busy, or does not accept our account. If the response is missing or invalid, it is unknown.
func NotTaken(err error) bool {
	failed, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return false
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	switch failed.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return failed.Kind == fault.Denied
}

// Off is the sender of a deployment that sends no text messages: it refuses each message.
type Off struct{}

// Name returns "none".
func (Off) Name() string { return "none" }

// Send returns a fault of kind Refused.
func (Off) Send(context.Context, *Message) (string, error) {
	return "", fault.New(fault.Refused, Off{}.Name(), "this deployment sends no text messages")
}
