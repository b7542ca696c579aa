package telephones_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/cmd/callwright-bench/telephones"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func tone(d time.Duration) []int16 {
	pcm := make([]int16, audio.Samples(d))
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(float64(i)/3))
	}
	return pcm
}

// Many at once have a conversation each with a real leg, from an address of their own, and hang up.
func TestTelephonesTalk(t *testing.T) {
	t.Parallel()
	const calls = 40
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	phones, err := telephones.Start(telephones.Config{Question: tone(100 * time.Millisecond), Talk: 3 * time.Second, Logger: slog.Default()})
	require.NoError(t, err)
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	type outcome struct {
		err      error
		question bool
		stats    media.Stats
	}
	outcomes := make(chan outcome)
	for i := range calls {
		go func() {
			leg, err := ua.Dial(ctx, sip.Dial{Proxy: phones.Addr().String(), From: "1", To: fmt.Sprint(i)})
			if err != nil {
				outcomes <- outcome{err: err}
				return
			}
			leg.Play(tone(200 * time.Millisecond)) // so that it asks behind a pause
			o := outcome{}
			for in := range leg.Incoming() {
				if !o.question && audio.Level(in.Frame) > -30 {
					o.question = true
					leg.Play(append(make([]int16, audio.Samples(200*time.Millisecond)), tone(200*time.Millisecond)...))
				}
			}
			<-leg.Done()
			o.err, o.stats = leg.Err(), leg.Stats()
			outcomes <- o
		}()
	}
	for range calls {
		o := <-outcomes
		require.ErrorIs(t, o.err, media.ErrRemoteHangup)
		require.True(t, o.question)
		require.Greater(t, o.stats.PacketsIn, uint64(100))
		require.Zero(t, o.stats.Lost)
		require.Zero(t, o.stats.Strays)
		require.Equal(t, "PCMU", o.stats.Codec)
	}
	require.NoError(t, ua.Close(ctx))
	noted, err := phones.Close()
	require.NoError(t, err)
	require.Len(t, noted, calls)
	for number, n := range noted {
		require.NotEmpty(t, n.Answers, number)
		require.Greater(t, n.Heard, 100, number)
		require.Zero(t, n.Lost, number)
	}
}
