// Package mailtest has the conformance suite of mail.Sender, and a mail server for tests.
//
// It knows the contract of package mail and the server side of SMTP. It must not know any implementation.
package mailtest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

// Message returns a message that every sender accepts.
func Message() *mail.Message {
	return &mail.Message{ID: "0192f0c1", To: "jan@example.com", Subject: "Gesprek met Zoë", Text: "Héllo.\n", HTML: "<p>Héllo.</p>"}
}

// Run checks a sender whose carrier accepts mail.
func Run(t *testing.T, sender mail.Sender) {
	t.Helper()
	require.NotEmpty(t, sender.Name())

	t.Run("Sends", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, sender.Send(t.Context(), Message()))
	})

	for name, spoil := range map[string]func(*mail.Message){
		"NoAddress":       func(m *mail.Message) { m.To = "" },
		"NotAnAddress":    func(m *mail.Message) { m.To = "jan" },
		"TwoAddresses":    func(m *mail.Message) { m.To = "jan@example.com, piet@example.com" },
		"AddressWithName": func(m *mail.Message) { m.To = "Jan <jan@example.com>" },
		"InjectedHeader":  func(m *mail.Message) { m.Subject = "Hello\r\nBcc: piet@example.com" },
		"InjectedAddress": func(m *mail.Message) { m.To = "jan@example.com\r\nBcc: piet@example.com" },
		"InjectedID":      func(m *mail.Message) { m.ID = "a>\r\nBcc: piet@example.com" },
		"NoID":            func(m *mail.Message) { m.ID = "" },
		"TooLarge":        func(m *mail.Message) { m.Text = strings.Repeat("x", mail.MaxBytes+1) },
		"InjectedFile": func(m *mail.Message) {
			m.Attachments = []mail.Attachment{{Name: "a.ics\r\nX: y", ContentType: "text/calendar"}}
		},
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			t.Parallel()
			message := Message()
			spoil(message)
			kind, _ := fault.Of(sender.Send(t.Context(), message))
			require.Equal(t, fault.Refused, kind)
		})
	}

	t.Run("EndsWithItsContext", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := sender.Send(ctx, Message())
		require.ErrorIs(t, err, context.Canceled)
		_, isFault := fault.Of(err)
		require.False(t, isFault)
	})
}
