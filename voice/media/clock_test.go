package media

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func testClock(t *testing.T) *Clock {
	t.Helper()
	c := NewClock(slog.New(slog.DiscardHandler))
	t.Cleanup(c.Close)
	return c
}

// counted counts its pulses.
type counted struct {
	looks, sends atomic.Int32
	rests        time.Duration // when nothing can come
}

func (c *counted) Pulse(due time.Time, sends bool) time.Time {
	c.looks.Add(1)
	if sends {
		c.sends.Add(1)
	}
	return due.Add(c.rests)
}

func (*counted) Prefetch(int) {}

func (*counted) Announce() {}

// ordered notes whether anybody is pulsed in a step behind an announcement.
type ordered struct {
	mu        sync.Mutex
	due       time.Time // of the step
	announced bool      // in it
	steps     int
	mixed     bool
}

func (o *ordered) Pulse(due time.Time, _ bool) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if due != o.due {
		o.due, o.announced = due, false
		o.steps++
	}
	o.mixed = o.mixed || o.announced
	return due
}

func (*ordered) Prefetch(int) {}

func (o *ordered) Announce() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.announced = true
}

func TestTheClockAnnouncesBehindAllPulses(t *testing.T) {
	t.Parallel()
	c, o := testClock(t), new(ordered)
	for range 3 * clockSteps {
		c.Join(o)
	}
	require.Eventually(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.steps > 2*clockSteps
	}, 5*time.Second, time.Millisecond)
	c.Close()
	require.True(t, o.announced)
	require.False(t, o.mixed)
}

func TestTheClockSpreadsItsMembers(t *testing.T) {
	t.Parallel()
	c := testClock(t)
	var all []*counted
	for range 2 * clockSteps {
		m := new(counted)
		c.Join(m)
		all = append(all, m)
	}
	phases, running := c.now()
	require.True(t, running)
	for _, members := range phases {
		require.Len(t, members, 2)
	}
	require.Eventually(t, func() bool { return all[0].sends.Load() > 2 }, 5*time.Second, time.Millisecond)
	require.Greater(t, all[0].looks.Load(), all[0].sends.Load())
	for _, m := range all {
		c.Leave(m)
		c.Leave(m)
	}
	_, running = c.now()
	require.False(t, running, "without members it stands still")
	require.Zero(t, c.Load())
}

func TestTheClockLooksWhereSomethingMayHaveCome(t *testing.T) {
	t.Parallel()
	c := testClock(t)
	rests := &counted{rests: time.Hour}
	c.Join(rests)
	require.Eventually(t, func() bool { return rests.sends.Load() > 5 }, 5*time.Second, time.Millisecond)
	c.Leave(rests)
	c.Close()
	require.LessOrEqual(t, rests.looks.Load(), rests.sends.Load()+1)
}

func TestCallsGoToTheClockWithTheFewest(t *testing.T) {
	t.Parallel()
	all := Clocks{testClock(t), testClock(t)}
	for range 3 {
		all.Quietest().Join(new(counted))
	}
	require.Equal(t, 3, all[0].Load()+all[1].Load())
	require.Positive(t, all[0].Load())
	require.Positive(t, all[1].Load())
}

func TestAClosedClockStandsStill(t *testing.T) {
	t.Parallel()
	c := testClock(t)
	before, after := new(counted), new(counted)
	c.Join(before)
	c.Close()
	looks := before.looks.Load()
	c.Join(after)
	time.Sleep(4 * ClockStep)
	require.Equal(t, looks, before.looks.Load())
	require.Zero(t, after.looks.Load())
}
