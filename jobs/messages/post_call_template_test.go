package messages

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func fullPostCall() *postCall {
	return &postCall{
		Language: "nl-NL", Assistant: "Ava", Contact: "Jan <b>", Number: "+31612345678",
		StartedAt: time.Date(2026, 11, 21, 14, 5, 0, 0, time.UTC),
		Duration:  65 * time.Second, EndedReason: "customer-ended-call", Summary: "Hij wil tulpen & rozen.", Evaluation: "true",
		Data:      `{"age":4}`,
		Turns:     []postCallTurn{{true, "Hallo.", 0}, {false, "<script>alert(1)</script>", 3 * time.Second}},
		Recording: "https://calls.example.com/v1/recordings/v1.k.abc_-", RecordingUntil: time.Date(2026, 11, 28, 14, 5, 0, 0, time.UTC),
	}
}

func TestPostCall(t *testing.T) {
	t.Parallel()

	t.Run("Dutch", func(t *testing.T) {
		t.Parallel()
		subject, text, html, err := fullPostCall().Write()
		require.NoError(t, err)
		require.Equal(t, "Gesprek met Jan <b> (Ava)", subject)
		for _, said := range []string{
			"Gebeld met: +31612345678", "Begonnen: 2026-11-21 14:05 UTC", "Duur: 1:05", "Hij wil tulpen & rozen.", "Beoordeling: true",
			"https://calls.example.com/v1/recordings/v1.k.abc_-", "tot 2026-11-28", "0:00 Ava: Hallo.", "0:03 Jan <b>: <script>",
		} {
			require.Contains(t, text, said)
		}
		require.Contains(t, html, `<a href="https://calls.example.com/v1/recordings/v1.k.abc_-">`)
		require.Contains(t, html, "&lt;script&gt;")
		require.NotContains(t, html, "<script>", "what was said is text")
	})

	t.Run("EnglishWithoutMuch", func(t *testing.T) {
		t.Parallel()
		bare := &postCall{Language: "fr", Assistant: "Ava", Contact: "Jan\r\nBcc: piet@example.com", Number: "+31612345678",
			Inbound: true}
		subject, text, html, err := bare.Write()
		require.NoError(t, err)
		require.Equal(t, "Call with Jan Bcc: piet@example.com (Ava)", subject)
		require.Contains(t, text, "Called by: +31612345678")
		for _, absent := range []string{"Summary", "recording", "Conversation", "Evaluation"} {
			require.NotContains(t, text, absent)
			require.NotContains(t, html, absent)
		}
	})

	t.Run("AVeryLongConversation", func(t *testing.T) {
		t.Parallel()
		long := fullPostCall()
		long.Turns = make([]postCallTurn, maxTurns+1)
		_, text, _, err := long.Write()
		require.NoError(t, err)
		require.Contains(t, text, "ging nog verder")
		require.Less(t, strings.Count(text, "\n"), maxTurns+50)
	})
}
