package media

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

const (
	// clockSteps of a frame: members send in one of them and look at what has come in each. Each step wakes the clock and who
	// listens.
	clockSteps = 4
	// ClockStep is the time from one pulse of a clock to the next.
	ClockStep = audio.FrameDuration / clockSteps
)

// Member is what a clock has send and receive.
type Member interface {
	// Pulse takes what has come and, when sends is true, sends the frame that was due. It returns before when nothing can come.
	// Only the clock calls it.
	Pulse(due time.Time, sends bool) (next time.Time)
	// Prefetch fetches what the next pulse reads that is so many pointers away from the member, see prefetch.Each. Only the clock
	// calls it.
	Prefetch(depth int)
	// Announce has who listens told of what was taken. The clock calls it behind the pulses of all its members: who is woken by
	// the first of many finds them all, and is woken once.
	Announce()
}

// seat is a member and when it is to be looked at next, but to send: to find that out from the member itself, in each
// step, would cost as much as a packet.
type seat struct {
	Member
	next time.Time // the clock's own
}

// Clock is the steady pulse of many calls. One goroutine sends and receives for all of them, because to wake one for each
// packet costs more than the packet itself. It runs while there are members.
type Clock struct {
	log      *slog.Logger
	ranked   sync.Once
	runs     sync.WaitGroup
	lateness lateness

	mu      sync.Mutex
	phases  [clockSteps][]*seat // by the step in which they send; never changed in place
	members int
	running bool
	closed  bool
}

// NewClock returns a clock that stands still until its first member joins.
func NewClock(log *slog.Logger) *Clock { return &Clock{log: log} }

// Join has the clock pulse m from now on. A closed clock does not.
func (c *Clock) Join(m Member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	first := rand.IntN(clockSteps) // else the calls of two such clocks would all have the same lag between them
	quietest := first
	for i := range clockSteps {
		if phase := (first + i) % clockSteps; len(c.phases[phase]) < len(c.phases[quietest]) {
			quietest = phase
		}
	}
	c.phases[quietest] = append(slices.Clip(c.phases[quietest]), &seat{Member: m})
	c.members++
	if !c.running {
		c.running = true
		c.runs.Go(c.run)
	}
}

// Leave ends the pulse of m, but for one that may be under way.
func (c *Clock) Leave(m Member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for phase, members := range c.phases {
		if i := slices.IndexFunc(members, func(s *seat) bool { return s.Member == m }); i >= 0 {
			c.phases[phase] = slices.Delete(slices.Clone(members), i, i+1)
			c.members--
			return
		}
	}
}

// Load returns the number of members.
func (c *Clock) Load() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members
}

// Close stops the clock for good and waits until it stands still.
func (c *Clock) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.runs.Wait()
}

// now returns who is to be looked at; false, and the clock stands still, when that is nobody.
func (c *Clock) now() (phases [clockSteps][]*seat, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = c.members > 0 && !c.closed
	return c.phases, c.running
}

// run takes one step after the other, whatever happens, so that the far ends, the recordings and the readers of Incoming
// never see time stand still.
func (c *Clock) run() {
	sleepUntil := sleep
	if err := takePrecedence(); err == nil {
		sleepUntil = threadSleep()
	} else {
		c.ranked.Do(func() { c.log.Info("packets may leave late while this machine is busy", "error", err) })
	}
	began := time.Now()
	var pulsed []*seat
	for step := 0; ; step++ {
		phases, running := c.now()
		if !running {
			return
		}
		due := began.Add(time.Duration(step) * ClockStep)
		sleepUntil(due)
		pulsed = append(pulsed[:0], phases[step%clockSteps]...) // who sends first
		sending := len(pulsed)
		for ahead := 1; ahead < clockSteps; ahead++ {
			for _, m := range phases[(step+ahead)%clockSteps] {
				if !due.Before(m.next) {
					pulsed = append(pulsed, m)
				}
			}
		}
		c.pulse(pulsed, sending, due)
		for _, m := range pulsed {
			m.Announce()
		}
		clear(pulsed)
		if late := time.Since(due); late > resyncAfter { // go on from here instead of sending a burst
			began = began.Add(late)
			c.lateness.count(c.Load()*int(late/audio.FrameDuration), late)
		}
	}
}

// pulse has members pulse, of which so many send.
func (c *Clock) pulse(members []*seat, sending int, due time.Time) {
	prefetch.Each(members, (*seat).Prefetch, func(i int, m *seat) {
		m.next = m.Pulse(due, i < sending)
		if i == sending-1 {
			c.lateness.count(sending, time.Since(due))
		}
	})
}

// Precedence returns an error where the clock of calls cannot run before the other work of this machine.
func Precedence() error {
	outcome := make(chan error)
	go func() { outcome <- takePrecedence() }() // its thread ends with it
	return <-outcome
}

func sleep(until time.Time) { time.Sleep(time.Until(until)) }
