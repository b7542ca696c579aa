package voice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	voiceLimit = 3 * time.Second        // without a sample from the synthesiser
	lookahead  = 5 * time.Second        // of sound made before it is needed; more is lost money when interrupted
	wordLength = 350 * time.Millisecond // of speech, where the length of a sentence is not known yet

	voiceTries = 3               // of a sentence, as long as they fail soon; of one that hangs while nothing is heard, one
	brokenOff  = 3               // sentences in a row that end a call
	retryPause = 2 * time.Second // before the third try: what is overrun, or restarts, needs a while
	failsSoon  = 5 * time.Second // two failures within this do not mean that it hangs
)

var errNoSound = errors.New("the synthesiser made no sound")

// synthesised is a piece of a sentence that was made audible. Those with an id that is not the speaker's are of a sentence
// that was given up.
type synthesised struct {
	id   int
	pcm  []int16
	last bool
	err  error
}

func (synthesised) isEvent() {}

// synthesiseNext starts the next synthesis when its sound will be needed soon.
func (s *speaker) synthesiseNext(ctx context.Context) {
	next := s.unmade()
	if s.cancel != nil || next == nil || s.lead() > lookahead {
		return
	}
	if s.held && next != s.queue[0] { // one sentence is enough to begin with
		return
	}
	s.id++
	ctx, s.cancel = context.WithCancel(ctx)
	req, id := s.request, s.id
	req.Text = next.read
	pause := time.Duration(0)
	switch next.tries {
	case 0:
		next.asked = time.Now()
	case voiceTries - 1:
		pause = retryPause
	}
	s.running.Go(func() {
		if sleep(ctx, pause) {
			s.synthesise(ctx, id, req)
		}
	})
}

// synthesise runs in its own goroutine and touches only what never changes.
func (s *speaker) synthesise(ctx context.Context, id int, req tts.Request) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tooLong := tooLate(s.provider.Name(), "no sound", voiceLimit)
	watchdog := time.AfterFunc(voiceLimit, func() { cancel(tooLong) })
	defer watchdog.Stop()
	limited = tts.WithPatience(limited, func(silence time.Duration) { watchdog.Reset(max(silence, voiceLimit)) })

	send := func(part synthesised) {
		part.id = id
		select {
		case s.events <- part:
		case <-ctx.Done():
		}
	}
	for pcm, err := range s.provider.Speak(limited, req) {
		if err != nil {
			send(synthesised{err: fmt.Errorf("synthesise speech: %w", causeOf(limited, err))})
			return
		}
		watchdog.Reset(voiceLimit)
		send(synthesised{pcm: pcm})
	}
	if limited.Err() != nil {
		send(synthesised{err: fmt.Errorf("synthesise speech: %w", context.Cause(limited))})
		return
	}
	send(synthesised{last: true})
}

// take adds a piece of sound. One sentence that breaks off is not the end: the caller can ask, and what follows may be
// made by another synthesiser. final says that no more can be made audible.
func (s *speaker) take(ctx context.Context, part synthesised) (failure error, final bool) {
	current := s.unmade()
	if part.id != s.id || s.cancel == nil || current == nil {
		return nil, false
	}
	if part.err == nil && !part.last {
		current.sound.Append(part.pcm)
		if !s.paused() {
			s.queueSound(current, part.pcm)
		}
		return nil, false
	}
	s.cancel()
	s.cancel = nil
	if part.last && current.sound.Len() == 0 {
		part.err = fmt.Errorf("synthesise speech: %w", errNoSound)
	}
	switch {
	case part.err == nil:
		current.made, s.broken = true, 0
	case current.sound.Len() > 0:
		rest := current.breakOff(s.band)
		s.broken++
		if rest != "" && !current.rest && s.broken < brokenOff {
			s.queue = slices.Insert(s.queue, slices.Index(s.queue, current)+1,
				&utterance{text: rest, read: s.reader.Read(rest), rest: true, start: -1})
		}
		failure, final = part.err, s.broken == brokenOff
	default:
		current.tries++
		took := time.Since(current.asked)
		if current.tries == voiceTries || current.tries > 1 && took > failsSoon || took >= voiceLimit && s.lead() == 0 {
			current.made = true
			return part.err, true
		}
	}
	s.synthesiseNext(ctx)
	return failure, final
}

// breakOff leaves of a sentence what there is of it, and returns the rest.
func (u *utterance) breakOff(band audio.Band) (rest string) {
	all := strings.Fields(u.text)
	there := u.sound.Len() / band.Samples(wordLength)
	heard := len(all) * there / max(len(strings.Fields(u.read)), 1)
	heard = min(max(heard, 1), len(all))
	u.made, u.text = true, strings.Join(all[:heard], " ")
	return strings.Join(all[heard:], " ")
}
