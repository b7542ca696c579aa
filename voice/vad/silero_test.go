package vad

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newSilero(t testing.TB) *Silero {
	t.Helper()
	s, err := NewSilero()
	require.NoError(t, err)
	return s
}

// utterance is 16-bit mono speech made by flite, behind a header of 44 bytes.
func utterance(t testing.TB) []int16 {
	t.Helper()
	wav, err := os.ReadFile("testdata/utterance.wav")
	require.NoError(t, err)
	var pcm []int16
	for i := 44; i+1 < len(wav); i += 2 {
		pcm = append(pcm, int16(binary.LittleEndian.Uint16(wav[i:])))
	}
	return pcm
}

// The golden probabilities were written by onnxruntime running silero_vad.onnx.
func TestSileroMatchesOnnxruntime(t *testing.T) {
	t.Parallel()

	pcm := utterance(t)
	golden, err := os.ReadFile("testdata/utterance.onnxruntime.txt")
	require.NoError(t, err)
	s := newSilero(t)
	for round := range 2 { // the second round checks Reset
		for i, line := range strings.Fields(string(golden)) {
			want, err := strconv.ParseFloat(line, 64)
			require.NoError(t, err)
			require.InDelta(t, want, s.Prob(pcm[i*FrameSize:(i+1)*FrameSize]), 1e-4, "round %d, frame %d", round, i)
		}
		s.Reset()
	}
}

// Over minutes of speech and noise of all levels, what is packed neither adds up nor tips a decision.
func TestPackedWeightsGiveTheSameProbabilities(t *testing.T) {
	t.Parallel()

	values, err := readValues(weightsFile)
	require.NoError(t, err)
	packed, plain := newSilero(t), &Silero{w: layOut(values)}
	speech, r := utterance(t), rand.New(rand.NewPCG(12, 13))
	frame := make([]int16, FrameSize)
	for n := range 4000 {
		at, loud := n*FrameSize%(len(speech)-FrameSize), math.Pow(10, -float64(n%7)/3)
		for i := range frame {
			frame[i] = int16(loud * (float64(speech[at+i]) + r.NormFloat64()*float64(n%500)))
		}
		require.InDelta(t, plain.Prob(frame), packed.Prob(frame), 5e-4, "frame %d", n)
	}
}

func TestSpeechOpensTheGateOnce(t *testing.T) {
	t.Parallel()

	heard := func(frames int64) (events []Event) {
		silence := frames * FrameSize
		s, err := NewStream(newSilero(t), DefaultGate())
		require.NoError(t, err)
		emit := func(e Event) {
			events = append(events, Event{Kind: e.Kind, At: e.At - silence, Detected: e.Detected - silence})
		}
		s.Push(make([]int16, silence), emit)
		s.Push(utterance(t), emit)
		s.Push(make([]int16, Rate), emit)
		return events
	}
	awake := heard(restAfter / 2)
	require.Len(t, awake, 3)
	require.Equal(t, SpeechStart, awake[0].Kind)
	require.Equal(t, SpeechPause, awake[1].Kind)
	require.Equal(t, SpeechEnd, awake[2].Kind)
	require.Equal(t, awake, heard(10*restAfter), "a detector that rested hears the same")
}

func TestSteadyNoiseIsNotSpeech(t *testing.T) {
	t.Parallel()

	for _, level := range []float64{-60, -47, -34, -21} { // dBFS
		r := rand.New(rand.NewPCG(8, 9))
		s, err := NewStream(newSilero(t), DefaultGate())
		require.NoError(t, err)
		pcm := make([]int16, 10*Rate)
		for i := range pcm {
			pcm[i] = int16(max(min(r.NormFloat64()*32768*math.Pow(10, level/20), 32767), -32768))
		}
		s.Push(pcm, func(e Event) { t.Errorf("noise at %.0f dBFS: %v", level, e) })
	}
}

func TestAnyInputGivesAProbability(t *testing.T) {
	t.Parallel()

	r := rand.New(rand.NewPCG(10, 11))
	for name, sample := range map[string]func(i int) int16{
		"zero":   func(int) int16 { return 0 },
		"lowest": func(int) int16 { return math.MinInt16 },
		"square": func(i int) int16 { return int16(32767 - 65535*(i/7%2)) },
		"random": func(int) int16 { return int16(r.Uint32()) },
		"click":  func(i int) int16 { return int16(32767 * max(0, 1-i)) },
	} {
		s, frame := newSilero(t), make([]int16, FrameSize)
		for n := range 100 {
			for i := range frame {
				frame[i] = sample(n*FrameSize + i)
			}
			p := s.Prob(frame)
			require.True(t, p >= 0 && p <= 1, "%s: %g", name, p)
		}
		p := s.Prob(make([]int16, FrameSize))
		require.True(t, p >= 0 && p <= 1, "silence after %s: %g", name, p)
	}
}

// The race detector makes a pool forget every fourth thing it is given, hence not zero.
func TestStreamDoesNotAllocatePerFrame(t *testing.T) {
	s, err := NewStream(newSilero(t), DefaultGate())
	require.NoError(t, err)
	pcm, events := utterance(t), 0
	emit := func(Event) { events++ }
	require.Less(t, testing.AllocsPerRun(5, func() { s.Push(pcm, emit) }), 0.5*float64(len(pcm)/FrameSize))
}

// Cold is as in a process with many calls: each frame is of another one, and other work has used the caches since.
func BenchmarkSilero(b *testing.B) {
	pcm := utterance(b)
	for name, other := range map[string][]byte{"warm": nil, "cold": make([]byte, 4<<20)} {
		b.Run(name, func(b *testing.B) {
			detectors := make([]*Silero, 500)
			for i := range detectors {
				detectors[i] = newSilero(b)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				for k := 0; k < len(other); k += 64 {
					other[k]++
				}
				b.StartTimer()
				at := i / len(detectors) * FrameSize % (len(pcm) - FrameSize)
				detectors[i%len(detectors)].Prob(pcm[at : at+FrameSize])
			}
		})
	}
}
