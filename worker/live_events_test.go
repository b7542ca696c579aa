package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/voice"
)

func TestMomentOf(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		note voice.Note
		want events.Live
	}{
		"SpeechStarted": {voice.Note{Kind: voice.SpeechStarted, Role: "user"},
			events.Live{Type: "speech-update", Status: "started", Role: "user"}},
		"SpeechStopped": {voice.Note{Kind: voice.SpeechStopped, Role: "assistant"},
			events.Live{Type: "speech-update", Status: "stopped", Role: "assistant"}},
		"Interrupted": {voice.Note{Kind: voice.UserInterrupted}, events.Live{Type: "user-interrupted"}},
		"Delayed":     {voice.Note{Kind: voice.AssistantDelayed}, events.Live{Type: "hang"}},
		"Transferring": {voice.Note{Kind: voice.TransferStarted, Text: "+31612345678"},
			events.Live{Type: "transfer-update", Status: "started", Target: "+31612345678"}},
		"Transferred": {voice.Note{Kind: voice.TransferFinished, Text: "+31612345678"},
			events.Live{Type: "transfer-update", Status: "completed", Target: "+31612345678"}},
		"NotTransferred": {
			voice.Note{Kind: voice.TransferFinished, Text: "sip:a@b", Err: errors.New("busy")},
			events.Live{Type: "transfer-update", Status: "failed", Target: "sip:a@b", Error: "busy"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.note.At = 3 * time.Second
			got, told := liveEventOf(test.note, 4)
			require.True(t, told)
			require.NotEqual(t, uuid.Nil, got.ID)
			test.want.ID, test.want.At, test.want.Turn = got.ID, 3*time.Second, 4
			require.Equal(t, test.want, got)
			require.Contains(t, callstate.EventTypes(), got.Type)
		})
	}
	_, told := liveEventOf(voice.Note{Kind: voice.DigitPressed, Text: "1"}, 0)
	require.False(t, told)
}
