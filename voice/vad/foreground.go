package vad

import (
	"math"

	"github.com/callwright/callwright/voice/audio"
)

// How loud somebody has to be who is near the telephone, in dBFS and decibels. Levels are those of the loudest frame of the
// last few, so that syllables do not count.
const (
	firstFloor   = -46.0 // before anybody was heard: less is a television in the next room
	holdFloor    = -38.0 // and while the other side is being heard: less may be its echo
	below        = 9.0   // less than the speaker by this is somebody else; levels of 12 dB less overlap that seldom
	release      = 3.2   // by which the loudest frame fades, per frame
	louder       = 0.15  // how fast a louder voice becomes the speaker's, per frame
	softer       = 0.002 // and a softer one
	forgetAfter  = 4 * Rate / FrameSize
	forgetting   = 0.06 // per frame of speech that is not heard while nobody else speaks: 2 dB a second
	otherFrames  = 40
	behindFrames = 11
	lately       = 0.99 // per frame: some seconds
	speechAtAll  = 0.5
	softSpeech   = 0.12 // far behind the speaker: the recogniser may understand it
	barelySpeech = 0.1

	span      = 8   // frames of speech over which a voice is measured: single syllables of one far away are as loud as the speaker's
	spanGap   = 5   // frames without any that part two voices
	fartherBy = 7.5 // decibels below the speaker's: somebody else's over a whole span
	brief     = 6   // frames of speech: less of a span tells less, so that fewer
	briefBy   = 6.5 // decibels are enough
	going     = 12  // frames since the speaker was heard, who may go on more softly:
	goingBy   = 9

	company = 16.0   // frames of speech of somebody farther since then: there is somebody else
	known   = 0.9995 // of whom that is known, per frame: for a minute
)

// Foreground is a Prober that hears one speaker and not those who talk in the background: it learns how loud the speaker is
// and takes what is much softer for silence. When only softer speech is left for some seconds, as when the telephone was
// handed over, it learns anew.
type Foreground struct {
	of      Prober
	own     float64 // level of the speaker; 0: not known yet
	loud    float64 // of the last frames
	usual   float64 // of the speaker's spans of speech; 0: not known yet
	voice   stretch // of speech of whoever speaks now
	since   int     // frames since the speaker was heard for certain
	refused int     // frames of softer speech since the speaker was heard
	others  float64 // frames of softer speech lately
	behind  int     // the same since the speaker was heard
	room    float64 // frames of speech of somebody farther while the speaker was silent, in the last minute
	Hold    bool    // the speaker listens to somebody: silence does not mean that the level is wrong
}

// NewForeground returns one around a detector.
func NewForeground(of Prober) *Foreground { return &Foreground{of: of, loud: audio.Silence} }

// Reset forgets the speaker.
func (f *Foreground) Reset() {
	f.of.Reset()
	*f = Foreground{of: f.of, loud: audio.Silence}
}

// prefetch fetches what the detector around which it is reads of the stream.
func (f *Foreground) prefetch() {
	if p, ok := f.of.(interface{ prefetch() }); ok {
		p.prefetch()
	}
}

// Prob implements Prober.
func (f *Foreground) Prob(frame []int16) float32 {
	p := f.of.Prob(frame)
	f.others *= lately
	f.room *= known
	f.loud = max(audio.Level(frame), f.loud-release)
	f.voice.add(frame, p >= speechAtAll)
	f.since++
	far := p >= speechAtAll && f.farther()
	soft := f.loud < f.floor() || far && f.room >= company
	if soft && (p >= speechAtAll || p >= softSpeech && f.own != 0) {
		f.others++
		f.behind++
	}
	if p < speechAtAll {
		return p
	}
	if (soft || far) && f.since > going {
		f.room++
	}
	if soft {
		f.forget()
		return barelySpeech
	}
	f.refused, f.behind = 0, 0
	if !far {
		f.since = 0
	}
	f.learn()
	return p
}

// Others reports whether somebody else is heard here, too: for longer than a voice takes to fade.
func (f *Foreground) Others() bool { return f.others >= otherFrames || f.behind >= behindFrames }

func (f *Foreground) floor() float64 {
	switch {
	case f.own == 0 && f.Hold:
		return holdFloor
	case f.own == 0:
		return firstFloor
	}
	return max(f.own-below, firstFloor)
}

// farther reports whether whoever speaks now sounds farther away than the speaker. Until there is company, that is the speaker.
func (f *Foreground) farther() bool {
	switch {
	case f.usual == 0:
		return false
	case f.since < going:
		return f.voice.level() < f.usual-goingBy
	case f.voice.count < brief:
		return f.voice.level() < f.usual-briefBy
	}
	return f.voice.level() < f.usual-fartherBy
}

func (f *Foreground) learn() {
	f.own = follow(f.own, f.loud)
	f.usual = follow(f.usual, f.voice.level())
}

// follow returns what is expected after a level was heard.
func follow(expected, heard float64) float64 {
	switch {
	case expected == 0:
		return heard
	case heard > expected:
		return expected + (heard-expected)*louder
	default:
		return expected + (heard-expected)*softer
	}
}

// stretch measures the last frames of speech of one voice.
type stretch struct {
	powers [span]float64
	count  int // of frames
	gap    int // frames without speech since
}

func (s *stretch) add(frame []int16, speech bool) {
	if !speech {
		if s.gap++; s.gap > spanGap {
			s.count = 0
		}
		return
	}
	var sum float64
	for _, v := range frame {
		sum += float64(v) * float64(v)
	}
	s.powers[s.count%span] = sum / float64(len(frame))
	s.count++
	s.gap = 0
}

// level returns how loud the frames are together, in dBFS.
func (s *stretch) level() float64 {
	n := min(s.count, span)
	var sum float64
	for _, power := range s.powers[:n] {
		sum += power
	}
	return 10 * math.Log10(max(sum, 1)/float64(max(n, 1))/(math.MaxInt16*math.MaxInt16))
}

// forget lowers what is expected when nobody else has been heard for long.
func (f *Foreground) forget() {
	if f.Hold {
		return
	}
	if f.refused++; f.refused > forgetAfter && f.own != 0 {
		f.own -= forgetting
		f.usual -= forgetting
	}
}
