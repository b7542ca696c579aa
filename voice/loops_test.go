package voice_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

func TestCallsShareLoops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 20
		loops := voice.NewLoops(1, calls)
		script := voice.DefaultScript()
		script.FirstMessage, script.EndCallPhrases = "Hello.", []string{"goodbye"}
		type ended struct {
			outcome    voice.Outcome
			transcript []string
		}
		done := make(chan ended)
		for range calls {
			leg, journal := voicetest.NewLeg(), &voicetest.Journal{}
			session := &voice.Session{
				Leg: leg, Journal: journal, Script: script, Loops: loops, Detector: voicetest.Detector{}, TTS: &voicetest.TTS{},
				STT: &voicetest.STT{Texts: []string{"When are you open?"}},
				LLM: &voicetest.LLM{Replies: []voicetest.Reply{{Pieces: []string{"From nine. ", "Goodbye!"}}}},
			}
			go func() { done <- ended{session.Run(t.Context()), journal.Transcript()} }()
			go func() {
				leg.Pause(time.Second)
				leg.Speak(500 * time.Millisecond)
				leg.Pause(time.Second)
			}()
		}
		for range calls {
			call := <-done
			require.Equal(t, turn.AssistantSaidEndCallPhrase, call.outcome.Reason)
			require.Equal(t, []string{"assistant: Hello.", "user: When are you open?", "assistant: From nine. Goodbye!"}, call.transcript)
		}
		frames, late := loops.Lateness()
		require.Greater(t, frames, uint64(calls*75))
		require.Zero(t, late)
		loops.Close()
	})
}

// A far end that hangs up ends the call at once, and one that is silent by the deadlines of the rules.
func TestLoopsKnowTheEndOfALeg(t *testing.T) {
	t.Parallel()
	outcome, _ := converse(t, func(*rig) {}, func(r *rig) {
		r.leg.Pause(3 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	near(t, 3*time.Second, outcome.Duration)
}

// lingering is a recogniser that owes words and takes its time to close.
type lingering struct{ *voicetest.STT }

func (l lingering) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	stream, err := l.STT.Open(ctx, o)
	return lingeringStream{stream}, err
}

type lingeringStream struct{ stt.Stream }

func (s lingeringStream) Close() error {
	err := s.Stream.Close()
	time.Sleep(2 * time.Second)
	return err
}

func TestNoFrameWaitsForARecogniserToClose(t *testing.T) {
	t.Parallel()
	_, r := converse(t, func(r *rig) {
		r.stt.Delay = time.Hour
		r.session.STT = lingering{r.stt}
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(8 * time.Second)
		r.leg.RemoteHangup()
	})
	require.NotEmpty(t, r.journal.Notes(voice.ProviderFailed))
	frames, late := r.session.Loops.Lateness()
	require.Greater(t, frames, uint64(400))
	require.Zero(t, late)
}
