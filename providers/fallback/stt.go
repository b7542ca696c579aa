package fallback

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/stt"
)

// maxKept is how much speech is kept for another recogniser.
const maxKept = 2 * time.Minute

type sttChain struct{ *chain[stt.Provider] }

// STT returns one recogniser made of several, at least one. If one fails, the next one gets again what was said since
// the last final event. The model of a call's options is a name of the first one's; the others use their own.
func STT(logger *slog.Logger, providers ...stt.Provider) stt.Provider {
	if len(providers) == 1 {
		return onlySTT{providers[0]}
	}
	return sttChain{newChain(logger, providers)}
}

// onlySTT is a recogniser without others.
type onlySTT struct{ stt.Provider }

func (p onlySTT) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	stream, err := p.Provider.Open(ctx, o)
	if err == nil {
		served.Tell(ctx, served.STT, served.By{Vendor: p.Name()})
	}
	return stream, err
}

func (c sttChain) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	s := &sttStream{chain: c, options: o}
	if err := s.open(ctx, c.begin(ctx, served.STT)); err != nil {
		return nil, err
	}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

// sttStream keeps the speech after the last final event.
type sttStream struct {
	*stt.Emitter
	chain   sttChain
	options stt.Options

	mu      sync.Mutex
	current stt.Stream
	index   int                // of current, in the chain
	opened  time.Time          // when it was asked to
	end     context.CancelFunc // of current
	kept    []stretch
	samples int // in kept
}

// stretch is speech, with or without the pause after it.
type stretch struct {
	speech []int16
	ended  bool
	at     time.Time // when it ended, for the current recogniser
}

// wordsLimit is how long the words of a stretch may take: a recogniser that takes longer hangs.
const wordsLimit = 2400 * time.Millisecond

// openLimit is how long a recogniser may take to accept a call, of which there may be two before somebody speaks.
const openLimit = 2500 * time.Millisecond

// hangsIn returns how long the current recogniser may still owe words; 0: it hangs. What ends later has all the time.
func (s *sttStream) hangsIn() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 || !s.kept[0].ended {
		return wordsLimit
	}
	return max(0, wordsLimit-time.Since(s.kept[0].at))
}

func (s *sttStream) Write(pcm []int16) error {
	if err := s.Over(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(pcm)
	s.current.Write(pcm) //nolint:errcheck // its Events returns the error, and the next one gets the samples
	return nil
}

func (s *sttStream) EndOfSpeech() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(nil)
	last := &s.kept[len(s.kept)-1]
	last.ended, last.at = true, time.Now()
	s.current.EndOfSpeech()
}

// keep appends to the last stretch, and drops the beginning if there is too much.
func (s *sttStream) keep(pcm []int16) {
	if len(s.kept) == 0 || s.kept[len(s.kept)-1].ended {
		s.kept = append(s.kept, stretch{})
	}
	last := &s.kept[len(s.kept)-1]
	last.speech = append(last.speech, pcm...)
	s.samples += len(pcm)
	most := s.options.Band.Samples(maxKept)
	for i := 0; s.samples > most; i++ {
		dropped := min(s.samples-most, len(s.kept[i].speech))
		s.kept[i].speech = s.kept[i].speech[dropped:]
		s.samples -= dropped
	}
}

// dropFinal drops what a final event was about: the oldest stretch, or its speech so far if its pause has not come yet.
func (s *sttStream) dropFinal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 {
		s.samples -= len(s.kept[0].speech)
		s.kept = s.kept[1:]
	}
}

// open makes a working recogniser the current one, the first of order, and writes the kept speech to it.
func (s *sttStream) open(ctx context.Context, order []int) error {
	var failure error
	for _, i := range order {
		options := s.options
		if i > 0 {
			options.Model = ""
		}
		asked := time.Now()
		live, end := context.WithCancelCause(ctx)
		cancel := func() { end(nil) }
		silent := fault.New(fault.Timeout, s.chain.providers[i].Name(), "no answer for "+openLimit.String())
		watchdog := time.AfterFunc(openLimit, func() { end(silent) })
		stream, err := s.chain.providers[i].Open(live, options)
		late := !watchdog.Stop() && ctx.Err() == nil
		if err == nil && !late {
			s.use(stream, i, asked, cancel)
			served.Tell(ctx, served.STT, served.By{Vendor: s.chain.providers[i].Name(), StandIn: i > 0})
			return nil
		}
		cancel()
		if late {
			err = errors.Join(silent, closed(stream))
		}
		if failure = err; !s.chain.failed(i, err) {
			return err
		}
	}
	return failure
}

// closed ends a stream that came too late.
func closed(stream stt.Stream) error {
	if stream == nil {
		return nil
	}
	return stream.Close()
}

func (s *sttStream) use(stream stt.Stream, index int, asked time.Time, end context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		s.end()
	}
	s.current, s.index, s.opened, s.end = stream, index, asked, end
	for i, part := range s.kept {
		s.kept[i].at = time.Now()
		stream.Write(part.speech) //nolint:errcheck // its Events returns the error
		if part.ended {
			stream.EndOfSpeech()
		}
	}
}

func (s *sttStream) run(ctx context.Context, emit func(stt.Event) bool) error {
	defer func() {
		s.current.Close() //nolint:errcheck // it is no longer needed
		s.end()
	}()
	left := len(s.chain.providers) // attempts left until a final event comes
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
		if err := s.open(ctx, s.chain.order()[:left]); err != nil {
			return err
		}
	}
}

// forward passes on the events of the current recogniser until there are no more. heard reports whether one was final.
func (s *sttStream) forward(ctx context.Context, emit func(stt.Event) bool) (heard bool, err error) {
	look := time.NewTimer(wordsLimit)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return heard, nil
		case <-look.C:
			left := s.hangsIn()
			if left == 0 {
				return heard, fault.New(fault.Timeout, s.chain.providers[s.index].Name(), "no words for "+wordsLimit.String())
			}
			look.Reset(left)
		case event, ok := <-s.current.Events():
			if !ok {
				return heard, s.current.Err()
			}
			if event.Final {
				heard = true
				s.chain.works(s.index, s.opened)
				s.dropFinal()
			}
			if !emit(event) {
				return heard, nil
			}
		}
	}
}
