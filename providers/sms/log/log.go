// Package log writes text messages to the log instead of sending them: for development, and for test calls.
//
// It knows slog. It must not know any carrier: nothing is sent.
package log

import (
	"context"
	"log/slog"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/sms"
)

const name = "log"

// Sender is an sms.Sender.
type Sender struct{ logger *slog.Logger }

// New returns a sender that writes to logger.
func New(logger *slog.Logger) *Sender { return &Sender{logger} }

// Name returns "log".
func (*Sender) Name() string { return name }

// Send writes the message to the log. Its text and recipient are under pii. There is no id.
func (s *Sender) Send(ctx context.Context, message *sms.Message) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fault.FromNet(name, err)
	}
	if err := sms.Check(message); err != nil {
		return "", &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	s.logger.InfoContext(ctx, "text message not sent", "pii.to", message.To, "pii.text", message.Text)
	return "", nil
}
