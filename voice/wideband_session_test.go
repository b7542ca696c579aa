package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
)

// wide has a leg of 16 kHz.
func wide(r *rig) { r.leg.Sampled = audio.Wide }

func TestAWidebandConversation(t *testing.T) {
	t.Parallel()

	talk := func(prepare func(r *rig)) *rig {
		_, r := converse(t, func(r *rig) {
			r.stt.Texts = []string{"What are your opening hours?"}
			r.answers("We are open from nine. Until five!")
			prepare(r)
		}, func(r *rig) {
			r.at(2 * time.Second)
			r.leg.Speak(time.Second)
			r.leg.Pause(4 * time.Second)
			r.leg.RemoteHangup()
		})
		return r
	}
	narrow, wider := talk(func(*rig) {}), talk(wide)
	require.Equal(t, narrow.journal.Transcript(), wider.journal.Transcript())
	require.InDelta(t, 2*narrow.stt.Samples(), wider.stt.Samples(), 1200, "the recogniser hears all of it")
	require.Len(t, wider.leg.Played(), len(narrow.leg.Played()))
	for i, span := range narrow.leg.Played() {
		other := wider.leg.Played()[i]
		require.InDelta(t, span.From.Seconds(), other.From.Seconds(), 0.035, "a frame of the detector")
		require.InDelta(t, (span.To - span.From).Seconds(), (other.To - other.From).Seconds(), 0.001)
	}
}

func TestOurEchoDoesNotInterruptInWideband(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		wide(r)
		echoing(0.5, 150*time.Millisecond)(r)
	}, func(r *rig) {
		r.leg.Pause(6 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"assistant: one two three four five six seven eight nine ten"}, r.journal.Transcript())
	require.Len(t, r.leg.Played(), 1, "it never fell silent")
	require.Zero(t, r.stt.Samples(), "the recogniser never heard it")
}

func TestTheCallerIsHeardOverOurEchoInWideband(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		wide(r)
		echoing(0.5, 150*time.Millisecond)(r)
	}, func(r *rig) {
		r.leg.Pause(1500 * time.Millisecond)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Len(t, r.journal.Notes(voice.UserInterrupted), 1)
	require.Equal(t, []string{"user: I have a question.", "assistant: Yes?"}, r.journal.Transcript()[1:])
}
