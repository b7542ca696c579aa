package fallback

import (
	"context"
	"log/slog"
	"sync"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
)

// maxKept is how much speech is kept for another recogniser, in samples: two minutes.
const maxKept = 120 * 8000

type sttChain struct{ *chain[stt.Provider] }

// STT makes one recogniser of several, at least one. When one breaks off, the next hears
// again what was said since the last final event. The model of a call's options is a name
// that the first one knows; the others use their own.
func STT(logger *slog.Logger, providers ...stt.Provider) stt.Provider {
	if len(providers) == 1 {
		return providers[0]
	}
	return sttChain{newChain(logger, providers)}
}

func (c sttChain) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s := &sttStream{chain: c, options: o}
	if err := s.open(ctx, len(c.providers)); err != nil {
		return nil, err
	}
	s.Feed = stt.NewFeed(ctx, s.run)
	return s, nil
}

// sttStream keeps what no final event has answered yet.
type sttStream struct {
	*stt.Feed
	chain   sttChain
	options stt.Options

	mu      sync.Mutex
	current stt.Stream
	index   int // of current, in the chain
	kept    []stretch
	samples int // in kept
}

// stretch is speech, with or without the pause behind it.
type stretch struct {
	speech []int16
	ended  bool
}

func (s *sttStream) Write(pcm []int16) error {
	if err := s.Over(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(pcm)
	s.current.Write(pcm) //nolint:errcheck // its Events tell, and then the next one hears it
	return nil
}

func (s *sttStream) EndOfSpeech() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(nil)
	s.kept[len(s.kept)-1].ended = true
	s.current.EndOfSpeech()
}

// keep adds to the last stretch, and lets go of the beginning when there is too much.
func (s *sttStream) keep(pcm []int16) {
	if len(s.kept) == 0 || s.kept[len(s.kept)-1].ended {
		s.kept = append(s.kept, stretch{})
	}
	last := &s.kept[len(s.kept)-1]
	last.speech = append(last.speech, pcm...)
	s.samples += len(pcm)
	for i := 0; s.samples > maxKept; i++ {
		dropped := min(s.samples-maxKept, len(s.kept[i].speech))
		s.kept[i].speech = s.kept[i].speech[dropped:]
		s.samples -= dropped
	}
}

// answered lets go of what a final event was about: the oldest stretch, or what there is
// of it when its pause has not come yet.
func (s *sttStream) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 {
		s.samples -= len(s.kept[0].speech)
		s.kept = s.kept[1:]
	}
}

// open makes a recogniser current that has not failed, in at most tries attempts, and
// lets it hear what is kept.
func (s *sttStream) open(ctx context.Context, tries int) error {
	var failure error
	for _, i := range s.chain.order()[:tries] {
		options := s.options
		if i > 0 {
			options.Model = ""
		}
		stream, err := s.chain.providers[i].Open(ctx, options)
		if err == nil {
			s.use(stream, i)
			return nil
		}
		if failure = err; !s.chain.failed(i, err) {
			return err
		}
	}
	return failure
}

func (s *sttStream) use(stream stt.Stream, index int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.index = stream, index
	for _, part := range s.kept {
		stream.Write(part.speech) //nolint:errcheck // its Events tell
		if part.ended {
			stream.EndOfSpeech()
		}
	}
}

func (s *sttStream) run(ctx context.Context, emit func(stt.Event) bool) error {
	defer func() { s.current.Close() }() //nolint:errcheck // it is not needed any more
	left := len(s.chain.providers)       // that may still fail before a final event comes
	for {
		heard, err := s.forward(ctx, emit)
		if ctx.Err() != nil {
			return fault.FromNet(s.chain.Name(), ctx.Err())
		}
		if heard {
			left = len(s.chain.providers)
		}
		left--
		if !s.chain.failed(s.index, err) || left == 0 {
			return err
		}
		if err := s.current.Close(); err != nil {
			return err
		}
		if err := s.open(ctx, left); err != nil {
			return err
		}
	}
}

// forward passes on events until the current recogniser has no more. heard: one was final.
func (s *sttStream) forward(ctx context.Context, emit func(stt.Event) bool) (heard bool, err error) {
	for {
		select {
		case <-ctx.Done():
			return heard, nil
		case event, ok := <-s.current.Events():
			if !ok {
				return heard, s.current.Err()
			}
			if event.Final {
				heard = true
				s.answered()
			}
			if !emit(event) {
				return heard, nil
			}
		}
	}
}
