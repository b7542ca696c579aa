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
	"github.com/callwright/callwright/voice/vad"
)

const (
	reopenAfter  = 500 * time.Millisecond // before a failed recogniser is asked again
	reopenLater  = 3 * time.Second        // before it is asked once more
	openLimit    = 5 * time.Second        // for a recogniser to accept a call
	pendingLimit = 15 * audio.Rate        // samples of speech kept while no recogniser is open
	captionLimit = 256                    // captions that wait for a recogniser that reads them
	lineGap      = 100 * time.Millisecond // without a frame: the far end is silent, or its packets are lost
)

var errRecogniserEnded = errors.New("the recogniser ended")

// opening is the outcome of asking for a recogniser.
type opening struct {
	stream stt.Stream
	err    error
}

// ear finds the caller's speech in the frames of the line and gives it to a recogniser,
// with its first syllable. When the recogniser fails it is opened again; speech is kept
// meanwhile. Its methods belong to the goroutine that owns the call.
type ear struct {
	provider stt.Provider
	options  stt.Options
	captions chan string // nil: the line carries none
	out      chan<- happening
	running  *sync.WaitGroup

	vad     *vad.Stream
	written int64         // position up to which speech was given to the recogniser
	heardAt time.Duration // when the last frame came

	stream    stt.Stream
	events    <-chan stt.Event // nil while no recogniser is open
	pending   []int16          // speech for the next one
	paused    bool             // and its end
	captioned bool             // a caption was passed on and nothing came back yet
}

func newEar(s *Session, running *sync.WaitGroup, out chan<- happening) (*ear, error) {
	detector := s.Detector
	if detector == nil {
		silero, err := vad.NewSilero()
		if err != nil {
			return nil, fmt.Errorf("open the ear: %w", err)
		}
		detector = silero
	}
	stream, err := vad.NewStream(detector, vad.DefaultGate())
	if err != nil {
		return nil, fmt.Errorf("open the ear: %w", err)
	}
	e := &ear{
		provider: s.STT, out: out, running: running, vad: stream,
		options: stt.Options{Model: s.Script.Transcriber.Model, Language: languageCode(cmp.Or(s.Script.Transcriber.Language, s.Script.Language))},
	}
	if s.Leg.Captioned() {
		e.captions = make(chan string, captionLimit)
		e.options.Captions = e.captions
	}
	return e, nil
}

// open asks for a recogniser after a delay and tells the outcome. Its context must not end
// with the request: a stream lives as long as its context.
func (e *ear) open(ctx context.Context, delay time.Duration) {
	e.running.Go(func() {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
		live, cancel := context.WithCancel(ctx)
		watchdog := time.AfterFunc(openLimit, cancel)
		stream, err := e.provider.Open(live, e.options)
		if !watchdog.Stop() && err == nil { // too late: its context is gone
			err = fmt.Errorf("no answer for %s: %w", openLimit, context.DeadlineExceeded)
		}
		if err != nil {
			cancel()
			stream, err = nil, fmt.Errorf("open the recogniser: %w", err)
		}
		select {
		case e.out <- opening{stream, err}:
		case <-ctx.Done():
			cancel()
		}
	})
}

// reopen asks for another one after so many failures in a row.
func (e *ear) reopen(ctx context.Context, failures int) {
	if failures > 1 {
		e.open(ctx, reopenLater)
		return
	}
	e.open(ctx, reopenAfter)
}

// opened takes a recogniser into use and gives it the speech that it missed.
func (e *ear) opened(stream stt.Stream) error {
	e.stream, e.events = stream, stream.Events()
	pending, paused := e.pending, e.paused
	e.pending, e.paused = nil, false
	if err := e.write(pending); err != nil {
		return err
	}
	if paused {
		stream.EndOfSpeech()
	}
	return nil
}

// lost gives up a recogniser that failed and returns why it did.
func (e *ear) lost() error {
	stream := e.stream
	e.captioned = false
	closing := e.close()
	return cmp.Or(stream.Err(), closing, errRecogniserEnded)
}

// hear takes a frame that came at a moment and emits what it changes.
func (e *ear) hear(frame []int16, at time.Duration, emit func(event)) error {
	e.heardAt = at
	inSpeech, ended := e.vad.Open(), false
	e.vad.Push(frame, func(change vad.Event) {
		moment := at - audio.Duration(int(e.vad.Total()-change.At))
		switch change.Kind {
		case vad.SpeechStart:
			inSpeech, e.written = true, max(change.From, e.written)
			emit(speechStarted{moment})
		case vad.SpeechEnd:
			ended = true
			emit(speechEnded{moment})
		}
	})
	if !inSpeech {
		return nil
	}
	speech := frame
	if e.written != e.vad.Total()-int64(len(frame)) {
		speech = e.vad.Since(e.written)
	}
	e.written = e.vad.Total()
	if err := e.write(speech); err != nil {
		return err
	}
	if ended {
		e.pause()
	}
	return nil
}

// silence stands in for frames that did not come, so that speech ends although the far
// end stopped sending.
func (e *ear) silence(at time.Duration, emit func(event)) error {
	for e.vad.Open() && at-e.heardAt >= lineGap {
		if err := e.hear(make([]int16, audio.FrameLen), e.heardAt+audio.FrameDuration, emit); err != nil {
			return err
		}
	}
	return nil
}

// next is when silence should look for missing frames; false: no need.
func (e *ear) next() (time.Duration, bool) {
	return e.heardAt + lineGap, e.vad.Open()
}

// read passes on text that came beside the sound.
func (e *ear) read(caption string) {
	select {
	case e.captions <- caption:
		e.captioned = true
	default: // nobody reads them
	}
}

func (e *ear) write(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	if e.stream == nil {
		if e.pending = append(e.pending, pcm...); len(e.pending) > pendingLimit {
			e.pending = e.pending[len(e.pending)-pendingLimit:]
		}
		return nil
	}
	return e.stream.Write(pcm)
}

func (e *ear) pause() {
	if e.stream == nil {
		e.paused = true
		return
	}
	e.stream.EndOfSpeech()
}

// close ends the recogniser, if there is one.
func (e *ear) close() error {
	if e.stream == nil {
		return nil
	}
	stream, events := e.stream, e.events
	e.stream, e.events = nil, nil
	e.running.Go(func() {
		for range events { // a stream may wait for its reader
		}
	})
	if err := stream.Close(); err != nil {
		return fmt.Errorf("close the recogniser: %w", err)
	}
	return nil
}
