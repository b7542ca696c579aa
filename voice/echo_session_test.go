package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
)

// echoing has a leg on which a long first message comes back.
func echoing(gain float64, delay time.Duration) func(r *rig) {
	return func(r *rig) {
		r.leg.EchoGain, r.leg.EchoDelay = gain, delay
		r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
		r.session.Script.FirstMessageInterruptions = true
		r.stt.Texts = []string{"I have a question."}
		r.answers("Yes?")
	}
}

func TestOurEchoDoesNotInterrupt(t *testing.T) {
	t.Parallel()

	for _, delay := range []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
		_, r := converse(t, echoing(0.5, delay), func(r *rig) {
			r.leg.Pause(6 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Equal(t, []string{"assistant: one two three four five six seven eight nine ten"}, r.journal.Transcript())
		require.Len(t, r.leg.Played(), 1, "it never fell silent")
		require.Zero(t, r.stt.Samples(), "the recogniser never heard it")
	}
}

func TestTheCallerIsHeardOverOurEcho(t *testing.T) {
	t.Parallel()

	_, r := converse(t, echoing(0.5, 150*time.Millisecond), func(r *rig) {
		r.leg.Pause(1500 * time.Millisecond)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Len(t, r.journal.Notes(voice.UserInterrupted), 1)
	require.Equal(t, []string{"user: I have a question.", "assistant: Yes?"}, r.journal.Transcript()[1:])
	stopped := r.leg.Played()[0].To
	require.InDelta(t, 2.5, stopped.Seconds(), 0.15, "1 s of voice, and some frames to be sure")
}

// A word that the assistant has just said, too, is the caller's on a telephone from which nothing comes back.
func TestAWordOfOursInterrupts(t *testing.T) {
	t.Parallel()

	var said time.Duration
	_, r := converse(t, func(r *rig) {
		r.stt.Texts = []string{"How much is it?", "Three will do."}
		r.answers("one two three four five six seven eight nine ten", "Good.")
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(3 * time.Second)
		r.leg.Speak(300 * time.Millisecond)
		r.stt.Interim("Three")
		said = time.Since(r.begun)
		r.leg.Pause(time.Second)
		r.leg.RemoteHangup()
	})
	require.Len(t, r.journal.Notes(voice.UserInterrupted), 1)
	require.InDelta(t, said.Seconds(), r.leg.Played()[1].To.Seconds(), 0.1, "the reply stops at once")
}
