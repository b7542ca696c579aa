package voicetest

import (
	"context"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
)

// Reply is how the language model answers one request.
type Reply struct {
	Pieces []string       // of text
	Tools  []llm.ToolCall // asked for behind the text
	Usage  llm.Usage
	First  time.Duration // before the first piece
	Each   time.Duration // before each other one
	Err    error         // behind the pieces
	Hang   bool          // behind the pieces, until cancelled
}

// LLM replies to requests with its replies, in order; the last one again and again.
type LLM struct {
	Replies []Reply

	mu       sync.Mutex
	requests []llm.Request
}

// Name returns "test".
func (*LLM) Name() string { return "test" }

// Requests returns those received.
func (m *LLM) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

// Stream gives the next reply.
func (m *LLM) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	reply := m.Replies[min(len(m.requests), len(m.Replies))-1]
	m.mu.Unlock()
	return func(yield func(llm.Delta, error) bool) {
		wait := reply.First
		for _, piece := range reply.Pieces {
			if err := sleep(ctx, wait); err != nil {
				yield(llm.Delta{}, err)
				return
			}
			if !yield(llm.Delta{Text: piece}, nil) {
				return
			}
			wait = reply.Each
		}
		if len(reply.Pieces) > 0 {
			wait = 0
		}
		if reply.Hang {
			wait = 1 << 62
		}
		if err := sleep(ctx, wait); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		if reply.Err != nil {
			yield(llm.Delta{}, reply.Err)
			return
		}
		finish := llm.FinishStop
		if len(reply.Tools) > 0 {
			finish = llm.FinishToolCalls
		}
		yield(llm.Delta{ToolCalls: reply.Tools, Finish: finish, Usage: reply.Usage}, nil)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WordLength is how long TTS speaks a word.
const WordLength = 300 * time.Millisecond

// TTS speaks every word for WordLength, in chunks of a word.
type TTS struct {
	First time.Duration           // before the first chunk
	Asks  time.Duration           // patience, from whoever waits for it; 0: none
	Fail  func(text string) error // nil: never
	Hang  func(text string) bool  // nil: never
	Mute  func(text string) bool  // it makes no sound; nil: never
	Break func(text string) error // behind the first word; nil: never

	mu    sync.Mutex
	asked []string
}

// Asked returns the texts that it was to speak.
func (v *TTS) Asked() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.asked...)
}

// Name returns "test".
func (*TTS) Name() string { return "test" }

// Speak makes the sound of the text.
func (v *TTS) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	v.mu.Lock()
	v.asked = append(v.asked, req.Text)
	v.mu.Unlock()
	return func(yield func([]int16, error) bool) {
		wait := v.First
		if v.Asks > 0 {
			tts.AskPatience(ctx, v.Asks)
		}
		if v.Hang != nil && v.Hang(req.Text) {
			wait = 1 << 62
		}
		if err := sleep(ctx, wait); err != nil {
			yield(nil, err)
			return
		}
		if v.Fail != nil {
			if err := v.Fail(req.Text); err != nil {
				yield(nil, err)
				return
			}
		}
		if v.Mute != nil && v.Mute(req.Text) {
			return
		}
		random := rand.New(rand.NewPCG(uint64(len(req.Text)), 1))
		for range strings.FieldsSeq(req.Text) {
			pcm := murmur(req.Band.Samples(WordLength), random)
			if !yield(pcm, nil) {
				return
			}
			if v.Break != nil {
				if err := v.Break(req.Text); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

// murmur is noise, as loud as speech: no two pieces of it are alike.
func murmur(samples int, random *rand.Rand) []int16 {
	pcm := make([]int16, samples)
	for i := range pcm {
		pcm[i] = int16(random.IntN(16000) - 8000)
	}
	return pcm
}

// STT hears what the test says: each end of speech is answered with the next text of
// Texts, or with an empty one.
type STT struct {
	Texts   []string
	Delay   time.Duration
	Fail    func(pause int) error // the pause, from 1, at which a stream fails; nil: never
	OpenErr func(attempt int) error

	mu      sync.Mutex
	opened  int
	pauses  int
	samples int
	stream  *stream
}

// Name returns "test".
func (*STT) Name() string { return "test" }

// Samples returns how much speech was written.
func (r *STT) Samples() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.samples
}

// Interim makes the open stream say what it understood so far.
func (r *STT) Interim(text string) {
	r.mu.Lock()
	s := r.stream
	r.mu.Unlock()
	s.emit(0, stt.Event{Text: text})
}

// Open begins a stream.
func (r *STT) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	if r.OpenErr != nil {
		if err := r.OpenErr(r.opened); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{stt: r, ctx: ctx, cancel: cancel, out: make(chan stt.Event), in: make(chan order, 64)}
	s.running.Go(s.run)
	r.stream = s
	return s, nil
}

type order struct {
	delay time.Duration
	event stt.Event
	err   error
}

type stream struct {
	stt     *STT
	ctx     context.Context
	cancel  context.CancelFunc
	in      chan order
	out     chan stt.Event
	running sync.WaitGroup

	mu  sync.Mutex
	err error
}

func (s *stream) run() {
	defer close(s.out)
	for {
		select {
		case o := <-s.in:
			if sleep(s.ctx, o.delay) != nil {
				return
			}
			if o.err != nil {
				s.mu.Lock()
				s.err = o.err
				s.mu.Unlock()
				return
			}
			select {
			case s.out <- o.event:
			case <-s.ctx.Done():
				return
			}
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *stream) emit(delay time.Duration, e stt.Event) { s.in <- order{delay: delay, event: e} }

func (s *stream) Write(pcm []int16) error {
	s.stt.mu.Lock()
	defer s.stt.mu.Unlock()
	s.stt.samples += len(pcm)
	return nil
}

func (s *stream) EndOfSpeech() {
	r := s.stt
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pauses++
	if r.Fail != nil {
		if err := r.Fail(r.pauses); err != nil {
			s.in <- order{delay: r.Delay, err: err}
			return
		}
	}
	var text string
	if r.pauses <= len(r.Texts) {
		text = r.Texts[r.pauses-1]
	}
	s.emit(r.Delay, stt.Event{Text: text, Final: true})
}

func (s *stream) Events() <-chan stt.Event { return s.out }

func (s *stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *stream) Close() error {
	s.cancel()
	s.running.Wait()
	return nil
}
