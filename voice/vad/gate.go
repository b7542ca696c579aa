package vad

import (
	"errors"
	"time"
)

// GateConfig sets when speech starts and ends. Durations round up to whole frames.
type GateConfig struct {
	Start      float32       // a frame at or above this probability is speech
	End        float32       // a frame below this is silence; between the two nothing changes
	MinSpeech  time.Duration // speech needed before a start is reported: rejects clicks and coughs
	MinPause   time.Duration // silence needed before a pause is reported, which speech may go on behind; 0: none is
	MinSilence time.Duration // silence needed before an end is reported
	PreRoll    time.Duration // audio before the first speech frame that belongs to the speech
}

// DefaultGate suits turn taking on a telephone call. Words that begin softly are found
// up to 200 ms late, hence the pre-roll.
func DefaultGate() GateConfig {
	return GateConfig{
		Start: 0.5, End: 0.35,
		MinSpeech: 96 * time.Millisecond, MinPause: 160 * time.Millisecond, MinSilence: 400 * time.Millisecond,
		PreRoll: 300 * time.Millisecond,
	}
}

func (c GateConfig) validate() error {
	inRange := c.Start > 0 && c.Start <= 1 && c.End > 0 && c.End <= c.Start // false for NaN
	switch {
	case !inRange:
		return errors.New("check gate: need 0 < end <= start <= 1")
	case min(c.MinSpeech, c.MinPause, c.MinSilence, c.PreRoll) < 0 ||
		max(c.MinSpeech, c.MinPause, c.MinSilence, c.PreRoll) > time.Minute:
		return errors.New("check gate: durations must be 0 to 1 minute")
	}
	return nil
}

// Kind says what an Event reports.
type Kind uint8

// None is the zero Kind: no event.
const (
	None Kind = iota
	SpeechStart
	SpeechPause
	SpeechResume
	SpeechEnd
)

func (k Kind) String() string { return [...]string{"none", "start", "pause", "resume", "end"}[k] }

// Event reports a change. Positions count samples since the stream began.
type Event struct {
	Kind     Kind
	At       int64 // where speech started, or the silence behind it
	From     int64 // SpeechStart: where its pre-roll starts
	Detected int64 // samples heard when the event was raised: Detected-At is the delay
}

// Gate turns one probability per frame into events. Use NewGate.
type Gate struct {
	cfg                  GateConfig
	minSpeech, minSilent int64 // samples, like all below
	minPause             int64 // 0: none
	preRoll              int64
	pos                  int64 // heard
	open                 bool
	voiced, silent       int64 // speech in the candidate; silence since its last speech frame
	first, last          int64 // first sample of the candidate; end of the last speech frame
	floor                int64 // pre-roll may not reach back into the previous speech
	paused               bool  // the silence so far was reported as a pause
}

// NewGate checks the configuration and returns a closed gate.
func NewGate(c GateConfig) (*Gate, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Gate{
		cfg: c, minSpeech: samples(c.MinSpeech), minPause: samples(c.MinPause), minSilent: samples(c.MinSilence),
		preRoll: samples(c.PreRoll),
	}, nil
}

func samples(d time.Duration) int64 { return int64(d) * Rate / int64(time.Second) }

// Open reports whether speech is in progress: between its start and its end event.
func (g *Gate) Open() bool { return g.open }

// Rising reports whether something is heard that may become speech.
func (g *Gate) Rising() bool { return !g.open && g.voiced > 0 }

// Push takes the probability of the next frame and returns what changed.
func (g *Gate) Push(p float32) Event {
	begin := g.pos
	g.pos += FrameSize
	g.weigh(p, begin)
	if g.open {
		return g.await()
	}
	if g.voiced > 0 && g.voiced >= g.minSpeech && g.silent == 0 {
		g.open = true
		return Event{Kind: SpeechStart, At: g.first, From: max(g.first-g.preRoll, g.floor), Detected: g.pos}
	}
	if g.silent > FrameSize { // one frame may drop out of a candidate, two end it
		g.voiced = 0
	}
	return Event{}
}

// await returns what a silence has come to.
func (g *Gate) await() Event {
	switch {
	case g.silent == 0 && g.paused:
		g.paused = false
		return Event{Kind: SpeechResume, At: g.last - FrameSize, Detected: g.pos}
	case g.silent == 0:
	case g.silent >= max(g.minSilent, 1):
		return g.Shut()
	case !g.paused && g.minPause > 0 && g.silent >= g.minPause:
		g.paused = true
		return Event{Kind: SpeechPause, At: g.last, Detected: g.pos}
	}
	return Event{}
}

// weigh adds a frame to the speech or the silence being counted.
func (g *Gate) weigh(p float32, begin int64) {
	switch {
	case p >= g.cfg.Start:
		if !g.open && g.voiced == 0 {
			g.first = begin
		}
		g.voiced += FrameSize
		g.silent, g.last = 0, g.pos
	case p >= g.cfg.End:
		if g.open { // in between, speech goes on
			g.silent, g.last = 0, g.pos
		}
	default: // also NaN
		g.silent += FrameSize
	}
}

// Shut ends the speech in progress where it was heard last. What is heard from now on has to be long enough to be speech.
func (g *Gate) Shut() Event {
	g.open, g.paused, g.voiced, g.silent, g.floor = false, false, 0, 0, g.last
	return Event{Kind: SpeechEnd, At: g.last, Detected: g.pos}
}
