// Package ttstest is what every tts.Provider has to pass.
//
// It knows the contract of package tts. It must not know any provider.
package ttstest

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/tts"
)

// Collect puts the chunks of an utterance together.
func Collect(ctx context.Context, p tts.Provider, req tts.Request) ([]int16, error) {
	var all []int16
	for chunk, err := range p.Speak(ctx, req) {
		if err != nil {
			return all, err
		}
		all = append(all, chunk...)
	}
	return all, nil
}

// Level is the effective value of samples, in dB below the loudest possible.
func Level(samples []int16) float64 {
	var sum float64
	for _, sample := range samples {
		sum += float64(sample) * float64(sample)
	}
	return 20 * math.Log10(math.Sqrt(sum/float64(max(len(samples), 1)))/math.MaxInt16+1e-9)
}

// Run checks a provider that can speak req, some words.
func Run(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	t.Run("says its name", func(t *testing.T) { require.NotEmpty(t, p.Name()) })
	t.Run("speaks", func(t *testing.T) { speaks(t, p, req) })
	t.Run("has nothing to say", func(t *testing.T) { nothing(t, p, req) })
	t.Run("can be left", func(t *testing.T) { left(t, p, req) })
	t.Run("speaks again when it was left", func(t *testing.T) { again(t, p, req) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, p, req) })
	t.Run("speaks twice at once", func(t *testing.T) { concurrent(t, p, req) })
}

func speaks(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	var all []int16
	chunks := 0
	for chunk, err := range p.Speak(t.Context(), req) {
		require.NoError(t, err)
		require.NotEmpty(t, chunk)
		all = append(all, chunk...)
		chunks++
	}
	require.Greater(t, chunks, 1, "it came in one piece")
	require.Greater(t, len(all), 1600, "less than 200 ms")
	require.Greater(t, Level(all), -45.0, "nothing can be heard")
	require.Less(t, Level(all), -6.0, "it is too loud")
}

func nothing(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	req.Text = " \n"
	_, err := Collect(t.Context(), p, req)
	require.NoError(t, err)
}

func left(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	for _, err := range p.Speak(t.Context(), req) {
		require.NoError(t, err)
		break
	}
}

// again hears nothing of an utterance that was given up.
func again(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	whole, err := Collect(t.Context(), p, req)
	require.NoError(t, err)
	other := req
	other.Text += " And something else."
	for range 3 {
		left(t, p, other)
		sound, err := Collect(t.Context(), p, req)
		require.NoError(t, err)
		require.Equal(t, whole, sound)
	}
}

func cancelled(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req.Text += " Not heard before."
	_, err := Collect(ctx, p, req)
	require.ErrorIs(t, err, context.Canceled)
	_, isFault := fault.Of(err)
	require.False(t, isFault, "%v", err)
}

func concurrent(t *testing.T, p tts.Provider, req tts.Request) {
	t.Helper()
	sounds := make([][]int16, 4)
	var speaking sync.WaitGroup
	for i := range sounds {
		speaking.Go(func() {
			if sound, err := Collect(t.Context(), p, req); err == nil {
				sounds[i] = sound
			}
		})
	}
	speaking.Wait()
	for _, sound := range sounds {
		require.NotEmpty(t, sound)
		require.Equal(t, sounds[0], sound)
	}
}
