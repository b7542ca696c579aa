package captions_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/captions"
	"github.com/callwright/callwright/providers/stt/stttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	stttest.Run(t, stttest.Subject{
		Provider: captions.New(slog.New(slog.DiscardHandler)), Words: "Good morning.",
		Speak: func() (stt.Options, func()) {
			sent := make(chan string, 100)
			return stt.Options{Captions: sent}, func() { sent <- "Good morning." }
		},
	})
}

type call struct {
	stt.Stream
	t    *testing.T
	sent chan string
	log  *bytes.Buffer
}

// begin opens a stream inside a synctest bubble.
func begin(t *testing.T) *call {
	t.Helper()
	c := &call{t: t, sent: make(chan string), log: &bytes.Buffer{}}
	stream, err := captions.New(slog.New(slog.NewTextHandler(c.log, nil))).Open(t.Context(), stt.Options{Captions: c.sent})
	require.NoError(t, err)
	c.Stream = stream
	return c
}

// events are those that come within d.
func (c *call) events(d time.Duration) (out []stt.Event) {
	c.t.Helper()
	limit := time.After(d)
	for {
		select {
		case event := <-c.Events():
			out = append(out, event)
		case <-limit:
			return out
		}
	}
}

func (c *call) speak() { require.NoError(c.t, c.Write(make([]int16, 160))) }

func TestTextBeforeThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := begin(t)
		c.speak()
		c.sent <- "Hello "
		c.sent <- "there."
		require.Equal(t, []stt.Event{{Text: "Hello"}, {Text: "Hello there."}}, c.events(time.Second))
		c.EndOfSpeech()
		require.Equal(t, []stt.Event{{Text: "Hello there.", Final: true}}, c.events(time.Millisecond))
		require.NoError(t, c.Close())
	})
}

func TestTextBehindThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := begin(t)
		c.speak()
		c.EndOfSpeech()
		time.Sleep(300 * time.Millisecond)
		c.sent <- "Late "
		time.Sleep(50 * time.Millisecond)
		c.sent <- "words."
		require.Equal(t, []stt.Event{{Text: "Late words.", Final: true}}, c.events(time.Second))
		require.NoError(t, c.Close())
	})
}

func TestSpeechWithoutText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := begin(t)
		for range 2 {
			c.speak()
			c.EndOfSpeech()
			require.Equal(t, []stt.Event{{Final: true}}, c.events(400*time.Millisecond+time.Microsecond))
		}
		require.Equal(t, 1, strings.Count(c.log.String(), "sends no captions"))
		require.NoError(t, c.Close())
	})
}

func TestTypedText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := begin(t)
		c.sent <- "\uFEFFhelp\b\b\blol"
		c.sent <- "\u2028"
		close(c.sent)
		require.Equal(t, []stt.Event{{Text: "hlol"}, {Text: "hlol", Final: true}}, c.events(time.Second))
		c.EndOfSpeech()
		require.Equal(t, []stt.Event{{Final: true}}, c.events(time.Second))
		require.NoError(t, c.Close())
	})
}

func TestACallWithoutCaptions(t *testing.T) {
	t.Parallel()
	_, err := captions.New(slog.New(slog.DiscardHandler)).Open(t.Context(), stt.Options{})
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind)
}
