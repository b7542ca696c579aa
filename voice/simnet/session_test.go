package simnet_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/stt/captions"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

const practice = `You answer the telephone of a dental practice.
hello: The practice. Who is there?
when saturday: On Saturday we are open from nine to one.
when goodbye: You are welcome. Goodbye.
when 123: Thank you for your number.
otherwise: Could you say that again?`

// held is how a conversation ended and what was said in it.
type held struct {
	outcome    voice.Outcome
	transcript []string
	heard      int // times that the caller was heard to speak
	line       media.Stats
	err        error
}

// hold holds a conversation on a leg; change may change its script.
func hold(ctx context.Context, leg *sip.Leg, speaker tts.Provider, first string, change ...func(*voice.Script)) held {
	script := voice.DefaultScript()
	script.SystemPrompt, script.FirstMessage = practice, first
	script.FirstMessageInterruptions = true
	script.EndCallPhrases = []string{"goodbye"}
	script.Language = "en"
	script.SilenceTimeout, script.MaxDuration = 10*time.Second, time.Minute
	for _, c := range change {
		c(&script)
	}
	ledger := &voicetest.Journal{}
	session := &voice.Session{
		Leg: leg, Journal: ledger, LLM: scripted.New(), STT: captions.New(slog.New(slog.DiscardHandler)), TTS: speaker,
		Script: script,
	}
	outcome := session.Run(ctx)
	h := held{outcome: outcome, transcript: ledger.Transcript(), line: leg.Stats(), err: outcome.Err}
	for _, note := range ledger.Notes(voice.SpeechStarted) {
		if note.Role == voice.RoleUser {
			h.heard++
		}
	}
	return h
}

// call dials a number of the network and holds a conversation with it.
func call(
	ctx context.Context,
	ua *sip.UA,
	n *simnet.Network,
	speaker tts.Provider,
	to, first string,
	change ...func(*voice.Script),
) held {
	leg, err := ua.Dial(ctx, sip.Dial{Proxy: n.Addr().String(), From: "+31200000000", To: to, Captions: true})
	if err != nil {
		return held{err: err}
	}
	return hold(ctx, leg, speaker, first, change...)
}

const shortTalk = `
scripts:
  default:
    steps:
      - listen:
      - say: Are you open on Saturday?
      - listen:
      - say: Thank you. Goodbye.
      - listen:
      - wait: 10s # for the assistant to hang up, which pauses between two sentences on a busy machine
`

var shortTranscript = []string{
	"assistant: The practice. Hello?",
	"user: Are you open on Saturday?",
	"assistant: On Saturday we are open from nine to one.",
	"user: Thank you. Goodbye.",
	"assistant: You are welcome. Goodbye.",
}

// Calls last as long as calls do, so these are held at the same time.
func TestConversationsOverTheNetwork(t *testing.T) {
	t.Parallel()

	const (
		greeting = "The practice. Hello?"
		lecture  = "this practice has a very long greeting that tells you everything about our doctors and all of their rooms"
	)
	speaker := flite.New(flite.Config{})
	n := network(t, simnet.Config{TTS: speaker, Scripts: scripts(t, shortTalk)})
	answered := make(chan held, 1)
	ua := phone(t, func(ctx context.Context, in *sip.Inbound) {
		leg, err := in.Answer(ctx)
		if err != nil {
			answered <- held{err: err}
			return
		}
		answered <- hold(ctx, leg, speaker, greeting)
	})

	var outbound, interrupted, dropped, inbound held
	var calls sync.WaitGroup
	calls.Go(func() { outbound = call(t.Context(), ua, n, speaker, "+31612345678", greeting) })
	calls.Go(func() { interrupted = call(t.Context(), ua, n, speaker, "+31612345609", lecture) })
	calls.Go(func() { dropped = call(t.Context(), ua, n, speaker, "+31612345605", "Hi.") })
	calls.Go(func() {
		_, err := n.Call(t.Context(), ua.Addr().String(), "+31687654321", "+31200000000", scripts(t, shortTalk)["default"])
		inbound = <-answered
		inbound.err = errors.Join(inbound.err, err)
	})
	calls.Wait()

	t.Run("outbound", func(t *testing.T) {
		require.NoError(t, outbound.err)
		require.Equal(t, shortTranscript, outbound.transcript)
		require.Equal(t, turn.AssistantSaidEndCallPhrase, outbound.outcome.Reason)
		require.Len(t, outbound.outcome.Timings, 2)
		for _, timing := range outbound.outcome.Timings {
			require.Less(t, timing.FirstSound-timing.SpeechEnded, 2*time.Second)
		}
		i := slices.IndexFunc(n.Calls(), func(c simnet.Call) bool { return c.To == "+31612345678" })
		eventually(t, func() bool { return !n.Calls()[i].EndedAt.IsZero() })
		far := n.Calls()[i]
		require.False(t, far.HungUp, "the assistant did")
		require.Equal(t, []string{
			"The practice.", "Hello?", "On Saturday we are open from nine to one.", "You are welcome.", "Goodbye.",
		}, simnet.Texts(far.Heard))
	})
	t.Run("inbound", func(t *testing.T) {
		require.NoError(t, inbound.err)
		require.Equal(t, shortTranscript, inbound.transcript)
	})
	t.Run("interrupted", func(t *testing.T) {
		require.NoError(t, interrupted.err)
		require.Equal(t, turn.AssistantSaidEndCallPhrase, interrupted.outcome.Reason)
		require.Regexp(t, `^assistant: this practice has .* --$`, interrupted.transcript[0])
		require.NotContains(t, interrupted.transcript[0], "rooms")
		require.Equal(t, []string{
			"user: Wait, sorry, I have a question. Are you open on Saturday?",
			"assistant: On Saturday we are open from nine to one.",
			"user: Thank you. Goodbye.",
			"assistant: You are welcome. Goodbye.",
		}, interrupted.transcript[1:])
	})
	t.Run("dropped", func(t *testing.T) {
		require.NoError(t, dropped.err)
		require.Equal(t, turn.CustomerEndedCall, dropped.outcome.Reason)
		require.Equal(t, []string{"assistant: Hi."}, dropped.transcript)
	})
}

