package vad

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const frame = FrameSize

// run is a probability that lasts for a number of frames.
type run struct {
	p      float64
	frames int
}

func play(t *testing.T, c GateConfig, runs ...run) []Event {
	t.Helper()
	g, err := NewGate(c)
	require.NoError(t, err)
	var out []Event
	for _, r := range runs {
		for range r.frames {
			if e := g.Push(float32(r.p)); e.Kind != None {
				out = append(out, e)
			}
		}
	}
	return out
}

func start(at, from, detected int64) Event {
	return Event{Kind: SpeechStart, At: at * frame, From: from * frame, Detected: detected * frame}
}

func end(at, detected int64) Event {
	return Event{Kind: SpeechEnd, At: at * frame, Detected: detected * frame}
}

func TestGate(t *testing.T) {
	t.Parallel()

	config := GateConfig{
		Start: 0.5, End: 0.35,
		MinSpeech: 96 * time.Millisecond, MinSilence: 320 * time.Millisecond, PreRoll: 64 * time.Millisecond,
	}
	for name, tt := range map[string]struct {
		runs []run
		want []Event
	}{
		"silence":                         {[]run{{0, 100}}, nil},
		"one word":                        {[]run{{0, 10}, {1, 8}, {0, 20}}, []Event{start(10, 8, 13), end(18, 28)}},
		"click":                           {[]run{{0, 10}, {1, 2}, {0, 50}}, nil},
		"clicks do not add up":            {[]run{{0, 10}, {1, 2}, {0, 2}, {1, 2}, {0, 2}, {1, 2}, {0, 2}}, nil},
		"dropout before the start":        {[]run{{0, 10}, {1, 2}, {0, 1}, {1, 1}}, []Event{start(10, 8, 14)}},
		"short pause inside":              {[]run{{0, 10}, {1, 8}, {0, 9}, {1, 4}, {0, 10}}, []Event{start(10, 8, 13), end(31, 41)}},
		"hysteresis keeps open":           {[]run{{1, 5}, {0.4, 40}, {0, 10}}, []Event{start(0, 0, 3), end(45, 55)}},
		"hysteresis does not open":        {[]run{{0.45, 100}}, nil},
		"pre-roll stops at the beginning": {[]run{{0, 1}, {1, 3}}, []Event{start(1, 0, 4)}},
		"pre-roll stops at the last word": {
			[]run{{1, 3}, {0, 10}, {1, 3}},
			[]Event{start(0, 0, 3), end(3, 13), start(13, 11, 16)},
		},
		"NaN is silence": {[]run{{math.NaN(), 10}, {1, 3}, {math.NaN(), 10}}, []Event{start(10, 8, 13), end(13, 23)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, play(t, config, tt.runs...))
		})
	}
}

// A pause is reported once for each silence, and speech may go on behind it or be ended there.
func TestGateReportsPauses(t *testing.T) {
	t.Parallel()

	config := DefaultGate()
	pause := func(at, detected int64) Event {
		return Event{Kind: SpeechPause, At: at * frame, Detected: detected * frame}
	}
	require.Equal(t, []Event{start(0, 0, 3), pause(8, 13), {Kind: SpeechResume, At: 16 * frame, Detected: 17 * frame}, pause(21, 26),
		end(21, 34)},
		play(t, config, run{1, 8}, run{0, 8}, run{1, 5}, run{0, 20}))

	g, err := NewGate(config)
	require.NoError(t, err)
	for _, p := range []float32{1, 1, 1, 0, 0, 0, 0, 0} {
		g.Push(p)
	}
	require.Equal(t, end(3, 8), g.Shut())
	require.False(t, g.Open())
	for range 2 {
		require.Equal(t, Event{}, g.Push(1))
	}
	require.Equal(t, start(8, 3, 11), g.Push(1), "speech that goes on is new speech")
}

