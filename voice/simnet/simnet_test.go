package simnet_test

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
)

// canned speaks 1.2 s of recorded speech, whatever the text.
type canned []int16

func newCanned(t *testing.T) canned {
	t.Helper()
	wav, err := os.ReadFile("../vad/testdata/utterance.wav")
	require.NoError(t, err)
	pcm := make([]int16, (len(wav)-44)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(wav[44+2*i:]))
	}
	for i := 0; i < len(pcm); i += audio.FrameLen { // where the voice begins
		if audio.Level(pcm[i:i+audio.FrameLen]) > -40 {
			return pcm[i : i+audio.Samples(1200*time.Millisecond)]
		}
	}
	t.Fatal("no speech in the test data")
	return nil
}

func (canned) Name() string { return "canned" }

func (c canned) Speak(context.Context, tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) { yield(append([]int16(nil), c...), nil) }
}

func network(t *testing.T, cfg simnet.Config) *simnet.Network {
	t.Helper()
	cfg.Listen = "127.0.0.1:0"
	if cfg.TTS == nil {
		cfg.TTS = newCanned(t)
	}
	if cfg.AnswerDelay == 0 {
		cfg.AnswerDelay = 10 * time.Millisecond
	}
	n, err := simnet.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, n.Close(ctx))
	})
	return n
}

func phone(t *testing.T, inbound func(context.Context, *sip.Inbound)) *sip.UA {
	t.Helper()
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Inbound: inbound})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, ua.Close(ctx))
	})
	return ua
}

func dial(t *testing.T, ua *sip.UA, n *simnet.Network, to string) (*sip.Leg, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return ua.Dial(ctx, sip.Dial{Proxy: n.Addr().String(), From: "+31200000000", To: to, Captions: true})
}

// eventually waits for what another goroutine is about to do.
func eventually(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, 10*time.Second, 5*time.Millisecond)
}

func scripts(t *testing.T, text string) simnet.Scripts {
	t.Helper()
	s, err := simnet.ParseScripts([]byte(text))
	require.NoError(t, err)
	return s
}

func TestRefusals(t *testing.T) {
	t.Parallel()

	n, ua := network(t, simnet.Config{}), phone(t, nil)
	for number, code := range map[string]int{"+31612345601": 486, "+31612345603": 603, "+31612345607": 503} {
		_, err := dial(t, ua, n, number)
		var refused *sip.Refused
		require.ErrorAs(t, err, &refused)
		require.Equal(t, code, refused.Code)
	}
	eventually(t, func() bool {
		calls := n.Calls()
		return len(calls) == 3 && !calls[2].EndedAt.IsZero()
	})
	require.NotZero(t, n.Calls()[0].Code)
	require.True(t, n.Calls()[0].AnsweredAt.IsZero())
}