const careTalk = shortTalk + `
  "20":
    steps:
      - echo: 150ms
        gain: -10dB
      - listen:
      - say: Are you open on Saturday?
      - listen:
      - say: Thank you. Goodbye.
      - listen:
  "21":
    steps:
      - wait: 1s
      - say: Hello, who is this? Are you open on Saturday?
      - listen:
      - say: Thank you. Goodbye.
      - listen:
`

// tornFrom is how many frames may come late before a line is not the one that its far end's echo is made for.
const tornFrom = 8

func TestFarEndsThatNeedCare(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}

	const lecture = "This practice has a long greeting that tells you everything about our doctors."
	speaker := flite.New(flite.Config{})
	n, ua := network(t, simnet.Config{TTS: speaker, Scripts: scripts(t, careTalk)}), phone(t, nil)
	var voicemail, keys, echoing, generated, waits held
	var calls sync.WaitGroup
	calls.Go(func() {
		voicemail = call(t.Context(), ua, n, speaker, "+31612345604", "Hello.", func(s *voice.Script) {
			s.DetectVoicemail, s.VoicemailMessage = true, "Here is the practice. Please call us back."
		})
	})
	calls.Go(func() {
		keys = call(t.Context(), ua, n, speaker, "+31612345610", "Your number, please?", func(s *voice.Script) {
			s.Keypad = turn.KeypadPlan{Enabled: true, Timeout: 2 * time.Second, Delimiters: "#"}
			s.Background = voice.Background{Sound: voice.OfficeSound(), Gain: voice.DefaultBackgroundGain}
		})
	})
	calls.Go(func() {
		generated = call(t.Context(), ua, n, speaker, "+31612345678", "", func(s *voice.Script) {
			s.FirstMessageMode = turn.AssistantSpeaksFirstGenerated
		})
	})
	calls.Go(func() {
		waits = call(t.Context(), ua, n, speaker, "+31612345621", "Not this.", func(s *voice.Script) {
			s.FirstMessageMode, s.DetectVoicemail = turn.AssistantWaitsForUser, true
		})
	})
	calls.Go(func() { echoing = call(t.Context(), ua, n, speaker, "+31612345620", lecture) })
	calls.Wait()
	far := func(number string) simnet.Call {
		i := slices.IndexFunc(n.Calls(), func(c simnet.Call) bool { return c.To == number })
		eventually(t, func() bool { return !n.Calls()[i].EndedAt.IsZero() })
		return n.Calls()[i]
	}

	t.Run("voicemail", func(t *testing.T) {
		require.NoError(t, voicemail.err)
		require.Equal(t, turn.Voicemail, voicemail.outcome.Reason)
		require.Equal(t, []string{
			"user: You have reached the voicemail of Alex. I cannot take your call right now. Please leave a message after the beep.",
			"assistant: Here is the practice. Please call us back.",
		}, voicemail.transcript)
		machine := far("+31612345604")
		require.Equal(t, []string{"Here is the practice.", "Please call us back."}, simnet.Texts(machine.Heard))
		beepEnds := machine.Said[0].At.Add(500*time.Millisecond + 600*time.Millisecond)
		require.WithinDuration(t, beepEnds, machine.Heard[0].At, 700*time.Millisecond)
	})
	t.Run("keys", func(t *testing.T) {
		require.NoError(t, keys.err)
		require.Equal(t, []string{
			"assistant: Your number, please?", "user: User's Keypad Entry: 123", "assistant: Thank you for your number.",
			"user: That was it. Goodbye.", "assistant: You are welcome. Goodbye.",
		}, keys.transcript)
	})
	t.Run("the model speaks first", func(t *testing.T) {
		require.NoError(t, generated.err)
		require.Equal(t, append([]string{"assistant: The practice. Who is there?"}, shortTranscript[1:]...), generated.transcript)
	})
	t.Run("the caller speaks first", func(t *testing.T) {
		require.NoError(t, waits.err)
		require.Equal(
			t,
			append([]string{"user: Hello, who is this? Are you open on Saturday?"}, shortTranscript[2:]...),
			waits.transcript,
		)
	})
	t.Run("echo", func(t *testing.T) {
		require.NoError(t, echoing.err)
		// The caller spoke twice. Without the guard every sentence of ours comes back as speech, some thirty times.
		caller := slices.DeleteFunc(
			slices.Clone(echoing.transcript),
			func(turn string) bool { return !strings.HasPrefix(turn, "user: ") },
		)
		require.Equal(t, []string{"user: Are you open on Saturday?", "user: Thank you. Goodbye."}, caller)
		require.GreaterOrEqual(t, echoing.heard, 2)
		if echoing.line.Filled > tornFrom { // a piece of the echo comes from elsewhere then, and may be taken for somebody
			t.Logf("this machine tore the sound: %d frames did not come in time", echoing.line.Filled)
			return
		}
		require.Equal(t, "assistant: "+lecture, echoing.transcript[0])
		require.Less(t, echoing.heard, 6, "our own echo is not a caller")
	})
}
