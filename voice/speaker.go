package voice

import (
	"context"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/spoken"
	"github.com/callwright/callwright/voice/turn"
)

const minWait = 5 * time.Millisecond // before the playout is looked at again

// utterance is a sentence that is being made, or waits to be played, or is being played.
type utterance struct {
	text  string // as it was written
	read  string // as it is read aloud
	sound audio.Clip
	made  bool
	rest  bool // of a sentence that broke off
	tries int
	asked time.Time // for its sound, first
	start int64     // position of its first sample in the playout; -1: not handed to the leg
	begun bool      // its first sample was played
}

func (u *utterance) end() int64 { return u.start + int64(u.sound.Len()) }

// speaker makes sentences audible in order, one synthesis at a time and not far ahead, and knows at any time what was really
// played. Whether it may be heard is not its to decide: state says so. Its methods belong to the goroutine that owns the call.
type speaker struct {
	playback
	provider tts.Provider
	request  tts.Request // Text is filled in
	reader   *spoken.Reader
	aloud    aloud
	state    *turn.State // of the call
	events   chan<- event
	running  *sync.WaitGroup

	held         bool         // nothing may be handed to the leg yet: it is not certain that it is wanted
	gain         float64      // in decibels, of what is handed to the leg
	queue        []*utterance // not played to the end
	spoken       []string     // played to the end since the last finish or cut
	said         string       // the last turn that was played to the end
	silentAt     time.Time    // and when that was
	broken       int          // sentences in a row that broke off
	disconnected bool         // the leg is over: nothing more will be played

	id     int
	cancel context.CancelFunc // of the synthesis under way; nil: none
}

// aloud is the last text of which somebody asked how it is read aloud, and that.
type aloud struct{ text, read string }

// readAloud returns a text as it is read aloud. It is asked for the same one with each word that a transcriber adds to what it
// understood, and to read takes 50 to 80 µs a sentence.
func (s *speaker) readAloud(text string) string {
	if text != s.aloud.text {
		s.aloud = aloud{text, s.reader.Read(text)}
	}
	return s.aloud.read
}

// paused reports whether nothing may be handed to the leg.
func (s *speaker) paused() bool { return s.state.Paused() || s.disconnected || s.held }

// busy reports whether something was not played to the end.
func (s *speaker) busy() bool { return len(s.queue) > 0 }

// unmade returns the first utterance without all its sound, nil where there is none.
func (s *speaker) unmade() *utterance {
	for _, u := range s.queue {
		if !u.made {
			return u
		}
	}
	return nil
}

// lead returns how much sound is made and not played.
func (s *speaker) lead() time.Duration {
	if !s.paused() {
		return s.leg.Queued()
	}
	var samples int
	for _, u := range s.queue {
		samples += u.sound.Len()
	}
	return s.band.Duration(samples)
}

// queueSound hands sound of an utterance to the leg.
func (s *speaker) queueSound(u *utterance, pcm []int16) {
	if u.start < 0 {
		u.start = s.queuedTo
	}
	s.hand(quieter(pcm, s.gain))
}

// quieter returns sound with a gain, in decibels.
func quieter(pcm []int16, gain float64) []int16 {
	if gain == 0 {
		return pcm
	}
	factor := audio.Gain(gain)
	out := make([]int16, len(pcm))
	for i, v := range pcm {
		out[i] = audio.Clamp(float64(v) * factor)
	}
	return out
}

// pause stops the sound and keeps what was not played. It will be as loud as it was made.
func (s *speaker) pause() {
	s.gain = 0
	if !s.disconnected {
		s.takeBack()
	}
}

// disconnect stops the playout for good, where the leg ended.
func (s *speaker) disconnect() {
	s.queuedTo = s.position()
	s.disconnected = true
}