func TestRingsUntilTheCallerGivesUp(t *testing.T) {
	t.Parallel()

	invited := make(chan simnet.Invite, 1)
	n, ua := network(t, simnet.Config{OnInvite: func(i simnet.Invite) { invited <- i }}), phone(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ringing := make(chan int, 8)
	go func() {
		<-ringing
		cancel()
	}()
	_, err := ua.Dial(ctx, sip.Dial{Proxy: n.Addr().String(), From: "+31200000000", To: "+31612345602", CallID: "ring-1",
		Progress: func(code int, _ string) {
			if code == 180 {
				ringing <- code
			}
		}})
	require.ErrorIs(t, err, context.Canceled)
	invite := <-invited
	require.Equal(t, "ring-1", invite.CallID)
	require.Equal(t, "+31612345602", invite.To)
	require.WithinDuration(t, time.Now(), invite.At, 10*time.Second)
	eventually(t, func() bool { return !n.Calls()[0].EndedAt.IsZero() })
}

// person answers a far end from the other side: it says something when the far end has
// hung on its words, and keeps what arrives.
type person struct {
	captions []string
	digits   string
	tone     bool
}

// attend reads a leg until it is over. It speaks once at the beginning, and again after
// each caption.
func attend(leg *sip.Leg, voice canned) person {
	var p person
	speak := func(text string) {
		leg.Caption(text)
		leg.Play(voice)
	}
	speak("Hello.")
	for in := range leg.Incoming() {
		switch {
		case in.Caption() != "":
			p.captions = append(p.captions, strings.TrimSpace(in.Caption()))
			speak("I see.")
		case in.Digit != 0:
			p.digits += string(rune(in.Digit))
		default:
			p.tone = p.tone || audio.Level(in.Frame) > -30 && audio.Purity(in.Frame, 1000) > 0.8
		}
	}
	return p
}

// Scripts take the time they take, so these are played at the same time.
func TestFarEndsTakeTheirSteps(t *testing.T) {
	t.Parallel()

	cfg := simnet.Config{Scripts: scripts(t, `
scripts:
  "20": {steps: [{listen: }, {say: Good morning.}, {listen: }, {say: Goodbye.}]}
  "21": {steps: [{hear: 500ms}, {say: Wait.}]}
  "22": {steps: [{say: I am not done, cut: 50%}]}
  "23": {steps: [{press: 12#}, {beep: 300ms}]}
  "24": {steps: [{wait: 2s}, {listen: 200ms}]}
`)}
	n, ua, voice := network(t, cfg), phone(t, nil), newCanned(t)
	numbers := []string{"+31612345620", "+31612345621", "+31612345622", "+31612345623", "+31612345624"}
	legs, heard := make([]*sip.Leg, len(numbers)), make([]person, len(numbers))
	var calls sync.WaitGroup
	for i, number := range numbers {
		leg, err := dial(t, ua, n, number)
		require.NoError(t, err)
		legs[i] = leg
		calls.Go(func() { heard[i] = attend(leg, voice) })
	}
	calls.Wait()
	eventually(t, func() bool {
		return !slices.ContainsFunc(n.Calls(), func(c simnet.Call) bool { return c.EndedAt.IsZero() })
	})
	for i, call := range n.Calls() {
		require.Equal(t, numbers[i], call.To)
		require.ErrorIs(t, legs[i].Err(), media.ErrRemoteHangup)
		require.True(t, call.HungUp)
		require.Empty(t, call.Err)
	}
	lasted := func(c simnet.Call) float64 { return c.EndedAt.Sub(c.AnsweredAt).Seconds() }

	talk := n.Calls()[0]
	require.Equal(t, []string{"Good morning.", "Goodbye."}, heard[0].captions)
	require.Equal(t, heard[0].captions, simnet.Texts(talk.Said))
	require.Equal(t, "Hello.", simnet.Texts(talk.Heard)[0])
	require.Greater(t, talk.Said[0].At.Sub(talk.Heard[0].At), 1900*time.Millisecond, "it waited for its turn")
	require.Greater(t, talk.Voice, 2*time.Second)

	interruption := n.Calls()[1]
	require.Less(t, interruption.Said[0].At.Sub(interruption.AnsweredAt), 2900*time.Millisecond, "it did not wait for its turn")

	require.Empty(t, heard[2].captions)
	require.InDelta(t, 0.6, lasted(n.Calls()[2]), 0.4, "half of 1.2 s")

	require.Equal(t, "12#", heard[3].digits)
	require.True(t, heard[3].tone)

	require.InDelta(t, 2.2, lasted(n.Calls()[4]), 0.9)
}

func TestAWidebandFarEnd(t *testing.T) {
	t.Parallel()

	n := network(t, simnet.Config{})
	for number, codec := range map[string]string{"+31612345613": "G722", "+31612345612": "PCMU"} {
		leg, err := phone(t, nil).Dial(t.Context(), sip.Dial{Proxy: n.Addr().String(), From: "+31200000000", To: number, CallID: codec,
			Wideband: true})
		require.NoError(t, err)
		require.Equal(t, codec, leg.Stats().Codec)
		eventually(t, func() bool {
			return slices.ContainsFunc(n.Calls(), func(c simnet.Call) bool { return c.CallID == codec && c.Codec == codec })
		})
		require.NoError(t, leg.Hangup(t.Context()))
	}
}

func TestFarEndNoticesThatTheOtherSideHungUp(t *testing.T) {
	t.Parallel()

	n, ua := network(t, simnet.Config{}), phone(t, nil)
	leg, err := dial(t, ua, n, "+31612345606")
	require.NoError(t, err)
	leg.SendDigits("5")
	eventually(t, func() bool { return n.Calls()[0].Digits == "5" })
	require.NoError(t, leg.Hangup(t.Context()))
	eventually(t, func() bool { return !n.Calls()[0].EndedAt.IsZero() })
	require.False(t, n.Calls()[0].HungUp)
}

func TestCallFromTheNetwork(t *testing.T) {
	t.Parallel()

	answered := make(chan person, 1)
	voice := newCanned(t)
	ua := phone(t, func(ctx context.Context, in *sip.Inbound) {
		if in.To != "+31200000000" {
			_ = in.Reject(404, "Not Found")
			return
		}
		leg, err := in.Answer(ctx)
		if err == nil {
			answered <- attend(leg, voice)
		}
	})
	n := network(t, simnet.Config{})
	script := scripts(t, "scripts: {default: {steps: [{listen: }, {say: I have a question.}]}}")["default"]
	call, err := n.Call(t.Context(), ua.Addr().String(), "+31612345678", "+31200000000", script)
	require.NoError(t, err)
	require.Equal(t, []string{"I have a question."}, (<-answered).captions)
	require.Equal(t, []string{"I have a question."}, simnet.Texts(call.Said))
	require.NotEmpty(t, call.CallID)
	require.True(t, call.Outbound)

	call, err = n.Call(t.Context(), ua.Addr().String(), "+31612345678", "+31200000001", script)
	require.Error(t, err)
	require.Equal(t, 404, call.Code)
}

func TestCloseHangsUp(t *testing.T) {
	t.Parallel()

	n, err := simnet.Start(t.Context(), simnet.Config{Listen: "127.0.0.1:0", TTS: newCanned(t), AnswerDelay: time.Millisecond})
	require.NoError(t, err)
	leg, err := dial(t, phone(t, nil), n, "+31612345606")
	require.NoError(t, err)
	require.NoError(t, n.Close(t.Context()))
	<-leg.Done()
	require.ErrorIs(t, leg.Err(), media.ErrRemoteHangup)
	_, err = n.Call(t.Context(), "127.0.0.1:5060", "1", "2", simnet.Script{})
	require.ErrorContains(t, err, "closed")
}

// mute fails to speak.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Speak(context.Context, tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) { yield(nil, errors.New("no voice")) }
}

