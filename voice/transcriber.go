package voice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/melody"
	"github.com/callwright/callwright/voice/prefetch"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/vad"
)

const (
	reopenAfter  = 500 * time.Millisecond // before a failed recogniser is asked again
	reopenLater  = 3 * time.Second        // before it is asked once more
	openLimit    = 5 * time.Second        // for a recogniser to accept a call
	pendingLimit = 15 * time.Second       // of speech kept while no recogniser is open
	recentLimit  = time.Second            // of wideband sound, more than the detector looks back
	captionLimit = 256                    // captions that wait for a recogniser that reads them
	frameGap     = 100 * time.Millisecond // without a frame: the far end is silent, or its packets are lost
)

var (
	errTranscriberEnded  = errors.New("the recogniser ended")
	errTranscriberSilent = errors.New("the recogniser owes words for too long")
)

// transcriberOpened is the outcome of asking for a recogniser.
type transcriberOpened struct {
	stream stt.Stream
	err    error
}

func (transcriberOpened) isEvent() {}

// transcriber finds the caller's speech in the frames of the leg and gives it to a recogniser, with its first syllable. When
// the recogniser fails it is opened again; speech is kept meanwhile. Its methods belong to the goroutine that owns the call.
type transcriber struct {
	provider stt.Provider
	options  stt.Options
	captions chan string // nil: the leg carries none
	events   chan<- event
	running  *sync.WaitGroup

	recent     []int16 // of a wideband leg, what was heard last; else empty
	vad        *vad.Stream
	foreground *vad.Foreground // of vad
	melody     melody.Tracker
	vague      bool          // an echo was heard in this call: what is heard may be one
	rising     bool          // something is heard that may become speech
	pausing    bool          // the voice is silent, and a last consonant is not yet
	pausedAt   int64         // position where the voice fell silent
	alone      int           // for how many frames it is still of interest whether others talk, behind speech without them
	ending     bool          // the speech is to end now, although the silence is short
	written    int64         // position up to which speech was given to the recogniser
	frameAt    time.Duration // when the last frame came

	stream    stt.Stream
	results   <-chan stt.Event // nil while no recogniser is open
	pending   []int16          // speech for the next one
	paused    bool             // and its end
	captioned bool             // a caption was passed on and nothing came back yet
}

// newTranscriber returns one without a recogniser; open asks for that.
func newTranscriber(s *Session, running *sync.WaitGroup, events chan<- event) (*transcriber, error) {
	detector := s.Detector
	if detector == nil {
		silero, err := vad.NewSilero()
		if err != nil {
			return nil, fmt.Errorf("open the transcriber: %w", err)
		}
		detector = silero
	}
	foreground := vad.NewForeground(detector)
	stream, err := vad.NewStream(foreground, vad.DefaultGate())
	if err != nil {
		return nil, fmt.Errorf("open the transcriber: %w", err)
	}
	language := turn.LanguageCode(cmp.Or(s.Script.Transcriber.Language, s.Script.Language))
	t := &transcriber{
		provider: s.STT, events: events, running: running, vad: stream, foreground: foreground,
		options: stt.Options{Model: s.Script.Transcriber.Model, Language: language, Band: s.Leg.Band()},
	}
	if s.Leg.Captioned() {
		t.captions = make(chan string, captionLimit)
		t.options.Captions = t.captions
	}
	return t, nil
}

// prefetch fetches what write reads that is so many pointers away from the transcriber.
func (t *transcriber) prefetch(depth int) {
	t.vad.Prefetch(depth)
	if depth == 0 {
		prefetch.Of(t.foreground)
	}
}

// open asks for a recogniser after a delay and sends the outcome. The recogniser's context does not end with the request: a
// stream lives as long as its context.
func (t *transcriber) open(ctx context.Context, delay time.Duration) {
	t.running.Go(func() {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
		live, cancel := context.WithCancelCause(ctx)
		silent := tooLate(t.provider.Name(), "no answer", openLimit)
		watchdog := time.AfterFunc(openLimit, func() { cancel(silent) })
		stream, err := t.provider.Open(live, t.options)
		if !watchdog.Stop() && err == nil { // too late: its context is gone
			err = silent
		}
		if err != nil {
			cancel(nil)
			stream, err = nil, fmt.Errorf("open the recogniser: %w", err)
		}
		select {
		case t.events <- transcriberOpened{stream, err}:
		case <-ctx.Done():
			cancel(nil)
		}
	})
}

// reopen asks for another one after so many failures in a row.
func (t *transcriber) reopen(ctx context.Context, failures int) {
	if failures > 1 {
		t.open(ctx, reopenLater)
		return
	}
	t.open(ctx, reopenAfter)
}

// opened takes a recogniser into use and gives it the speech that it missed.
func (t *transcriber) opened(stream stt.Stream) error {
	t.stream, t.results = stream, stream.Events()
	pending, paused := t.pending, t.paused
	t.pending, t.paused = nil, false
	if err := t.pass(pending); err != nil {
		return err
	}
	if paused {
		stream.EndOfSpeech()
	}
	return nil
}

