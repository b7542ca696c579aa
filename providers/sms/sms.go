// Package sms is what the product asks of whoever carries its text messages: one text to one telephone.
//
// It knows messages, and the HTTP that its carriers share. It must not know any carrier (each has a package below this
// one), nor what is written to whom, when, or how often a message is tried: that is the caller's business.
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

// Message is a text to one telephone.
type Message struct {
	To   string // E.164
	Text string
}

// Sender carries text messages. Implementations are safe for concurrent use.
type Sender interface {
	Name() string
	// Send returns the carrier's id of the message once the carrier has taken it over. Its errors are a *fault.Error unless
	// ctx was canceled; NotTaken tells after which of them the message may be sent again. No carrier knows two requests
	// to be one.
	Send(ctx context.Context, message *Message) (id string, err error)
}

// Senders are the senders of a deployment.
type Senders struct {
	Live      Sender
	Simulated Sender
}

// Of is the sender for what must stay simulated, or need not.
func (s Senders) Of(simulated bool) Sender {
	if simulated {
		return s.Simulated
	}
	return s.Live
}

// MaxRunes bounds a text: ten parts, which is what carriers take.
const MaxRunes = 1530

var number = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

// Check reports what no carrier would take.
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

// NotTaken reports whether a message that failed with err was certainly not taken, and may be some day: the carrier was not
// reached, said that it is too busy, or does not accept our account. Where an answer is missing or makes no sense nobody
// knows.
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

// Off is the sender of a deployment that sends no text messages: it refuses each.
type Off struct{}

// Name is "none".
func (Off) Name() string { return "none" }

// Send refuses.
func (Off) Send(context.Context, *Message) (string, error) {
	return "", fault.New(fault.Refused, Off{}.Name(), "this deployment sends no text messages")
}
