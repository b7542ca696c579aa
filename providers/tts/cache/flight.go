package cache

import (
	"context"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
)

// flight is one synthesis and those who listen to it.
type flight struct {
	cancel context.CancelCauseFunc
	fixed  bool // somebody warms it; the provider's lock guards it

	mu        sync.Mutex
	by        served.By // whose sound it is; set before the first chunk
	failures  []served.Failure
	told      []context.Context // of everybody who has listened, to be told of failures
	chunks    [][]int16
	over      bool
	err       error
	patience  patience
	changed   chan struct{} // closed, and replaced, when one of the above changes
	listeners int           // 0: given up
}

// join is false when everybody had left before.
func (f *flight) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == 0 {
		return false
	}
	f.listeners++
	return true
}

// leave takes why a listener leaves: a vendor that took too long is told so.
func (f *flight) leave(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners--; f.listeners == 0 {
		f.cancel(why)
	}
}

// tellFailures has a listener with ctx be told of all failures, those before it came included.
func (f *flight) tellFailures(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, failure := range f.failures {
		served.Fail(ctx, served.TTS, failure)
	}
	f.told = append(f.told, ctx)
}

func (f *flight) failed(failure served.Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, failure)
	for _, ctx := range f.told {
		served.Fail(ctx, served.TTS, failure)
	}
}

func (f *flight) madeBy(by served.By) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.by = by
}

// patience is what the provider behind last asked of those who listen: to take a silence for no failure. The zero value: nothing.
type patience struct {
	asked   time.Time
	silence time.Duration
}

func (f *flight) askPatience(silence time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.patience = patience{time.Now(), silence}
	f.announce()
}

func (f *flight) add(chunk []int16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chunks = append(f.chunks, chunk)
	f.announce()
}

func (f *flight) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over, f.err = true, err
	f.announce()
}

func (f *flight) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// state is what there is behind the first n chunks, what was asked of those who listen, a channel that tells of more, nil
// when it is over, and why it ended early.
func (f *flight) state(n int) (chunks [][]int16, wait patience, changed <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return f.chunks[n:], f.patience, nil, f.err
	}
	return f.chunks[n:], f.patience, f.changed, nil
}

// listen yields the sound from its beginning, as it comes.
func (f *flight) listen(ctx context.Context, name string, yield func([]int16, error) bool) {
	heard, told := 0, patience{}
	for {
		chunks, wait, changed, err := f.state(heard)
		if left := time.Until(wait.asked.Add(wait.silence)); wait != told && left > 0 {
			told = wait
			tts.AskPatience(ctx, left)
		}
		if heard == 0 && len(chunks) > 0 {
			tell(ctx, f.by)
		}
		for _, chunk := range chunks {
			if !yield(chunk, nil) {
				return
			}
		}
		heard += len(chunks)
		if changed == nil {
			if err != nil {
				yield(nil, err)
			}
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			yield(nil, fault.FromNet(name, ctx.Err()))
			return
		}
	}
}
