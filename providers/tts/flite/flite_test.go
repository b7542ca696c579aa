package flite_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var voices = []string{flite.Kal, flite.Slt}

func seconds(sound []int16) float64 { return float64(len(sound)) / audio.Rate }

// say returns the sound of a text in the default voice, which must be one.
func say(t *testing.T, text string) []int16 {
	t.Helper()
	sound, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), tts.Request{Text: text})
	require.NoError(t, err, text)
	return sound
}

func requireKind(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	kind, _ := fault.Of(err)
	require.Equal(t, want, kind, "%v", err)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, voice := range voices {
		t.Run(voice, func(t *testing.T) {
			t.Parallel()
			ttstest.Run(t, flite.New(flite.Config{Voice: voice}), tts.Request{Text: "Good morning, how can I help you?"})
		})
	}
}

func TestVoicesSoundDifferent(t *testing.T) {
	t.Parallel()
	ask := func(voice string) []int16 {
		req := tts.Request{Text: "We are open until nine.", Voice: voice}
		sound, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), req)
		require.NoError(t, err)
		require.InDelta(t, 1.8, seconds(sound), 0.7, voice)
		return sound
	}
	require.Equal(t, ask(flite.Kal), ask(""))
	require.NotEqual(t, ask(flite.Kal), ask(flite.Slt))
}

// Slt speaks at 16 kHz, of which an 8 kHz call hears half. Kal has nothing above 4 kHz.
func TestVoicesInWideband(t *testing.T) {
	t.Parallel()
	for _, voice := range voices {
		req := tts.Request{Text: "She sells sea shells.", Voice: voice}
		narrow, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), req)
		require.NoError(t, err)
		req.Band = audio.Wide
		wide, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), req)
		require.NoError(t, err)
		require.InDelta(t, 2*len(narrow), len(wide), 320, voice)
		lower, err := audio.Resample(wide, audio.Wide.Rate(), audio.Rate)
		require.NoError(t, err)
		again, err := audio.Resample(lower, audio.Rate, audio.Wide.Rate())
		require.NoError(t, err)
		var upper, all float64
		for i := range min(len(wide), len(again)) {
			d := float64(wide[i]) - float64(again[i])
			upper, all = upper+d*d, all+float64(wide[i])*float64(wide[i])
		}
		if voice == flite.Slt {
			require.Greater(t, upper/all, 0.02, "the sibilants")
		} else {
			require.Less(t, upper/all, 0.01)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := flite.New(flite.Config{})
	_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Hello.", Voice: "nobody"})
	requireKind(t, fault.Refused, err)
	require.ErrorContains(t, err, "there are kal and slt")
	_, err = ttstest.Collect(t.Context(), p, tts.Request{Text: strings.Repeat("a", 20_001)})
	requireKind(t, fault.Refused, err)
	_, err = ttstest.Collect(t.Context(), p, tts.Request{Text: "Доброе утро"})
	requireKind(t, fault.Unavailable, err) // another voice can read it
}

func TestNothingToSay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "  \n", "…", "?!", "😀", "— “ ” —", "\x00\xff"} {
		require.Empty(t, say(t, text), "%q", text)
	}
}

func TestForeignLettersAreRead(t *testing.T) {
	t.Parallel()
	for _, texts := range [][2]string{
		{"José's café is naïve, Zoë.", "Jose's cafe is naive, Zoe."},
		{"“It’s” Straße", `"It's" Strasse`},
		{"That is €12.50 or €3", "That is 12.50 euros or 3 euros"},
		{"Thanks 😀 a lot\u00a0👍🏽", "Thanks a lot"},
		{"ﬁ\u200bve°", "five degrees"},
	} {
		require.Equal(t, say(t, texts[1]), say(t, texts[0]), texts[0])
	}
}

func TestTextIsNeverAnArgument(t *testing.T) {
	t.Parallel()
	require.Greater(t, seconds(say(t, "--version; -f /etc/passwd")), 1.0)
}

// TestLongTexts are those for which Flite by itself needs minutes, or more memory than it has here.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"sentences": "We are open from nine to five. ", "no end": "and then ", "a word": "a", "no word": "xkqz",
		"digits": "1234567890", "money": "$1,234,567.89 ", "letters": "a.", "commas": "one, ",
	} {
		require.Greater(t, seconds(say(t, strings.Repeat(part, 400/len(part)))), 10.0, name)
	}
}

// TestWordsBeginAtOnce and have a pause behind them.
func TestWordsBeginAtOnce(t *testing.T) {
	t.Parallel()
	for _, voice := range voices {
		for _, text := range []string{"Yes.", "We are open.", "Sorry, could you say that again?", "Hello?", "Four."} {
			sound, err := ttstest.Collect(t.Context(), flite.New(flite.Config{Voice: voice}), tts.Request{Text: text})
			require.NoError(t, err)
			require.Greater(t, ttstest.Level(sound[:1200]), -35.0, "%s: %s", voice, text)
			require.Less(t, ttstest.Level(sound[len(sound)-1200:]), -35.0, "%s: %s", voice, text)
		}
	}
}

func TestSoundComesBeforeAllIsMade(t *testing.T) {
	t.Parallel()
	text := tts.Request{Text: "Your appointment is on Thursday the fifth of March at a quarter past ten. Would that suit you?"}
	whole, err := ttstest.Collect(t.Context(), flite.New(flite.Config{}), text)
	require.NoError(t, err)
	for chunk, err := range flite.New(flite.Config{}).Speak(t.Context(), text) {
		require.NoError(t, err)
		require.Less(t, len(chunk), len(whole)/10)
		break
	}
}

func TestItEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	chunks := 0
	req := tts.Request{Text: strings.Repeat("And so on. ", 1000), Voice: flite.Slt}
	for _, err := range flite.New(flite.Config{}).Speak(ctx, req) {
		if chunks++; chunks == 3 {
			require.NoError(t, err)
			cancel()
			continue
		}
		if chunks > 3 {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	require.Equal(t, 4, chunks)
	cancel()

	late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := ttstest.Collect(late, flite.New(flite.Config{}), tts.Request{Text: "Hello."})
	requireKind(t, fault.Timeout, err)
}
