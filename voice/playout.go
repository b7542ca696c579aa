package voice

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/voice/sentence"
)

// rewind is how much sound is repeated behind a pause: half a word is no word.
const rewind = 200 * time.Millisecond

// echoLasts is how long behind the end of a turn its words may come back from a recogniser.
const echoLasts = 1500 * time.Millisecond

// say speaks a sentence behind those that wait.
func (s *speaker) say(ctx context.Context, text string) {
	s.queue = append(s.queue, &utterance{text: text, read: s.reader.Read(text), start: -1})
	s.synthesiseNext(ctx)
}

// sayFirst speaks a text before the sentences that have no sound yet. The one that is being made gives way, and is made again
// behind it: what its voice owes by now is rather late, and this text is one that is known beforehand.
func (s *speaker) sayFirst(ctx context.Context, text string) {
	at := slices.IndexFunc(s.queue, func(u *utterance) bool { return !u.made && u.sound.Len() == 0 })
	if at < 0 {
		at = len(s.queue)
	} else if s.cancel != nil && s.unmade() == s.queue[at] {
		s.giveUp()
	}
	for _, written := range sentence.Split(text) {
		s.queue = slices.Insert(s.queue, at, &utterance{text: written, read: s.reader.Read(written), start: -1})
		at++
	}
	s.synthesiseNext(ctx)
}

// giveUp ends the synthesis under way.
func (s *speaker) giveUp() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
	s.id++
}

// owesSound reports whether nothing is heard although sentences wait for their sound.
func (s *speaker) owesSound() bool {
	return len(s.queue) > 0 && !s.paused() && !s.queue[0].made && s.queue[0].sound.Len() == 0
}

// advance follows the playout and reports whether a sentence has begun to be played. The far end gets its words to read with
// its first sample.
func (s *speaker) advance(ctx context.Context) (begun bool) {
	for len(s.queue) > 0 && !s.paused() {
		u, at := s.queue[0], s.position()
		if u.start >= 0 && !u.begun && at >= u.start {
			u.begun, begun = true, true
			s.leg.Caption(u.text)
		}
		if !u.made || u.start >= 0 && at < u.end() {
			break
		}
		if u.begun {
			s.spoken = append(s.spoken, u.text)
		}
		s.queue = s.queue[1:]
	}
	s.synthesiseNext(ctx)
	return begun
}

// next returns when advance will find something new, and false when that is up to the sound that arrives.
func (s *speaker) next() (time.Duration, bool) {
	if len(s.queue) == 0 || s.paused() || s.queue[0].start < 0 {
		return 0, false
	}
	u := s.queue[0]
	until := u.start - s.position()
	if u.begun {
		if !u.made {
			return 0, false
		}
		until = u.end() - s.position()
	}
	wait := s.band.Duration(int(until))
	if s.cancel == nil && s.unmade() != nil {
		wait = min(wait, s.lead()-lookahead)
	}
	return max(wait, minWait), true
}

// resume goes on where pause stopped.
func (s *speaker) resume(ctx context.Context) { s.handOver(ctx, s.band.Samples(rewind)) }

// release hands over what was held back.
func (s *speaker) release(ctx context.Context) {
	s.held = false
	if !s.paused() {
		s.handOver(ctx, 0)
	}
}

// setGain changes how loud the assistant is, in decibels, from the next sample that is sent.
func (s *speaker) setGain(ctx context.Context, gain float64) {
	if s.paused() {
		return
	}
	s.takeBack()
	s.gain = gain
	s.handOver(ctx, 0)
}

// handOver gives the leg what was taken back, and before that so many samples once more.
func (s *speaker) handOver(ctx context.Context, again int) {
	if s.disconnected {
		return
	}
	for _, u := range s.queue {
		from := 0
		if u.start >= 0 && u.start < s.queuedTo {
			from = max(int(s.queuedTo-u.start)-again, 0)
		}
		u.start = -1
		for _, pcm := range u.sound.From(from) {
			s.queueSound(u, pcm)
		}
		if u.begun || from > 0 {
			u.start = s.queuedTo - int64(u.sound.Len())
		}
	}
	s.synthesiseNext(ctx)
}

// cut forgets what was not played and returns what was since the last finish or cut, and whether anything was lost.
func (s *speaker) cut() (text string, lost bool) {
	lost = s.busy()
	s.pause()
	text = s.played()
	s.giveUp()
	s.queue, s.spoken = nil, nil
	return text, lost
}

// played returns the text of which the far end has heard the sound.
func (s *speaker) played() string {
	text := strings.Join(s.spoken, " ")
	if len(s.queue) == 0 || !s.queue[0].begun {
		return text
	}
	u := s.queue[0]
	all := strings.Fields(u.text)
	total := int64(u.sound.Len())
	if !u.made {
		total = max(total, int64(len(strings.Fields(u.read))*s.band.Samples(wordLength)))
	}
	if total == 0 {
		return text
	}
	n := min(int64(len(all)), ((s.position()-u.start)*int64(len(all))+total/2)/total)
	return strings.TrimSpace(text + " " + strings.Join(all[:max(n, 0)], " "))
}

// lately returns what is being said and what was said before it, while it may still come back as an echo; empty otherwise.
func (s *speaker) lately() string {
	switch {
	case len(s.queue) > 0 && s.queue[0].begun && len(s.spoken) > 0:
		return s.spoken[len(s.spoken)-1] + " " + s.queue[0].text
	case len(s.queue) > 0 && s.queue[0].begun:
		return s.queue[0].text
	case time.Since(s.silentAt) < echoLasts:
		return s.said
	default:
		return ""
	}
}

// finish returns the text of all that was spoken since the last finish or cut.
func (s *speaker) finish() string {
	text := strings.Join(s.spoken, " ")
	s.spoken, s.said, s.silentAt = nil, text, time.Now()
	return text
}
