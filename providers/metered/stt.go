package metered

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/usage"
	"github.com/callwright/callwright/voice/audio"
)

type meteredSTT struct {
	stt.Provider
	vendor, model string
}

// STT returns recogniser, counted as vendor; model is the one that it asks where a stream names none. A stream is one request;
// each end of speech in it is measured to its words.
func STT(vendor, model string, recogniser stt.Provider) stt.Provider {
	return meteredSTT{recogniser, vendor, model}
}

// Open implements stt.Provider.
func (m meteredSTT) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	ctx, asked := begin(ctx, served.STT, m.vendor)
	inner, err := m.Provider.Open(ctx, o)
	if err != nil {
		asked.end(ctx, err)
		return nil, err
	}
	asked.first = true // what is measured is not the opening
	s := &stream{inner: inner, request: asked, ctx: ctx, model: cmp.Or(o.Model, m.model), band: o.Band}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

// stream is a stream whose ends of speech are noted.
type stream struct {
	*stt.Emitter
	inner   stt.Stream
	request *request
	ctx     context.Context // of whoever opened it, whose meter counts
	model   string
	band    audio.Band

	mu      sync.Mutex
	ended   []time.Time // ends of speech without words so far
	samples int         // that were not counted yet
}

// Write implements stt.Stream.
func (s *stream) Write(pcm []int16) error {
	s.mu.Lock()
	s.samples += len(pcm)
	s.mu.Unlock()
	return s.inner.Write(pcm)
}

// count counts the sound since it was last called.
func (s *stream) count() {
	s.mu.Lock()
	samples := s.samples
	s.samples = 0
	s.mu.Unlock()
	if samples > 0 {
		sound := s.band.Duration(samples)
		usage.Count(s.ctx, usage.Use{Family: served.STT, Vendor: s.request.vendor, Model: s.model, Sound: sound})
	}
}

// EndOfSpeech implements stt.Stream.
func (s *stream) EndOfSpeech() {
	s.count()
	s.mu.Lock()
	s.ended = append(s.ended, time.Now())
	s.mu.Unlock()
	s.inner.EndOfSpeech()
}

// heard observes the words of the oldest end of speech that has none.
func (s *stream) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ended) > 0 {
		metrics.Since(metrics.VendorLatency.WithLabelValues(string(served.STT), s.request.vendor), s.ended[0])
		s.ended = s.ended[1:]
	}
}

// patience is how long after an end of speech a recogniser that is left counts as one that hangs.
const patience = 2 * time.Second

// orOwing returns err, or for a stream that was left while its words were long due, that.
func (s *stream) orOwing(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && len(s.ended) > 0 && time.Since(s.ended[0]) > patience {
		return fault.New(fault.Timeout, s.request.vendor, "no words for "+time.Since(s.ended[0]).Round(100*time.Millisecond).String())
	}
	return err
}

func (s *stream) run(ctx context.Context, emit func(stt.Event) bool) (err error) {
	defer func() {
		s.count()
		s.request.end(ctx, s.orOwing(err))
	}()
	defer func() { s.inner.Close() }() //nolint:errcheck // it is no longer needed
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-s.inner.Events():
			if !open {
				return s.inner.Err()
			}
			if event.Final {
				s.request.begun = true
				s.heard()
			}
			if !emit(event) {
				return nil
			}
		}
	}
}
