// Package smstest has the conformance suite of sms.Sender.
//
// It knows the contract of package sms. It must not know any implementation.
package smstest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/sms"
)

// Message returns a message that every sender accepts.
func Message() *sms.Message {
	return &sms.Message{To: "+31612345678", Text: "Tot zo, Zoë & co: 50% korting + 1 €.\n"}
}

// Run checks a sender whose carrier accepts messages.
func Run(t *testing.T, sender sms.Sender) {
	t.Helper()
	require.NotEmpty(t, sender.Name())

	t.Run("Sends", func(t *testing.T) {
		t.Parallel()
		_, err := sender.Send(t.Context(), Message())
		require.NoError(t, err)
	})

	for name, spoil := range map[string]func(*sms.Message){
		"NoNumber":      func(m *sms.Message) { m.To = "" },
		"NotANumber":    func(m *sms.Message) { m.To = "anonymous" },
		"NationalOnly":  func(m *sms.Message) { m.To = "0612345678" },
		"TwoNumbers":    func(m *sms.Message) { m.To = "+31612345678,+31612345679" },
		"NoText":        func(m *sms.Message) { m.Text = " \n" },
		"TooLong":       func(m *sms.Message) { m.Text = strings.Repeat("é", sms.MaxRunes+1) },
		"NotText":       func(m *sms.Message) { m.Text = "a\xff" },
		"NULCharacters": func(m *sms.Message) { m.Text = "a\x00" },
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			t.Parallel()
			message := Message()
			spoil(message)
			_, err := sender.Send(t.Context(), message)
			kind, _ := fault.Of(err)
			require.Equal(t, fault.Refused, kind)
		})
	}

	t.Run("EndsWithItsContext", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := sender.Send(ctx, Message())
		require.ErrorIs(t, err, context.Canceled)
		_, isFault := fault.Of(err)
		require.False(t, isFault)
	})
}
