package voice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// answerTime is how long the rig's transcriber, model and voice take together.
const answerTime = 400 * time.Millisecond

// judge is a voice.Endpointer that takes its time.
type judge struct {
	takes, wait time.Duration
	said        *[]voice.Turn
}

func (j judge) Wait(ctx context.Context, said []voice.Turn) (time.Duration, error) {
	*j.said = said
	select {
	case <-time.After(j.takes):
		return j.wait, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Whoever judges turns is given the conversation, and decides when the caller is answered; 3 s are enough for one that hangs.
func TestSomebodyElseJudgesTurns(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		judge judge
		after time.Duration // the question
	}{
		"soon":  {judge{takes: 100 * time.Millisecond, wait: 2 * time.Second}, 2 * time.Second},
		"never": {judge{takes: time.Hour}, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said []voice.Turn
			_, r := converse(t, func(r *rig) {
				tt.judge.said = &said
				r.session.Endpointer, r.session.Script.StartSpeaking.Endpointing = tt.judge, turn.ByServer
				r.session.Script.StartSpeaking.ThinkAhead = false
				r.stt.Texts = []string{"What are your opening hours?"}
				r.answers("Nine to five.")
			}, func(r *rig) {
				r.at(2 * time.Second)
				r.leg.Speak(time.Second)
				r.leg.Pause(8 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, []string{
				"assistant: Hello, this is the practice.", "user: What are your opening hours?", "assistant: Nine to five.",
			}, r.journal.Transcript())
			require.Len(t, said, 2)
			require.Equal(t, voice.RoleAssistant, said[0].Role)
			require.Equal(t, "What are your opening hours?", said[1].Text)
			stopped := r.journal.Notes(voice.SpeechStopped)
			waited := r.leg.Captions()[1].At - stopped[len(stopped)-2].At
			near(t, tt.after+answerTime, waited)
		})
	}
}
