package flite

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // flite.wasm.gz
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/voice/audio"
)

// compressed is the program; build/README.md says of what it was made.
//
//go:embed flite.wasm.gz
var compressed []byte

const (
	pageSize     = 1 << 16
	maxMemory    = 64 << 20 // of an instance, in bytes; a sentence needs 5 to 8 MB
	maxComplaint = 1 << 10  // bytes
)

// program is Flite, compiled. Each utterance runs an instance of its own: none leaves anything to the next.
type program struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// slots are places for running instances, half of the processors: sound of calls must leave on time. They are made with
// the process: a channel made in load would belong to the synctest bubble in which a test first speaks.
var slots = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// load compiles Flite once in a process.
var load = sync.OnceValues(func() (*program, error) {
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("unpack program: %w", err)
	}
	wasm, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("unpack program: %w", err)
	}
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	p := &program{
		runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory/pageSize)),
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, p.runtime); err != nil {
		return nil, fmt.Errorf("load WASI: %w", err)
	}
	if p.module, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, fmt.Errorf("compile program: %w", err)
	}
	return p, nil
})

// speak runs the program on lines of text and yields what it writes.
func speak(ctx context.Context, voice, lines string, band audio.Band, yield func([]int16, error) bool) {
	p, err := load()
	if err != nil {
		yield(nil, &fault.Error{Kind: fault.Unavailable, Provider: name, Err: err})
		return
	}
	resampler, err := audio.NewResampler(rates[voice], band.Rate())
	if err != nil {
		yield(nil, &fault.Error{Kind: fault.Unavailable, Provider: name, Err: err})
		return
	}
	out := &sound{ctx: ctx, band: band, resampler: resampler, yield: yield}
	err = p.run(ctx, voice, lines, out)
	if err == nil {
		err = out.flush()
	}
	if err != nil && !errors.Is(err, errLeft) {
		yield(nil, err)
	}
}

// run returns when the program has ended, with errLeft when it did because nobody listened any more.
func (p *program) run(ctx context.Context, voice, lines string, out *sound) error {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return fault.FromNet(name, ctx.Err())
	}
	complaint := &bounded{}
	config := wazero.NewModuleConfig().WithName("").WithArgs(name, voice).
		WithStdin(strings.NewReader(lines)).WithStdout(out).WithStderr(complaint).
		WithOsyield(func() {
			if ctx.Err() != nil {
				panic(sys.NewExitError(sys.ExitCodeContextCanceled)) // as wazero itself ends a program
			}
		})
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate))
	instance, err := p.runtime.InstantiateModule(ctx, p.module, config)
	if instance != nil {
		err = errors.Join(err, instance.Close(ctx))
	}
	switch {
	case err == nil:
		return nil
	case out.left:
		return errLeft
	case ctx.Err() != nil:
		return fault.FromNet(name, ctx.Err())
	}
	cause, _, _ := strings.Cut(err.Error(), "\n") // below it stands a stack
	return &fault.Error{Kind: fault.Unavailable, Provider: name, Message: complaint.String(), Err: errors.New(cause)}
}

// errLeft says that the listener has left.
var errLeft = errors.New("nobody listens")

// sound is the standard output of the program: it passes samples on at the rate of the listener. Flite begins every utterance
// with a quarter of a second of silence, which is moved to its end: words are heard that much sooner, and sentences still
// have a pause between them.
type sound struct {
	ctx       context.Context
	band      audio.Band
	resampler *audio.Resampler
	yield     func([]int16, error) bool
	left      bool    // yield must not be called again
	begun     bool    // words have
	lead      []int16 // what may come before them
	moved     int     // samples of silence
}

const (
	leadIn = 480 // samples at audio.Rate, 60 ms: words may begin softly
	window = 80  // likewise, 10 ms
	quiet  = 600 // root of the mean square, -35 dBFS: Kal breathes that loud before a w
)

// Write takes whole samples.
func (s *sound) Write(data []byte) (int, error) {
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	if err := s.pass(s.begin(s.resampler.Push(nil, samples))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// begin returns what is to be heard of samples: nothing until words begin.
func (s *sound) begin(samples []int16) []int16 {
	if s.begun {
		return samples
	}
	s.lead = append(s.lead, samples...)
	leadIn, window := s.band.Scale(leadIn), s.band.Scale(window)
	for len(s.lead) >= leadIn+window {
		if !silent(s.lead[leadIn : leadIn+window]) {
			s.begun = true
			return s.lead
		}
		s.lead = s.lead[window:]
		s.moved += window
	}
	return nil
}

func silent(samples []int16) bool {
	var energy int
	for _, sample := range samples {
		energy += int(sample) * int(sample)
	}
	return energy < quiet*quiet*len(samples)
}

// flush passes on what is held back.
func (s *sound) flush() error {
	rest := s.begin(s.resampler.Flush(nil))
	if !s.begun {
		rest = s.lead
	}
	return s.pass(append(rest, make([]int16, s.moved)...))
}

func (s *sound) pass(samples []int16) error {
	if s.ctx.Err() != nil {
		return fault.FromNet(name, s.ctx.Err())
	}
	if len(samples) > 0 && !s.yield(samples, nil) {
		s.left = true
		return errLeft
	}
	return nil
}

// bounded keeps the beginning of what is written.
type bounded struct{ kept []byte }

func (b *bounded) Write(data []byte) (int, error) {
	b.kept = append(b.kept, data[:min(len(data), maxComplaint-len(b.kept))]...)
	return len(data), nil
}

// String is one line.
func (b *bounded) String() string { return strings.Join(strings.Fields(string(b.kept)), " ") }
