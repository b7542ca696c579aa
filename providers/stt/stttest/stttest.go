// Package stttest has the conformance suite of stt.Provider.
//
// It knows the contract of package stt. It must not know any provider.
package stttest

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
)

// patience is the time limit for an event.
const patience = 10 * time.Second

// Subject is a provider under test, and how it is made to recognise Words.
type Subject struct {
	Provider stt.Provider
	// Speak returns options for a stream and a function that, called after some speech was written, makes Words its
	// text. It may be nil.
	Speak func() (o stt.Options, say func())
	Words string
}

// Run checks the subject.
func Run(t *testing.T, s Subject) {
	t.Helper()
	t.Run("says its name", func(t *testing.T) { require.NotEmpty(t, s.Provider.Name()) })
	t.Run("hears speech after speech", func(t *testing.T) { hears(t, s) })
	t.Run("hears it in frames", func(t *testing.T) { frames(t, s) })
	t.Run("every pause has a final event", func(t *testing.T) { pauses(t, s) })
	t.Run("silence has a final event", func(t *testing.T) { silence(t, s) })
	t.Run("can be closed", func(t *testing.T) { closes(t, s) })
	t.Run("can be closed in the middle", func(t *testing.T) { closesBusy(t, s) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, s) })
}

// Speech returns a second of noise.
func Speech() []int16 {
	out := make([]int16, 8000)
	for i := range out {
		out[i] = int16(8000 * math.Sin(float64(i)/5))
	}
	return out
}

// Final waits for the next final event and returns its text.
func Final(t *testing.T, stream stt.Stream) string {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case event, ok := <-stream.Events():
			require.True(t, ok, "the stream is over: %v", stream.Err())
			if event.Final {
				return event.Text
			}
		case <-limit:
			require.Fail(t, "no final event came")
		}
	}
}

// Over reads events until there are no more.
func Over(t *testing.T, stream stt.Stream) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case _, ok := <-stream.Events():
			if !ok {
				return
			}
		case <-limit:
			require.Fail(t, "the stream did not end")
		}
	}
}

func open(t *testing.T, ctx context.Context, s Subject) (stt.Stream, func()) {
	t.Helper()
	options, say := s.Speak()
	stream, err := s.Provider.Open(ctx, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	if say == nil {
		say = func() {}
	}
	return stream, say
}

func hears(t *testing.T, s Subject) {
	t.Helper()
	stream, say := open(t, t.Context(), s)
	for range 2 {
		samples := Speech()
		require.NoError(t, stream.Write(samples[:4000]))
		require.NoError(t, stream.Write(samples[4000:]))
		clear(samples) // they were copied
		say()
		stream.EndOfSpeech()
		require.Equal(t, s.Words, Final(t, stream))
	}
	require.NoError(t, stream.Err())
}

// frames writes 20 ms at a time, as calls do.
func frames(t *testing.T, s Subject) {
	t.Helper()
	stream, say := open(t, t.Context(), s)
	for frame := range slices.Chunk(Speech(), 160) {
		require.NoError(t, stream.Write(frame))
	}
	say()
	stream.EndOfSpeech()
	require.Equal(t, s.Words, Final(t, stream))
}

// pauses writes further speech before the final event of the speech before.
func pauses(t *testing.T, s Subject) {
	t.Helper()
	const times = 3
	stream, say := open(t, t.Context(), s)
	for range times {
		require.NoError(t, stream.Write(Speech()))
		say()
		stream.EndOfSpeech()
	}
	var heard []string
	for range times {
		heard = append(heard, Final(t, stream))
	}
	require.Equal(t, times, strings.Count(strings.Join(heard, " "), s.Words), "%q", heard)
}

func silence(t *testing.T, s Subject) {
	t.Helper()
	stream, _ := open(t, t.Context(), s)
	stream.EndOfSpeech()
	stream.EndOfSpeech()
	require.Empty(t, Final(t, stream))
	require.Empty(t, Final(t, stream))
}

func closes(t *testing.T, s Subject) {
	t.Helper()
	stream, _ := open(t, t.Context(), s)
	require.NoError(t, stream.Close())
	require.NoError(t, stream.Close())
	Over(t, stream)
	require.NoError(t, stream.Err())
	require.Error(t, stream.Write(Speech()))
	stream.EndOfSpeech()
}

func closesBusy(t *testing.T, s Subject) {
	t.Helper()
	stream, say := open(t, t.Context(), s)
	for range 40 { // more than fits into the buffers
		require.NoError(t, stream.Write(Speech()))
		say()
		stream.EndOfSpeech()
	}
	require.NoError(t, stream.Close())
	require.NoError(t, stream.Err())
}

func cancelled(t *testing.T, s Subject) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stream, _ := open(t, ctx, s)
	require.NoError(t, stream.Write(Speech()))
	cancel()
	Over(t, stream)
	require.ErrorIs(t, stream.Err(), context.Canceled)
	_, isFault := fault.Of(stream.Err())
	require.False(t, isFault)
	require.Error(t, stream.Write(Speech()))
}
