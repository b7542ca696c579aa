package worker

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/stt/captions"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/worker/assistant"
	"github.com/callwright/callwright/worker/recording"
)

// listener notes what a voice is asked to say.
type listener struct {
	mu    sync.Mutex
	asked []string
	fails bool
}

func (*listener) Name() string { return "listener" }

func (l *listener) Speak(_ context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		l.mu.Lock()
		l.asked = append(l.asked, req.Text)
		l.mu.Unlock()
		if l.fails {
			yield(nil, fault.New(fault.Unavailable, "listener", "busy"))
			return
		}
		yield(make([]int16, 160), nil)
	}
}

func TestFixedMessagesAreMadeBeforehand(t *testing.T) {
	t.Parallel()

	call := &dbsqlc.Call{AssistantConfig: &jsonb.Assistant{
		FirstMessage: "Hello. How can I help?", EndCallMessage: "Bye.", BackgroundSound: "office",
		CompliancePlan: jsonb.Object{"pciEnabled": true},
	}}
	speaker := &listener{}
	phone := &Phone{clock: &db.Clock{}, live: t.Context(), tools: &assistant.Tools{}, sounds: assistant.NewBackgrounds(nil),
		cfg: PhoneConfig{Speech: all.Of(scripted.New(), captions.New(slog.New(slog.DiscardHandler)), speaker)}}
	logger := slog.New(slog.DiscardHandler)
	talk := phone.prepare(t.Context(), call, logger)
	phone.asking.Wait()
	require.Equal(t, []string{"Hello.", "How can I help?"}, speaker.asked[:2], "what comes first is made first")
	require.Contains(t, speaker.asked, "Bye.")
	once := len(speaker.asked)
	phone.prepare(t.Context(), call, logger)
	phone.asking.Wait()
	require.Len(t, speaker.asked, once, "and kept")

	session := talk.begin(t.Context())
	require.NotEmpty(t, session.Script.Background.Sound)
	require.Equal(t, voice.DefaultBackgroundGain, session.Script.Background.Gain)
	recorder, err := talk.record(nil, new(recording.Writers), "process", audio.Narrow)
	require.NoError(t, err)
	require.Nil(t, recorder, "the assistant is to leave none")

	broken := &listener{fails: true}
	phone.cfg.Speech = all.Of(scripted.New(), captions.New(slog.New(slog.DiscardHandler)), broken)
	phone.prepare(t.Context(), call, logger)
	phone.asking.Wait()
	require.Equal(t, []string{"Hello.", "Hello."}, broken.asked, "a voice that fails is asked once more, and then left alone")
}
