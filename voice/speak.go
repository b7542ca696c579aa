package voice

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	voiceLimit = 8 * time.Second        // without a sample from the synthesiser
	lookahead  = 5 * time.Second        // of sound made before it is needed; more is lost money when interrupted
	rewind     = 200 * time.Millisecond // repeated when sound goes on after a hold: half a word is no word
	wordLength = 350 * time.Millisecond // of speech, where the length of a sentence is not known yet
	soonest    = 5 * time.Millisecond   // before the playout is looked at again

	voiceTries = 3               // of a sentence, as long as they fail soon; of those that hang, two
	brokenOff  = 3               // sentences in a row that end a call
	retryPause = 2 * time.Second // before the third try: what is overrun, or restarts, needs a moment
	failsSoon  = 5 * time.Second // two failures within this do not mean that it hangs
)

var errNoSound = errors.New("the synthesiser made no sound")

// sound is a piece of a sentence that was made audible. Those with an id that is not the
// mouth's are of a sentence that was given up.
type sound struct {
	id   int
	pcm  []int16
	last bool
	err  error
}

// utterance is a sentence that is being made, or waits to be played, or is being played.
type utterance struct {
	text  string
	sound audio.Clip
	made  bool
	tries int
	asked time.Time // for its sound, first
	start int64     // position of its first sample in the playout; -1: not handed over
	begun bool      // its first sample was played
}

func (s *utterance) end() int64 { return s.start + int64(s.sound.Len()) }

// mouth makes sentences audible in order, one synthesis at a time and not far ahead, and
// knows at any moment what was really played. Positions count samples handed to the leg
// since the call began. Its methods belong to the goroutine that owns the call.
type mouth struct {
	leg      Leg
	provider tts.Provider
	request  tts.Request // Text is filled in
	out      chan<- happening
	running  *sync.WaitGroup

	queue  []*utterance // not played to the end
	spoken []string     // played to the end since the last finish or cut
	broken int          // sentences in a row that broke off
	handed int64        // samples handed to the leg and not taken back
	seen   int64        // the last position
	seenAt time.Time    // and when that was
	held   bool
	gone   bool // the line is: nothing more will be played

	trail  audio.Clip // what was handed over and not shadowed yet, up to handed
	shadow int64      // position of its first sample

	id     int
	cancel context.CancelFunc // of the synthesis under way; nil: none
}

// say speaks a sentence behind those that wait.
func (m *mouth) say(ctx context.Context, text string) {
	m.queue = append(m.queue, &utterance{text: text, start: -1})
	m.make(ctx)
}

// busy reports whether something was not played to the end.
func (m *mouth) busy() bool { return len(m.queue) > 0 }

// position is how far the far end has heard: what was handed over and is not queued. It
// never runs ahead of the clock, because a line that is gone has nothing queued either.
func (m *mouth) position() int64 {
	now, at := time.Now(), m.handed-int64(audio.Samples(m.leg.Queued()))
	passed := audio.Samples(now.Sub(m.seenAt))
	if limit := m.seen + int64(passed); at > limit {
		m.seen, m.seenAt = limit, m.seenAt.Add(audio.Duration(passed)) // no fraction of a sample is lost
		return m.seen
	}
	m.seen, m.seenAt = max(m.seen, at), now
	return m.seen
}

// make starts the next synthesis when its sound will be needed soon.
func (m *mouth) make(ctx context.Context) {
	next := m.unmade()
	if m.cancel != nil || next == nil || m.lead() > lookahead {
		return
	}
	m.id++
	ctx, m.cancel = context.WithCancel(ctx)
	req, id := m.request, m.id
	req.Text = next.text
	pause := time.Duration(0)
	switch next.tries {
	case 0:
		next.asked = time.Now()
	case voiceTries - 1:
		pause = retryPause
	}
	m.running.Go(func() {
		if sleep(ctx, pause) {
			m.synthesise(ctx, id, req)
		}
	})
}

// sleep reports whether ctx lasted that long.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *mouth) unmade() *utterance {
	for _, s := range m.queue {
		if !s.made {
			return s
		}
	}
	return nil
}

// lead is how much sound is made and not played.
func (m *mouth) lead() time.Duration {
	if !m.held {
		return m.leg.Queued()
	}
	var samples int
	for _, s := range m.queue {
		samples += s.sound.Len()
	}
	return audio.Duration(samples)
}

// synthesise runs in its own goroutine and touches only what never changes.
func (m *mouth) synthesise(ctx context.Context, id int, req tts.Request) {
	guarded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tooLong := fmt.Errorf("no sound for %s: %w", voiceLimit, context.DeadlineExceeded)
	watchdog := time.AfterFunc(voiceLimit, func() { cancel(tooLong) })
	defer watchdog.Stop()

	send := func(s sound) {
		s.id = id
		select {
		case m.out <- s:
		case <-ctx.Done():
		}
	}
	for pcm, err := range m.provider.Speak(guarded, req) {
		if err != nil {
			send(sound{err: fmt.Errorf("synthesise speech: %w", causeOf(guarded, err))})
			return
		}
		watchdog.Reset(voiceLimit)
		send(sound{pcm: pcm})
	}
	if guarded.Err() != nil {
		send(sound{err: fmt.Errorf("synthesise speech: %w", context.Cause(guarded))})
		return
	}
	send(sound{last: true})
}