func TestGatePreRollNeverOverlaps(t *testing.T) {
	t.Parallel()

	config := GateConfig{
		Start: 0.5, End: 0.35, MinSpeech: 32 * time.Millisecond, MinSilence: 32 * time.Millisecond, PreRoll: time.Second,
	}
	got := play(t, config, run{1, 2}, run{0, 1}, run{1, 1})
	require.Equal(t, []Event{start(0, 0, 1), end(2, 3), start(3, 2, 4)}, got)
}

func TestGateRefusesNonsense(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*GateConfig){
		"start zero":    func(c *GateConfig) { c.Start = 0 },
		"start above 1": func(c *GateConfig) { c.Start = 1.1 },
		"end above":     func(c *GateConfig) { c.End = 0.9 },
		"start NaN":     func(c *GateConfig) { c.Start = float32(math.NaN()) },
		"negative":      func(c *GateConfig) { c.MinSilence = -1 },
		"too long":      func(c *GateConfig) { c.PreRoll = time.Hour },
	} {
		config := DefaultGate()
		change(&config)
		_, err := NewGate(config)
		require.Error(t, err, name)
	}
}

// nonZero hears speech where the first sample of a frame is positive.
type nonZero struct{}

func (nonZero) Prob(b []int16) float32 { return float32(min(max(b[0], 0), 1)) }
func (nonZero) Reset()                 {}

func TestStreamReplaysThePreRoll(t *testing.T) {
	t.Parallel()

	pcm := make([]int16, 100*frame)
	for i := range pcm[30*frame : 60*frame] {
		pcm[30*frame+i] = int16(i%1000 + 1)
	}
	for _, chunk := range []int{1, 80, 160, 256, 1000, len(pcm)} {
		s, err := NewStream(nonZero{}, DefaultGate())
		require.NoError(t, err)
		var got []Event
		for rest := pcm; len(rest) > 0; rest = rest[min(chunk, len(rest)):] {
			s.Push(rest[:min(chunk, len(rest))], func(e Event) {
				got = append(got, e)
				if e.Kind == SpeechStart {
					require.Equal(t, pcm[e.From:s.Total()], s.Since(e.From))
				}
			})
		}
		require.Equal(t, []Event{
			{Kind: SpeechStart, At: 30 * frame, From: 30*frame - 2400, Detected: 33 * frame},
			{Kind: SpeechPause, At: 60 * frame, Detected: 65 * frame},
			{Kind: SpeechEnd, At: 60 * frame, Detected: 73 * frame},
		}, got, "chunks of %d", chunk)
		require.Less(t, len(s.Since(0)), len(pcm), "the ring is bounded")
		require.Equal(t, pcm[len(pcm)-100:], s.Since(s.Total()-100))
	}
}

// diary hears nothing and notes the first sample of each frame.
type diary struct{ frames []int16 }

func (d *diary) Prob(b []int16) float32 { d.frames = append(d.frames, b[0]); return 0 }
func (d *diary) Reset()                 {}

func TestDetectorRestsInSilence(t *testing.T) {
	t.Parallel()

	d := &diary{}
	s, err := NewStream(d, DefaultGate())
	require.NoError(t, err)
	push := func(v int16, frames int) {
		pcm := make([]int16, frames*frame)
		for i := range pcm {
			pcm[i] = v
		}
		s.Push(pcm, func(Event) {})
	}
	push(1000, 2)
	push(1, restAfter)
	require.Len(t, d.frames, 2+restAfter)
	push(2, 20)
	push(3, 4)
	require.Len(t, d.frames, 2+restAfter, "it rests")
	push(1000, 3)
	require.Equal(
		t,
		[]int16{2, 2, 2, 2, 3, 3, 3, 3, 1000, 1000, 1000},
		d.frames[2+restAfter:],
		"it begins with what it missed last",
	)
	push(-hushPeak-1, 2*restAfter)
	require.Len(t, d.frames, 2+restAfter+restContext+3+2*restAfter, "that is no silence")
}

func TestStreamRefusesABadGate(t *testing.T) {
	t.Parallel()

	_, err := NewStream(nonZero{}, GateConfig{})
	require.ErrorContains(t, err, "open voice activity stream")
}
