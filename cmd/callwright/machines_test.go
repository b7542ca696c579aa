package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/simnet"
)

// answeredCall is a call with when each turn began.
type answeredCall struct {
	callRecord
	Transcript []struct {
		Role, Text string
		Seconds    float64 `json:"seconds_from_start"`
	}
}

func (p *platform) answered(id string) (call answeredCall) {
	p.t.Helper()
	p.waitStatus(id, "completed", "voicemail", "failed")
	p.call(http.MethodGet, "/v1/calls/"+id, nil, http.StatusOK, &call)
	return call
}

// said returns what one side said, and when it began to.
func (c *answeredCall) said(role string) (text string, at time.Duration) {
	for _, turn := range c.Transcript {
		if turn.Role != role {
			continue
		}
		if text == "" {
			at = time.Duration(turn.Seconds * float64(time.Second))
		}
		text += turn.Text + " "
	}
	return strings.TrimSpace(text), at
}

// TestMachinesThatAnswer has all that may answer in a person's place do so: a menu is heard to its end and gets the key, or is
// left; a screener is told who calls and why, and the person behind it is talked to; a fax is left; and a message is spoken
// behind the beep of a long greeting.
func TestMachinesThatAnswer(t *testing.T) {
	t.Parallel()
	long(t)
	p := startPlatform(t, dbtest.DSN(t), true)
	change := func(fields map[string]any) {
		p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, fields, http.StatusOK, nil)
	}
	change(map[string]any{
		"voicemail_message": "This is the practice. Please call us back.", "voicemail_detection": "leave-message",
		"dial_keypad_function_enabled": true,
		"model": map[string]any{"messages": []any{map[string]any{"role": "system",
			"content": `when press two: call send_digits {"digits": "2"}
when screening: This is the practice, about the prescription of Alex.
when kim, what can i do: Your prescription is ready.
when thank: You are welcome.
otherwise: I see.`}}},
	})
	p.startWorker()
	menu, screener, fax, machine := p.direct("+31612345620"), p.direct("+31612345621"), p.direct("+31612345622"),
		p.direct("+31612345623")
	for _, id := range []string{menu, screener, fax, machine} {
		p.waitStatus(id, "in-progress", "voicemail") // from then on a change of the assistant is for others
	}
	change(map[string]any{"voicemail_detection": map[string]any{"mode": "detect", "menu": "hang-up"}})
	left := p.direct("+31612345620")

	t.Run("Menu", func(t *testing.T) {
		call := p.answered(menu)
		heard, _ := call.said("user")
		require.Contains(t, heard, "press three.", "it is heard to its end")
		require.Contains(t, heard, "Pharmacy, this is Kim", "the key came behind it")
		said, _ := call.said("assistant")
		require.True(t, strings.HasPrefix(said, "Your prescription is ready."), "nothing is said to a menu: %s", said)
		require.Equal(t, "completed", call.Status)
	})
	t.Run("MenuThatIsLeft", func(t *testing.T) {
		call := p.answered(left)
		require.Equal(t, "voicemail", call.EndedReason)
		said, _ := call.said("assistant")
		require.Empty(t, said)
	})
	t.Run("Screener", func(t *testing.T) {
		call := p.answered(screener)
		said, _ := call.said("assistant")
		require.True(t, strings.HasPrefix(said, "This is the practice, about the prescription of Alex."), said)
		require.Contains(t, said, "Your prescription is ready.")
	})
	t.Run("Fax", func(t *testing.T) {
		call := p.answered(fax)
		require.Equal(t, "voicemail", call.EndedReason)
		require.Equal(t, "a fax answered", call.Error)
		require.Less(t, call.DurationSeconds, 15.0)
		said, _ := call.said("assistant")
		require.NotContains(t, said, "call us back", "no message is left for a fax")
	})
	t.Run("Machine", func(t *testing.T) {
		call := p.answered(machine)
		require.Equal(t, "voicemail", call.EndedReason)
		said, at := call.said("assistant")
		require.Equal(t, "This is the practice. Please call us back.", said)
		require.Greater(t, at, greetingLength(t, "23"), "not before the beep is over")
	})
}

// greetingLength is how long a far end of the simulated network is busy before the other side may speak.
func greetingLength(t *testing.T, number string) (length time.Duration) {
	t.Helper()
	scripts, err := simnet.DefaultScripts()
	require.NoError(t, err)
	speaker := flite.New(flite.Config{Voice: flite.Kal})
	for _, step := range scripts[number].Steps {
		if step.Say != "" {
			sound, err := ttstest.Collect(t.Context(), speaker, tts.Request{Text: step.Say})
			require.NoError(t, err)
			length += audio.Duration(len(sound))
		}
		if step.Listen != 0 {
			break
		}
		length += step.Wait + step.Beep
	}
	require.Greater(t, length, 24*time.Second)
	return length
}
