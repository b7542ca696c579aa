package log

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/sms/smstest"
)

func TestSender(t *testing.T) {
	t.Parallel()
	smstest.Run(t, New(slog.New(slog.DiscardHandler)))

	t.Run("WritesWhatItDoesNotSend", func(t *testing.T) {
		t.Parallel()
		var written bytes.Buffer
		_, err := New(slog.New(slog.NewTextHandler(&written, nil))).Send(t.Context(), smstest.Message())
		require.NoError(t, err)
		require.Contains(t, written.String(), "pii.to=+31612345678")
	})
}
