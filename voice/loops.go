package voice

import (
	"sync"
	"sync/atomic"

	"github.com/callwright/callwright/voice/prefetch"
)

// Loops handle the frames of many calls, each frame in one of a few goroutines. To wake a goroutine for each frame of each call
// costs as much as most frames do, and a detector of voice activity that hears one call behind the other finds its weights in
// the processor's cache: 14 µs a frame in place of 31.
//
// A call still has its own goroutine, for all that happens beside frames: it and a loop take turns.
type Loops struct {
	ready chan *call // those with frames, each once; nil: a loop is to end
	loops int
	runs  sync.WaitGroup

	frames, late atomic.Uint64
}

// lateFrames is how many frames of a call may wait together. More of them means that the loops fall behind.
const lateFrames = 3

// together is how many calls a loop takes at once, if so many have frames: the memory of one is fetched while those before it
// are heard.
const together = 8

// NewLoops starts so many loops, for at most so many calls.
func NewLoops(loops, calls int) *Loops {
	l := &Loops{ready: make(chan *call, calls+loops), loops: loops}
	for range loops {
		l.runs.Go(l.run)
	}
	return l
}

// Close ends the loops. No call runs any more.
func (l *Loops) Close() {
	for range l.loops {
		l.ready <- nil
	}
	l.runs.Wait()
}

// Lateness returns how many frames were heard so far, and how many of them too late: the assistant's answer then is, too.
func (l *Loops) Lateness() (frames, late uint64) { return l.frames.Load(), l.late.Load() }

func (l *Loops) run() {
	calls := make([]*call, 0, together)
	for c := <-l.ready; c != nil; c = <-l.ready {
		calls = l.more(append(calls[:0], c))
		prefetch.Each(calls, (*call).prefetch, func(_ int, c *call) { l.hear(c) })
		clear(calls)
	}
}

// more takes other calls that have frames. What ends a loop stays behind them.
func (l *Loops) more(calls []*call) []*call {
	for len(calls) < together {
		select {
		case c := <-l.ready:
			if c == nil {
				l.ready <- nil
				return calls
			}
			calls = append(calls, c)
		default:
			return calls
		}
	}
	return calls
}

// prefetch fetches what hear reads that is so many pointers away from the call.
func (c *call) prefetch(depth int) {
	if depth == 0 {
		prefetch.Of(c)
		return
	}
	if !c.mu.TryLock() { // its goroutine is at it, and has it in a cache
		return
	}
	defer c.mu.Unlock()
	c.echo.Prefetch(depth - 1)
	if depth > 1 {
		c.transcriber.prefetch(depth - 2)
		return
	}
	prefetch.Of(c.transcriber)
	prefetch.Of(c.speaker)
}

// attach has the loops hear a call.
func (l *Loops) attach(c *call) {
	c.Leg.Notify(func() {
		if c.waiting.Add(1) == 1 {
			l.ready <- c
		}
	})
}

// hear has a call handle what waits for it. No other loop does meanwhile, as it is in the queue again only behind that.
func (l *Loops) hear(c *call) {
	waiting := c.waiting.Load()
	l.frames.Add(uint64(waiting))
	if waiting > lateFrames {
		l.late.Add(uint64(waiting))
	}
	if c.hear() && c.waiting.Add(-waiting) > 0 {
		l.ready <- c
	}
}

// hear handles what the far end has sent, and reports whether there may be more.
func (c *call) hear() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.left && !c.state.Over() {
		select {
		case in, ok := <-c.incoming:
			if !ok {
				c.gone = true
				c.stir()
				return false
			}
			c.receive(in)
			c.catchUp()
		default:
			c.rearm()
			return true
		}
	}
	c.stir()
	return false
}

// rearm has the call's goroutine wake up for what has become its to do, and in time for what will. What each frame puts off, as
// the end of a gap, wakes nobody: most of what a goroutine costs that is woken is to be woken.
func (c *call) rearm() {
	if c.deaf != nil {
		c.stir()
		return
	}
	wait := c.untilNext()
	if due := c.now() + wait; due < c.armed-minWait || due > c.armed+minWait {
		c.armed = due
		c.timer.Reset(wait)
	}
}

func (c *call) stir() {
	select {
	case c.stirred <- struct{}{}:
	default:
	}
}
