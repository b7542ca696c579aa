package sip

import (
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	clockSteps = 8 // of a frame; calls send in one of them and look at what has come in each
	clockStep  = audio.FrameDuration / clockSteps
)

// clock is the steady pulse of many calls. One goroutine sends and receives for all of them, because to wake one for each
// packet costs more than the packet itself. It runs while there are calls.
type clock struct {
	bench  *bench
	log    *slog.Logger
	ranked sync.Once

	mu      sync.Mutex
	phases  [clockSteps][]*media // by the step in which they send; never changed in place
	members int
	running bool
}

func newClock(log *slog.Logger) *clock { return &clock{bench: newBench(), log: log} }

// bench is what handling packets needs room for, one after the other.
type bench struct {
	arrival *arrival
	plain   []byte     // the arrival without its encryption
	header  rtp.Header // of what is encrypted or decrypted
	came    rtp.Packet
	pcm     [2 * packetLen]int16
	frame   [audio.FrameLen]int16
	payload []byte
	packet  [packetLen]byte
	sealed  []byte
}

func newBench() *bench {
	return &bench{
		arrival: newArrival(), plain: make([]byte, 0, packetLen),
		payload: make([]byte, 0, packetLen), sealed: make([]byte, 0, packetLen),
	}
}

func (c *clock) join(m *media) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := rand.IntN(clockSteps) // else the calls of two such clocks would all have the same lag between them
	m.phase = first
	for i := range clockSteps {
		if phase := (first + i) % clockSteps; len(c.phases[phase]) < len(c.phases[m.phase]) {
			m.phase = phase
		}
	}
	c.phases[m.phase] = append(slices.Clip(c.phases[m.phase]), m)
	c.members++
	if !c.running {
		c.running = true
		go c.run()
	}
}

func (c *clock) leave(m *media) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phases[m.phase] = slices.DeleteFunc(slices.Clone(c.phases[m.phase]), func(other *media) bool { return other == m })
	c.members--
}

// now is who is to be looked at; false, and the clock stands still, when that is nobody.
func (c *clock) now() (phases [clockSteps][]*media, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = c.members > 0
	return c.phases, c.running
}

// run takes one step after the other, whatever happens, so that the far ends, the recordings and the readers of Incoming
// never see time stand still.
func (c *clock) run() {
	sleepUntil := sleepThread
	if err := takePrecedence(); err != nil {
		sleepUntil = sleep
		c.ranked.Do(func() { c.log.Info("packets may leave late while this machine is busy", "error", err) })
	}
	began := time.Now()
	for step := 0; ; step++ {
		phases, running := c.now()
		if !running {
			return
		}
		due := began.Add(time.Duration(step) * clockStep)
		sleepUntil(due)
		for phase, members := range phases {
			for _, m := range members {
				m.pulse(due, phase == step%clockSteps)
			}
		}
		if late := time.Since(due); late > resyncAfter { // go on from here instead of sending a burst
			began = began.Add(late)
		}
	}
}

// Precedence tells, by an error, that the clock of calls cannot run before the other work of this machine.
func Precedence() error {
	outcome := make(chan error)
	go func() { outcome <- takePrecedence() }() // its thread ends with it
	return <-outcome
}

func sleep(until time.Time) { time.Sleep(time.Until(until)) }

// clocks share the calls of a user agent.
type clocks []*clock

// newClocks makes one clock for every four of Go's processors, of which a worker may have two for each of the machine's: a
// clock keeps more than 1,000 calls of G.711 on one of those, and what listens to them needs far more than that.
func newClocks(log *slog.Logger) clocks {
	all := make(clocks, max(1, runtime.GOMAXPROCS(0)/4))
	for i := range all {
		all[i] = newClock(log)
	}
	return all
}

// quietest is the clock with the fewest calls.
func (all clocks) quietest() *clock {
	return slices.MinFunc(all, func(a, b *clock) int { return a.load() - b.load() })
}

func (c *clock) load() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members
}
