// Package mail defines sending mail: one message to one person.
//
// It knows messages. It must not know any carrier (each has a package below this one), nor what is written, when, or
// how often it is tried.
package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"

	"github.com/callwright/callwright/providers/fault"
)

// Message is a mail to one person.
type Message struct {
	ID          string       `json:"-"` // left side of the Message-ID; the same in every copy of one message
	To          string       `json:"-"` // address, without a name
	Subject     string       `json:"subject"`
	Text        string       `json:"text"`
	HTML        string       `json:"html,omitempty"` // the same in HTML; empty: text only
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Attachment is a file in a message.
type Attachment struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"` // such as "text/calendar; method=REQUEST"
	Content     []byte `json:"content"`
}

// Sender sends mail. Implementations are safe for concurrent use.
type Sender interface {
	Name() string
	// Send returns nil once a mail server has accepted the message. Its errors are *fault.Error unless ctx was
	// canceled: Refused if this message will never be accepted. After any other error it is unknown whether the
	// message was accepted.
	Send(ctx context.Context, message *Message) error
}

// MaxBytes limits a message, attachments included: mail servers commonly accept 10 MB or more.
const MaxBytes = 7 << 20

// Check returns an error for a message that no carrier accepts.
func Check(message *Message) error {
	if err := CheckAddress(message.To); err != nil {
		return err
	}
	size := len(message.Subject) + len(message.Text) + len(message.HTML)
	for _, attachment := range message.Attachments {
		size += len(attachment.Content)
		if strings.ContainsAny(attachment.Name+attachment.ContentType, "\r\n") {
			return errors.New("attachment's name or type has more than one line")
		}
	}
	switch {
	case message.ID == "" || strings.ContainsAny(message.ID, "<>@ \t\r\n"):
		return errors.New("message has no usable id")
	case strings.ContainsAny(message.Subject, "\r\n"):
		return errors.New("subject has more than one line")
	case size > MaxBytes:
		return fmt.Errorf("message has %d bytes, %d are allowed", size, MaxBytes)
	}
	return nil
}

// CheckAddress accepts one address without a name, such as jan@example.com.
func CheckAddress(address string) error {
	parsed, err := netmail.ParseAddress(address)
	if err != nil || parsed.Address != address || strings.ContainsAny(address, " \t\r\n\"") {
		return errors.New("is not a mail address")
	}
	return nil
}

// Off is the sender of a deployment that sends no mail: it refuses each message.
type Off struct{}

// Name returns "off".
func (Off) Name() string { return "off" }

// Send returns a fault of kind Refused.
func (Off) Send(context.Context, *Message) error {
	return fault.New(fault.Refused, Off{}.Name(), "this deployment sends no mail")
}
