package log

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/mail/mailtest"
)

func TestSender(t *testing.T) {
	t.Parallel()
	mailtest.Run(t, New(slog.New(slog.DiscardHandler)))

	t.Run("WritesWhatItDoesNotSend", func(t *testing.T) {
		t.Parallel()
		var written bytes.Buffer
		require.NoError(t, New(slog.New(slog.NewTextHandler(&written, nil))).Send(t.Context(), mailtest.Message()))
		require.Contains(t, written.String(), "pii.to=jan@example.com")
	})
}