// write takes a frame that came at a time and emits what it changes. whole is the same in the leg's band, for the recogniser.
func (t *transcriber) write(frame, whole []int16, at time.Duration, emit func(turn.Event)) error {
	t.frameAt = at
	inSpeech, ended := t.vad.Open(), false
	begun := int64(-1) // where speech did
	changed := func(change vad.Event) {
		when := at - audio.Duration(int(t.vad.Total()-change.At))
		switch change.Kind {
		case vad.SpeechStart:
			inSpeech, t.written, begun = true, max(change.From, t.written), change.At
			emit(turn.SpeechStarted{Since: when, Vague: t.vague})
		case vad.SpeechPause:
			t.pausing, t.pausedAt = true, change.At
		case vad.SpeechResume:
			t.pausing = false
			emit(turn.SpeechResumed{})
		case vad.SpeechEnd:
			ended, t.pausing = true, false
			tail := t.melody.Tail(int(t.vad.Total()-change.At) / audio.FrameLen)
			t.melody.Rest()
			others := t.foreground.Others()
			t.alone = 0
			if !others {
				t.alone = othersWithin
			}
			emit(turn.SpeechEnded{End: when + time.Duration(tail)*audio.FrameDuration, Others: others})
		}
	}
	if inSpeech {
		t.melody.Push(frame)
	}
	t.remember(whole)
	t.vad.Push(frame, changed)
	if rising := t.vad.Rising(); rising != t.rising {
		if t.rising = rising; rising {
			emit(turn.SpeechSuspected{})
		}
	}
	if begun >= 0 {
		t.hum(t.vad.Since(begun))
	}
	t.watchOthers(emit)
	if t.pausing && !t.melody.Sounds() {
		t.pausing = false
		emit(turn.SpeechPaused{Melody: t.melody.Ending(int(t.vad.Total()-t.pausedAt) / audio.FrameLen)})
	}
	if t.ending && t.vad.Open() {
		changed(t.vad.Shut())
	}
	t.ending = false
	if !inSpeech {
		return nil
	}
	speech := whole
	if t.written != t.vad.Total()-int64(len(frame)) {
		speech = t.since(t.written)
	}
	t.written = t.vad.Total()
	if err := t.pass(speech); err != nil {
		return err
	}
	if ended {
		t.endOfSpeech()
	}
	return nil
}

// othersWithin is for how many frames behind speech others may be heard who spoke at its end, too.
const othersWithin = 25

// watchOthers tells of somebody else who is heard behind the caller's speech: at its end it is too early to say.
func (t *transcriber) watchOthers(emit func(turn.Event)) {
	if t.alone == 0 {
		return
	}
	if t.alone--; t.foreground.Others() {
		t.alone = 0
		emit(turn.OthersHeard{})
	}
}

// hum gives the melody the beginning of speech, which was noticed late: of a short word that is most.
func (t *transcriber) hum(speech []int16) {
	for speech = speech[len(speech)%audio.FrameLen:]; len(speech) > 0; speech = speech[audio.FrameLen:] {
		t.melody.Push(speech[:audio.FrameLen])
	}
}

// remember keeps what a wideband leg brought. On others the detector does.
func (t *transcriber) remember(whole []int16) {
	if t.options.Band == audio.Narrow {
		return
	}
	t.recent = append(t.recent, whole...)
	if keep := t.options.Band.Samples(recentLimit); len(t.recent) >= 2*keep {
		t.recent = t.recent[:copy(t.recent, t.recent[len(t.recent)-keep:])]
	}
}

// since returns the sound from a position of the detector until now, in the leg's band.
func (t *transcriber) since(at int64) []int16 {
	speech := t.vad.Since(at)
	if t.options.Band == audio.Narrow {
		return speech
	}
	return t.recent[max(0, len(t.recent)-t.options.Band.Scale(len(speech))):]
}

// fillGaps stands in for frames that did not come, so that speech ends although the far end stopped sending.
func (t *transcriber) fillGaps(at time.Duration, emit func(turn.Event)) error {
	for t.vad.Open() && at-t.frameAt >= frameGap {
		whole := make([]int16, t.options.Band.FrameLen())
		if err := t.write(whole[:audio.FrameLen], whole, t.frameAt+audio.FrameDuration, emit); err != nil {
			return err
		}
	}
	return nil
}

// next returns when fillGaps should look for missing frames, and false when it need not.
func (t *transcriber) next() (time.Duration, bool) {
	return t.frameAt + frameGap, t.vad.Open()
}

// caption passes on text that came beside the sound.
func (t *transcriber) caption(text string) {
	select {
	case t.captions <- text:
		t.captioned = true
	default: // nobody reads them
	}
}

// pass gives speech to the recogniser, or keeps it for the next one.
func (t *transcriber) pass(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	if t.stream == nil {
		most := t.options.Band.Samples(pendingLimit)
		if t.pending = append(t.pending, pcm...); len(t.pending) > most {
			t.pending = t.pending[len(t.pending)-most:]
		}
		return nil
	}
	return t.stream.Write(pcm)
}

// endOfSpeech tells the recogniser that the caller has paused.
func (t *transcriber) endOfSpeech() {
	if t.stream == nil {
		t.paused = true
		return
	}
	t.stream.EndOfSpeech()
}

// giveUp forgets the recogniser, if there is one, and returns it to be closed.
func (t *transcriber) giveUp() stt.Stream {
	stream, results := t.stream, t.results
	t.stream, t.results, t.captioned = nil, nil, false
	if stream != nil {
		t.running.Go(func() {
			for range results { // a stream may wait for its reader
			}
		})
	}
	return stream
}

// endOf closes a recogniser that failed, waits for its end and returns why it did.
func endOf(stream stt.Stream) error {
	closing := stream.Close()
	if closing != nil {
		closing = fmt.Errorf("close the recogniser: %w", closing)
	}
	return cmp.Or(stream.Err(), closing, errTranscriberEnded)
}
