package voice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

// desk rings a colleague who answers after a while, or does not.
type desk struct {
	leg   *voicetest.Leg
	after time.Duration
	limit time.Duration
	err   error
	late  bool // who answers does so although nobody waits any more
	asked *voice.Transfer
}

func (d *desk) Transfer(ctx context.Context, wanted *voice.Transfer) (*voice.Colleague, error) {
	d.asked = wanted
	wanted.Hold(audio.Tone(time.Second, -20, 425))
	select {
	case <-time.After(d.after):
	case <-ctx.Done():
		if !d.late {
			return nil, ctx.Err()
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return &voice.Colleague{Leg: d.leg, Limit: d.limit}, nil
}

// putThrough has a caller put through after 3 s.
func putThrough(t *testing.T, prepare func(r *rig, d *desk), act func(r *rig, d *desk)) (voice.Outcome, *rig, *desk) {
	t.Helper()
	d := &desk{after: 2 * time.Second}
	outcome, r := converse(t, func(r *rig) {
		d.leg = voicetest.NewLeg()
		r.session.Transfers = d
		r.stt.Texts = []string{"Are you there?", "Never mind."}
		r.answers("Yes.", "Fine.")
		prepare(r, d)
	}, func(r *rig) {
		r.at(3 * time.Second)
		r.commands <- turn.Transfer{ID: "t", Target: "+31201234567", Plan: &turn.TransferPlan{Fallback: "Nobody is there."}}
		act(r, d)
	})
	return outcome, r, d
}

func TestACallerAndAColleagueTalk(t *testing.T) {
	t.Parallel()

	for name, ends := range map[string]struct {
		by     func(r *rig, d *desk)
		reason turn.Reason
	}{
		"the caller":      {func(r *rig, _ *desk) { r.leg.RemoteHangup() }, turn.AssistantForwardedCall},
		"the colleague":   {func(_ *rig, d *desk) { d.leg.RemoteHangup() }, turn.AssistantForwardedCall},
		"somebody else":   {func(r *rig, _ *desk) { r.commands <- turn.End{} }, turn.ManuallyCanceled},
		"the worker":      {func(r *rig, _ *desk) { r.drain() }, turn.WorkerShutdown},
		"its limit":       {func(r *rig, _ *desk) { r.at(35 * time.Second) }, turn.ExceededMaxDuration},
		"a leg that fell": {func(r *rig, _ *desk) { r.leg.Fail(errors.New("no route")) }, turn.CarrierDroppedCall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r, d := putThrough(t, func(r *rig, d *desk) {
				r.session.Script.MaxDuration, d.limit = 20*time.Second, 30*time.Second
			}, func(r *rig, d *desk) {
				r.at(6 * time.Second)
				r.commands <- turn.Say{ID: "s", Content: "Hello?"}
				go d.leg.Sound(audio.Tone(time.Second, -20, 1000))
				r.leg.Sound(audio.Tone(time.Second, -20, 2000))
				r.leg.Press("7")
				d.leg.Press("8")
				d.leg.SendCaption("How can I help?")
				r.leg.SendCaption("I have a question.")
				r.at(25 * time.Second)
				ends.by(r, d)
			})
			require.Equal(t, ends.reason, outcome.Reason)
			require.Equal(t, []string{"assistant: Hello, this is the practice."}, r.journal.Transcript())
			require.Equal(t, "8", r.leg.Digits())
			require.Equal(t, "7", d.leg.Digits())
			require.Equal(t, "How can I help?", r.leg.Captions()[1].Text)
			require.Equal(t, "I have a question.", d.leg.Captions()[0].Text)
			near(t, time.Second, audio.Duration(tones(r.leg.Heard(), 1000)*audio.FrameLen))
			near(t, time.Second, audio.Duration(tones(d.leg.Heard(), 2000)*audio.FrameLen))
			require.Len(t, r.journal.Notes(voice.CommandDone), 1)
			require.Equal(t, "the caller was put through", r.journal.Notes(voice.CommandFailed)[0].Err.Error())
			require.NoError(t, r.journal.Notes(voice.TransferFinished)[0].Err)
			require.True(t, d.leg.Over(), "the colleague is hung up")
		})
	}
}

// tones counts the frames that are a tone.
func tones(pcm []int16, frequency float64) (n int) {
	for ; len(pcm) >= audio.FrameLen; pcm = pcm[audio.FrameLen:] {
		if audio.Level(pcm[:audio.FrameLen]) > -40 && audio.Purity(pcm[:audio.FrameLen], frequency) > 0.9 {
			n++
		}
	}
	return n
}

func TestACallerComesBack(t *testing.T) {
	t.Parallel()

	outcome, r, d := putThrough(t, func(_ *rig, d *desk) {
		d.err = &voice.Untaken{Why: "the line is busy", Err: errors.New("486")}
	}, func(r *rig, _ *desk) {
		r.at(3500 * time.Millisecond)
		r.leg.Speak(time.Second) // nobody hears it
		r.leg.Pause(3 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(4 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, turn.CustomerEndedCall, outcome.Reason)
	require.Equal(t, []string{
		"assistant: Hello, this is the practice.", "assistant: Nobody is there.", "user: Are you there?", "assistant: Yes.",
	}, r.journal.Transcript())
	require.Contains(t, r.llm.Requests()[0].Messages[2].Content, "Nobody took the call: the line is busy.")
	near(t, 2*time.Second, audio.Duration(tones(r.leg.Heard(), 425)*audio.FrameLen))
	require.ErrorContains(t, r.journal.Notes(voice.CommandFailed)[0].Err, "the line is busy: 486")
	require.Equal(t, "+31201234567", d.asked.Target)
	require.Equal(t, "Hello, this is the practice.", d.asked.Conversation[1].Content)
}

func TestACallerWhoLeavesWhileItRings(t *testing.T) {
	t.Parallel()

	for name, late := range map[string]bool{"nobody answers": false, "somebody answers at that moment": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, r, d := putThrough(t, func(_ *rig, d *desk) { d.after, d.late = time.Minute, late }, func(r *rig, _ *desk) {
				r.at(5 * time.Second)
				r.leg.RemoteHangup()
			})
			require.Equal(t, turn.CustomerEndedCallDuringTransfer, outcome.Reason)
			require.Less(t, outcome.Duration, 6*time.Second)
			require.Error(t, r.journal.Notes(voice.TransferFinished)[0].Err)
			require.Equal(t, late, d.leg.Over(), "who answered is hung up")
		})
	}
}
