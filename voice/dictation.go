package voice

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
)

// dictationLen is how much may wait to be recognised: a second and a quarter. What exceeds it is left out.
const dictationLen = 64

// Dictation has the recogniser of a session write down what somebody says who is not its caller. It must be closed.
type Dictation struct {
	session     *Session
	said        func(text string, at time.Time)
	log         *slog.Logger
	sound       chan audio.Incoming
	stop        context.CancelFunc
	running     sync.WaitGroup
	transcriber *transcriber
	wideband    *wideband // nil: the leg is narrow
	events      chan event
	begun       time.Time
	since       time.Time // when what is being said began; zero: nothing is
	failures    int       // of the recogniser, in a row
}

// NewDictation listens to what Hear is given of a leg, and calls said, in a goroutine of its own, with what was understood and
// when it began. Its ctx is that of the recogniser, too.
func NewDictation(ctx context.Context, s *Session, leg Leg, said func(text string, at time.Time)) (*Dictation, error) {
	d := &Dictation{
		session: &Session{STT: s.STT, Script: s.Script, Leg: leg, Detector: s.Detector}, said: said, log: s.Logger,
		sound: make(chan audio.Incoming, dictationLen), events: make(chan event), begun: time.Now(),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if d.transcriber, err = newTranscriber(d.session, &d.running, d.events); err != nil {
		return nil, err
	}
	if leg.Band() == audio.Wide {
		d.wideband = newWideband()
	}
	ctx, d.stop = context.WithCancel(ctx)
	d.transcriber.open(ctx, 0)
	d.running.Go(func() { d.run(ctx) })
	return d, nil
}

// Hear takes one thing that came from the leg, and its frame over. It does not block.
func (d *Dictation) Hear(in audio.Incoming) {
	select {
	case d.sound <- in:
	default:
		if in.Frame != nil {
			audio.GiveFrame(in.Frame)
		}
	}
}

// Close ends it and waits until it is over.
func (d *Dictation) Close() {
	d.stop()
	d.running.Wait()
}

func (d *Dictation) run(ctx context.Context) {
	gaps := time.NewTicker(frameGap)
	defer gaps.Stop()
	for ctx.Err() == nil {
		var err error
		select {
		case in := <-d.sound:
			err = d.hear(in)
		case <-gaps.C:
			err = d.transcriber.fillGaps(d.now(), d.notice)
		case e, ok := <-d.transcriber.results:
			if err = errTranscriberEnded; ok {
				err = nil
				d.understood(e)
			}
		case e := <-d.events:
			err = d.opened(e)
		case <-ctx.Done():
		}
		if err != nil && ctx.Err() == nil {
			d.failed(ctx, err)
		}
	}
	if stream := d.transcriber.giveUp(); stream != nil {
		if err := stream.Close(); err != nil {
			d.log.WarnContext(ctx, "close the recogniser", "error", err)
		}
	}
}

func (d *Dictation) now() time.Duration { return time.Since(d.begun) }

func (d *Dictation) hear(in audio.Incoming) error {
	switch {
	case in.Caption() != "":
		d.transcriber.caption(in.Caption())
	case in.Frame != nil:
		defer audio.GiveFrame(in.Frame)
		if d.wideband == nil {
			return d.transcriber.write(in.Frame, in.Frame, d.now(), d.notice)
		}
		narrow := d.wideband.narrow(in.Frame)
		return d.transcriber.write(narrow, d.wideband.whole(narrow), d.now(), d.notice)
	}
	return nil
}

// notice keeps when speech began.
func (d *Dictation) notice(e turn.Event) {
	if _, starts := e.(turn.SpeechStarted); starts && d.since.IsZero() {
		d.since = time.Now()
	}
}

func (d *Dictation) understood(e stt.Event) {
	d.failures = 0
	text := strings.TrimSpace(e.Text)
	if d.since.IsZero() && text != "" {
		d.since = time.Now()
	}
	if !e.Final {
		return
	}
	at := d.since
	d.since = time.Time{}
	if text != "" {
		d.said(text, at)
	}
}

func (d *Dictation) opened(e event) error {
	opened, is := e.(transcriberOpened)
	if !is {
		return nil
	}
	if opened.err != nil {
		return opened.err
	}
	return d.transcriber.opened(opened.stream)
}

// failed asks for another recogniser.
func (d *Dictation) failed(ctx context.Context, err error) {
	d.failures++
	if stream := d.transcriber.giveUp(); stream != nil {
		err = endOf(stream)
	}
	d.log.WarnContext(ctx, "a listener's words are not recognised at the moment", "error", err)
	d.transcriber.reopen(ctx, d.failures)
}
