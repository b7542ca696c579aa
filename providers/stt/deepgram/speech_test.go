package deepgram

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// numbered returns n samples whose values are their positions, from first on.
func numbered(first, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16((first + i) % 30_000)
	}
	return out
}

// sendAll sends everything that is due.
func sendAll(s *speech) (samples []int16, flushes int) {
	for {
		chunk, flush := s.next()
		samples = append(samples, chunk...)
		switch {
		case flush:
			flushes++
		case len(chunk) == 0:
			return samples, flushes
		}
	}
}

func TestSpeechIsSentOnceInChunks(t *testing.T) {
	t.Parallel()
	s := &speech{}
	s.write(numbered(0, 5000))
	first, _ := s.next()
	require.Equal(t, numbered(0, maxChunk), first)
	rest, _ := sendAll(s)
	require.Equal(t, numbered(maxChunk, 5000-maxChunk), rest)
	rest, _ = sendAll(s)
	require.Empty(t, rest)
}

func TestPausesStandBetweenTheirSamples(t *testing.T) {
	t.Parallel()
	s := &speech{}
	s.write(numbered(0, 1000))
	s.pause()
	s.write(numbered(1000, 1000))
	samples, flush := s.next()
	require.Len(t, samples, 1000)
	require.False(t, flush)
	samples, flush = s.next()
	require.Empty(t, samples)
	require.True(t, flush)
	require.False(t, s.complete(false))
	require.True(t, s.settle(1000))
	require.False(t, s.settle(900), "it was final before")
	require.True(t, s.complete(false))
	s.finalize()
	require.False(t, s.complete(true), "no pause waits")
	samples, _ = s.next()
	require.Equal(t, numbered(1000, 1000), samples)
}

func TestWhatIsNotFinalIsHeardAgain(t *testing.T) {
	t.Parallel()
	s := &speech{}
	s.write(numbered(0, 8000))
	s.pause()
	_, flushes := sendAll(s)
	require.Equal(t, 1, flushes)
	require.True(t, s.settle(3000))
	s.again()
	samples, flushes := sendAll(s)
	require.Equal(t, numbered(3000, 5000), samples)
	require.Equal(t, 1, flushes)
	require.True(t, s.settle(5000)) // the new connection counts from where it began
	require.True(t, s.complete(false))
}

func TestATimeBeyondWhatWasSentIsNotBelieved(t *testing.T) {
	t.Parallel()
	s := &speech{}
	s.write(numbered(0, 8000))
	s.next()
	require.True(t, s.settle(1<<40))
	require.EqualValues(t, maxChunk, s.settled)
}

func TestTheBeginningOfTooMuchIsGivenUp(t *testing.T) {
	t.Parallel()
	s := &speech{}
	s.write(numbered(0, 1000))
	sendAll(s)
	const second = audio.Rate
	for i := range maxKept / second {
		s.write(numbered(1000+i*second, second)) // nothing is sent
	}
	samples, _ := sendAll(s)
	require.Equal(t, numbered(1000, maxKept), samples, "the 1000 that were sent are given up")
	s.write(numbered(1000+maxKept, second))
	s.write(numbered(1000+maxKept+second, second))
	require.EqualValues(t, 1000+2*second, s.settled)

	late := &speech{}
	late.write(numbered(0, maxKept+2000)) // 2000 are never sent, so the connection does not count them
	samples, _ = sendAll(late)
	require.Equal(t, numbered(2000, maxKept), samples)
	require.True(t, late.settle(500))
	require.EqualValues(t, 2500, late.settled)
}
