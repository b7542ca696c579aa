// Package log writes mail to the log instead of sending it, for development.
//
// It knows slog. It must not know any carrier: nothing is sent.
package log

import (
	"context"
	"log/slog"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

const name = "log"

// Sender is a mail.Sender.
type Sender struct{ logger *slog.Logger }

// New returns a sender that writes to logger.
func New(logger *slog.Logger) *Sender { return &Sender{logger} }

// Name returns "log".
func (*Sender) Name() string { return name }

// Send writes the message to the log. Its content and recipient are under pii.
func (s *Sender) Send(ctx context.Context, message *mail.Message) error {
	if err := ctx.Err(); err != nil {
		return fault.FromNet(name, err)
	}
	if err := mail.Check(message); err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	s.logger.InfoContext(ctx, "mail not sent, no mail server is configured", "message_id", message.ID, "attachments",
		len(message.Attachments),
		"pii.to", message.To, "pii.subject", message.Subject, "pii.text", message.Text)
	return nil
}
