package espeak_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/espeak"
	"github.com/callwright/callwright/providers/tts/ttstest"
)

const (
	waitLimit = 10 * time.Second
	pollEvery = 5 * time.Millisecond
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func installed(t *testing.T) *espeak.Provider {
	t.Helper()
	return espeak.New(espeak.Config{Program: peertest.Require(t, "espeak-ng")})
}

func requireKind(t *testing.T, want fault.Kind, err error) {
	t.Helper()
	kind, _ := fault.Of(err)
	require.Equal(t, want, kind, "%v", err)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ttstest.Run(t, installed(t), tts.Request{Text: "Good morning, how can I help you?"})
}

func TestLanguagesSoundDifferent(t *testing.T) {
	t.Parallel()
	p := installed(t)
	dutch, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Goedemorgen, zegt u het maar.", Language: "nl"})
	require.NoError(t, err)
	english, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "Goedemorgen, zegt u het maar."})
	require.NoError(t, err)
	require.NotEqual(t, english, dutch)
	for _, sound := range [][]int16{dutch, english} {
		require.Greater(t, len(sound), 8000)
		require.Less(t, len(sound), 4*8000)
	}
}

func TestTextIsNeverAnArgument(t *testing.T) {
	t.Parallel()
	sound, err := ttstest.Collect(t.Context(), installed(t), tts.Request{Text: "--version; -f /etc/passwd"})
	require.NoError(t, err)
	require.Greater(t, len(sound), 8000)
}

func TestVoicesThatDoNotExist(t *testing.T) {
	t.Parallel()
	_, err := ttstest.Collect(t.Context(), installed(t), tts.Request{Text: "a", Voice: "nobody"})
	requireKind(t, fault.Refused, err)
	for _, voice := range []string{"../../etc/passwd", "-h", "a b", "/tmp/x"} {
		_, err := ttstest.Collect(t.Context(), espeak.New(espeak.Config{}), tts.Request{Text: "a", Voice: voice})
		requireKind(t, fault.Refused, err)
	}
	_, err = ttstest.Collect(t.Context(), espeak.New(espeak.Config{}), tts.Request{Text: strings.Repeat("a", 30_000)})
	requireKind(t, fault.Refused, err)
}

func TestAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"no-such-program-anywhere", filepath.Join(t.TempDir(), "none")} {
		p := espeak.New(espeak.Config{Program: path})
		require.False(t, p.Installed())
		_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
		requireKind(t, fault.Unavailable, err)
		require.ErrorContains(t, err, "is not installed")
	}
}

func TestAProgramThatFails(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"crash": "echo out of memory >&2; exit 3", "garbage": "echo hello", "silent": "true", "endless": "exec cat /dev/zero",
		"endless complaints": "head -c 100000 /dev/zero >&2; exit 1",
	} {
		p := espeak.New(espeak.Config{Program: peertest.Script(t, "espeak", script)})
		_, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
		requireKind(t, fault.Unavailable, err)
		require.Error(t, err, name)
	}
}

func TestAHangingProgramEndsWithItsContext(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	p := espeak.New(espeak.Config{Program: peertest.Script(t, "espeak", "echo > "+started+"\nexec sleep 60"), Concurrency: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 { // one runs, the other waits for its slot
		go func() {
			_, err := ttstest.Collect(ctx, p, tts.Request{Text: "a"})
			ended <- err
		}()
	}
	require.Eventually(t, func() bool {
		_, err := os.Stat(started)
		return err == nil
	}, waitLimit, pollEvery)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}
