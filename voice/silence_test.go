package voice_test

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/cache"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/voicetest"
)

// patience is the longest silence that a caller hears, whatever hangs.
const patience = 3600 * time.Millisecond

// failing is how a vendor fails from a time on; empty: it does not.
type failing func() string

// failingLLM is slow, hangs, stalls behind a sentence, or asks for a tool that takes long.
type failingLLM struct{ failing }

func (failingLLM) Name() string { return "model" }

func (f failingLLM) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	reply := voicetest.Reply{Pieces: []string{"The answer is this. ", "And that is all of it."}, First: 300 * time.Millisecond}
	switch how := f.failing(); {
	case how == "slow":
		reply.First = 2400 * time.Millisecond
	case how == "hangs":
		reply = voicetest.Reply{Hang: true}
	case how == "stalls":
		reply = voicetest.Reply{Pieces: []string{"This is the first of it. ", "And "}, Hang: true}
	case how == "asks for a tool" && req.Messages[len(req.Messages)-1].Role == llm.RoleUser:
		reply = wish("book", "{}")
	}
	return (&voicetest.LLM{Replies: []voicetest.Reply{reply}}).Stream(ctx, req)
}

// failingTTS hangs, or stalls behind a word.
type failingTTS struct {
	failing
	*voicetest.TTS
}

func (f failingTTS) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	how := f.failing()
	return func(yield func([]int16, error) bool) {
		if how != "hangs" {
			for chunk, err := range f.TTS.Speak(ctx, req) {
				if !yield(chunk, err) || err != nil {
					return
				}
				if how == "stalls" {
					break
				}
			}
		}
		if how != "" {
			<-ctx.Done()
			yield(nil, ctx.Err())
		}
	}
}

// failingSTT accepts no call, or gives no words.
type failingSTT struct{ failing }

func (failingSTT) Name() string { return "transcriber" }

func (f failingSTT) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if f.failing() == "accepts nobody" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	texts := strings.Split(strings.Repeat("What are your opening hours?\n", 9), "\n")
	stream, err := (&voicetest.STT{Delay: 150 * time.Millisecond, Texts: texts}).Open(ctx, o)
	return hangingStream{stream, f.failing}, err
}

type hangingStream struct {
	stt.Stream
	failing
}

func (s hangingStream) EndOfSpeech() {
	if s.failing() != "hangs" {
		s.Stream.EndOfSpeech()
	}
}

// withVendors gives a session vendors of which the first ones fail from a time since the answer on, and others that stand in for
// them, as a worker does: fixed texts are made while it rings. A voice is always stood in for.
func (r *rig) withVendors(from time.Duration, transcriber, model, speech string, standIns bool) {
	const rings = 4 * time.Second
	begun := time.Now()
	fails := func(how string) failing {
		return func() string {
			if time.Since(begun) < rings+from {
				return ""
			}
			return how
		}
	}
	log := slog.New(slog.DiscardHandler)
	models, transcribers := []llm.Provider{failingLLM{fails(model)}}, []stt.Provider{failingSTT{fails(transcriber)}}
	if standIns {
		models, transcribers = append(models, failingLLM{fails("")}), append(transcribers, failingSTT{fails("")})
	}
	voices := []tts.Provider{failingTTS{fails(speech), &voicetest.TTS{First: 300 * time.Millisecond}}, &voicetest.TTS{}}
	remembered := cache.New(fallback.TTS(log, voices...), 1<<26)
	r.session.LLM, r.session.STT, r.session.TTS = fallback.LLM(log, models...), fallback.STT(log, transcribers...), remembered
	r.session.Tools = worker{7 * time.Second, "", voice.ToolResult{Content: "booked"}}
	r.session.Script.SilenceTimeout, r.session.Script.Idle.Max = 0, 0
	for _, text := range r.session.Script.FixedSpeech(audio.Narrow) {
		if remembered.Warm(context.Background(), text) != nil {
			_ = remembered.Warm(context.Background(), text) // which stands in then
		}
	}
	time.Sleep(rings - time.Since(begun))
	r.leg, r.begun = voicetest.NewLeg(), time.Now()
	r.session.Leg = r.leg
}

// longestSilence returns the longest time in which neither side was heard while the caller waited, and what came behind it. The
// caller, who spoke at those times, waits for nothing where the assistant has asked something or said all.
func (r *rig) longestSilence(spoke []voicetest.Span) (longest time.Duration, before string) {
	waits, quietFrom := true, time.Duration(0)
	for _, sound := range r.leg.Played() {
		for len(spoke) > 0 && spoke[0].From <= sound.From {
			quietFrom, waits, spoke = max(quietFrom, spoke[0].To), true, spoke[1:]
		}
		said := ""
		for _, caption := range r.leg.Captions() {
			if caption.At < sound.To {
				said = caption.Text
			}
		}
		if silence := sound.From - quietFrom; waits && silence > longest {
			longest, before = silence, said
		}
		quietFrom = max(quietFrom, sound.To)
		waits = !strings.HasSuffix(said, "all of it.") && !strings.HasSuffix(said, "once more.") &&
			!strings.HasSuffix(said, "again?") && !strings.HasSuffix(said, "practice.")
	}
	return longest, before
}

// Vendors of all kinds fail at once, and each alone, from the beginning and from the middle of a call on, which lasts longer than
// those who failed are left alone.
func TestACallerNeverHearsNothingForLong(t *testing.T) {
	t.Parallel()
	speech := []time.Duration{10 * time.Second, 48 * time.Second}
	for _, from := range []time.Duration{-4 * time.Second, 5 * time.Second, 35 * time.Second} {
		for _, transcriber := range []string{"", "hangs", "accepts nobody"} {
			for _, model := range []string{"", "slow", "hangs", "stalls", "asks for a tool"} {
				for _, sound := range []string{"", "hangs", "stalls"} {
					for _, standIns := range []bool{true, false} {
						if !standIns && from != 5*time.Second {
							continue
						}
						var spoke []voicetest.Span
						outcome, r := converse(t, func(r *rig) {
							r.withVendors(from, transcriber, model, sound, standIns)
						}, func(r *rig) {
							for _, at := range speech {
								r.leg.Pause(at - time.Since(r.begun))
								r.leg.Speak(1500 * time.Millisecond)
								spoke = append(spoke, voicetest.Span{From: at, To: time.Since(r.begun)})
							}
							r.leg.Pause(30 * time.Second)
							r.leg.RemoteHangup()
						})
						silence, before := r.longestSilence(spoke)
						require.LessOrEqual(t, silence, patience, "from %v on transcriber %q, model %q, voice %q, stand-ins %v: "+
							"%q came late; the call ended as %s", from, transcriber, model, sound, standIns, before, outcome.Reason)
						require.Greater(t, len(r.leg.Played()), 1)
					}
				}
			}
		}
	}
}