// take adds a piece of sound. One sentence that breaks off is not the end: the caller can ask, and what follows may be
// made by another synthesiser. Final says that no more can be made audible.
func (m *mouth) take(ctx context.Context, s sound) (failure error, final bool) {
	current := m.unmade()
	if s.id != m.id || m.cancel == nil || current == nil {
		return nil, false
	}
	if s.err == nil && !s.last {
		current.sound.Append(s.pcm)
		if !m.held {
			m.hand(current, s.pcm)
		}
		return nil, false
	}
	m.cancel()
	m.cancel = nil
	if s.last && current.sound.Len() == 0 {
		s.err = fmt.Errorf("synthesise speech: %w", errNoSound)
	}
	switch {
	case s.err == nil:
		current.made, m.broken = true, 0
	case current.sound.Len() > 0:
		current.breakOff()
		m.broken++
		failure, final = s.err, m.broken == brokenOff
	default:
		current.tries++
		if current.tries == voiceTries || current.tries > 1 && time.Since(current.asked) > failsSoon {
			current.made = true
			return s.err, true
		}
	}
	m.make(ctx)
	return failure, final
}

// breakOff leaves of a sentence what there is of it.
func (s *utterance) breakOff() {
	all := strings.Fields(s.text)
	there := s.sound.Len() / audio.Samples(wordLength)
	s.made, s.text = true, strings.Join(all[:min(max(there, 1), len(all))], " ")
}

func (m *mouth) hand(s *utterance, pcm []int16) {
	if s.start < 0 {
		s.start = m.handed
	}
	m.position() // the clock of what was silence until now
	m.leg.Play(pcm)
	m.handed += int64(len(pcm))
	m.trail.Append(pcm)
}

// advance follows the playout and reports whether a sentence has begun to be played. The
// far end gets its words to read at that moment.
func (m *mouth) advance(ctx context.Context) (begun bool) {
	for len(m.queue) > 0 && !m.held {
		s, at := m.queue[0], m.position()
		if s.start >= 0 && !s.begun && at >= s.start {
			s.begun, begun = true, true
			m.leg.Caption(s.text)
		}
		if !s.made || s.start >= 0 && at < s.end() {
			break
		}
		if s.begun {
			m.spoken = append(m.spoken, s.text)
		}
		m.queue = m.queue[1:]
	}
	m.make(ctx)
	return begun
}

// next is when advance will find something new; false: when more sound arrives.
func (m *mouth) next() (time.Duration, bool) {
	if len(m.queue) == 0 || m.held || m.queue[0].start < 0 {
		return 0, false
	}
	s := m.queue[0]
	until := s.start - m.position()
	if s.begun {
		if !s.made {
			return 0, false
		}
		until = s.end() - m.position()
	}
	wait := audio.Duration(int(until))
	if m.cancel == nil && m.unmade() != nil {
		wait = min(wait, m.lead()-lookahead)
	}
	return max(wait, soonest), true
}

// hold stops the sound and keeps what was not played.
func (m *mouth) hold() {
	if !m.gone {
		m.handed -= int64(audio.Samples(m.leg.Flush()))
		m.shadow = min(m.shadow, m.handed)
		m.trail.Cut(int(m.handed - m.shadow))
	}
	m.held = true
}

// follow writes the next frame of what is being played, silence where that is nothing. It
// keeps a steady pace, which the position, read between two ticks of the line, does not.
// What waits behind the frame that it goes with came later, and goes with what is played
// later: a busy machine reads many frames at once.
func (m *mouth) follow(frame []int16) {
	if m.trail.Len() == 0 {
		clear(frame)
		return
	}
	at := m.position() - int64(len(m.leg.Incoming())*audio.FrameLen)
	if lost := min(at-m.shadow, int64(m.trail.Len())); lost > 2*audio.FrameLen {
		m.trail.Skip(int(lost))
		m.shadow += lost
	}
	clear(frame)
	if m.shadow > at+2*audio.FrameLen { // the line stands still
		return
	}
	m.shadow += int64(m.trail.Read(frame))
}

// lineGone stops the playout for good, where the line broke.
func (m *mouth) lineGone() {
	m.handed = m.position()
	m.held, m.gone = true, true
}

// resume goes on where hold stopped.
func (m *mouth) resume(ctx context.Context) {
	m.held = m.gone
	if m.gone {
		return
	}
	for _, s := range m.queue {
		from := 0
		if s.begun {
			from = max(int(m.handed-s.start)-audio.Samples(rewind), 0)
		}
		s.start = -1
		for _, pcm := range s.sound.From(from) {
			m.hand(s, pcm)
		}
		if s.begun {
			s.start = m.handed - int64(s.sound.Len())
		}
	}
	m.make(ctx)
}

// cut forgets what was not played and returns what was since the last finish or cut, and
// whether anything was lost.
func (m *mouth) cut() (text string, lost bool) {
	lost = m.busy()
	m.hold()
	m.held = m.gone
	text = m.played()
	if m.cancel != nil {
		m.cancel()
		m.cancel = nil
	}
	m.id++
	m.queue, m.spoken = nil, nil
	return text, lost
}

// played is the text of which the far end has heard the sound.
func (m *mouth) played() string {
	text := strings.Join(m.spoken, " ")
	if len(m.queue) == 0 || !m.queue[0].begun {
		return text
	}
	s := m.queue[0]
	all := strings.Fields(s.text)
	total := int64(s.sound.Len())
	if !s.made {
		total = max(total, int64(len(all)*audio.Samples(wordLength)))
	}
	if total == 0 {
		return text
	}
	n := min(int64(len(all)), ((m.position()-s.start)*int64(len(all))+total/2)/total)
	return join(text, strings.Join(all[:max(n, 0)], " "))
}

// finish returns the text of all that was spoken since the last finish or cut.
func (m *mouth) finish() string {
	text := strings.Join(m.spoken, " ")
	m.spoken = nil
	return text
}