func TestAVoiceThatFailsEndsTheCall(t *testing.T) {
	t.Parallel()

	n := network(t, simnet.Config{TTS: mute{}, Scripts: scripts(t, "scripts: {default: {steps: [{say: Hi}]}}")})
	leg, err := dial(t, phone(t, nil), n, "+31612345678")
	require.NoError(t, err)
	<-leg.Done()
	eventually(t, func() bool { return n.Calls()[0].Err != "" })
	require.Contains(t, n.Calls()[0].Err, "no voice")
}

func TestTransfers(t *testing.T) {
	t.Parallel()

	n, ua := network(t, simnet.Config{}), phone(t, nil)
	to := func(leg *sip.Leg, number string) int {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := leg.Transfer(ctx, number)
		if refused, is := errors.AsType[*sip.Refused](err); is {
			return refused.Code
		}
		if err != nil {
			return 0
		}
		return 200
	}
	patient, err := dial(t, ua, n, "+31612345606")
	require.NoError(t, err)
	unanswered := make(chan int, 1)
	go func() { unanswered <- to(patient, "+31201234502") }()
	leg, err := dial(t, ua, n, "+31612345616")
	require.NoError(t, err)
	require.Equal(t, 486, to(leg, "+31201234501"))
	require.Equal(t, 603, to(leg, "sip:+31201234503@example.com"))
	leg.SendDigits("5") // it listens on
	moved := func() (found simnet.Call) {
		for _, call := range n.Calls() {
			if call.To == "+31612345616" {
				found = call
			}
		}
		return found
	}
	eventually(t, func() bool { return moved().Digits == "5" })
	require.Equal(t, 200, to(leg, "+31201234500"))
	require.NoError(t, leg.Hangup(t.Context()))
	eventually(t, func() bool { return !moved().EndedAt.IsZero() })
	require.Equal(
		t,
		[]simnet.Transfer{{To: "+31201234501", Code: 486}, {To: "+31201234503", Code: 603}, {To: "+31201234500", Code: 200}},
		moved().Transfers,
	)
	require.False(t, moved().HungUp)
	require.Empty(t, moved().Err)
	require.Equal(t, 480, <-unanswered)
	require.NoError(t, patient.Hangup(t.Context()))
}
