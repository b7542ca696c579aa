package worker

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/turn"
)

func TestNumbersThatCarriersName(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"+31201234567": "+31201234567", "31201234567": "+31201234567", "0031201234567": "+31201234567",
		"+31 20 123 45 67": "+31201234567",
		"201":              "201", "reception": "reception", "": "anonymous", "\x00\r\n": "anonymous", "a\xffb\x00c": "a\ufffdbc",
		"\u202edrawer\u202c\u200b": "drawer", "a\u0085\u2028b": "ab", "\u200f\u2066": "anonymous",
		strings.Repeat("é", 40): strings.Repeat("é", 32), "x" + strings.Repeat("é", 40): "x" + strings.Repeat("é", 31),
	} {
		require.Equal(t, want, calledNumber(text), "%q", text)
	}
	for header, want := range map[string]string{
		`"Jan" <sip:+31612345678@carrier.example>`: "+31612345678", "<tel:+31612345678>": "+31612345678",
		`"Jan: @home" <sip:+31612345678@x>`: "+31612345678", "sip:+31612345678;phone-context=x@y": "+31612345678", "": "",
		"nonsense": "",
	} {
		require.Equal(t, want, userOf(header), header)
	}
}

// A caller who talks into the announcement is transferred all the same: the server wants no conversation.
func TestACallThatAServerSendsElsewhere(t *testing.T) {
	t.Parallel()
	call := &dbsqlc.Call{ID: uuid.New(), AssistantConfig: &jsonb.Assistant{FirstMessageMode: string(turn.AssistantSpeaksFirst)}}
	commands := make(chan turn.Command, 1)
	phone := &Phone{clock: &db.Clock{}, calls: map[uuid.UUID]*liveCall{call.ID: {commands: commands}}}
	silent := phone.forwarded(call, &jsonb.ToolDestination{Target: "+31201234567", Message: "To Peter."})
	require.Equal(t, string(turn.AssistantWaitsForUser), silent.AssistantConfig.FirstMessageMode)
	require.Equal(t, string(turn.AssistantSpeaksFirst), call.AssistantConfig.FirstMessageMode)
	require.Equal(t, turn.Transfer{
		Target: "+31201234567", Announcement: "To Peter.", Reason: turn.AssistantRequestReturnedForward, Firm: true,
	}, <-commands)
}
