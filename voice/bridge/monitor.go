package bridge

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/callwright/callwright/voice/audio"
)

// Monitor has others hear what both sides of a call say. Nobody who listens slowly holds up the call: what a listener's leg does
// not send in time is left out there.
type Monitor struct {
	mu   sync.Mutex
	taps atomic.Pointer[[]*Tap] // never changed in place; nil: there are none
}

// Tap is what one of them hears.
type Tap struct {
	pipe    *Pipe
	farOnly atomic.Bool
}

// FarOnly has the listener hear the far end alone, or both sides: who speaks to the caller would hear an echo.
func (t *Tap) FarOnly(only bool) { t.farOnly.Store(only) }

// Add has a leg hear a call of a band from now on.
func (m *Monitor) Add(from audio.Band, to Leg) *Tap {
	m.mu.Lock()
	defer m.mu.Unlock()
	tap := &Tap{pipe: NewPipe(from, to)}
	taps := append(slices.Clone(m.list()), tap)
	m.taps.Store(&taps)
	return tap
}

// Remove ends that, but for a frame that may be under way.
func (m *Monitor) Remove(tap *Tap) {
	m.mu.Lock()
	defer m.mu.Unlock()
	taps := slices.DeleteFunc(slices.Clone(m.list()), func(t *Tap) bool { return t == tap })
	m.taps.Store(&taps)
}

func (m *Monitor) list() []*Tap {
	if taps := m.taps.Load(); taps != nil {
		return *taps
	}
	return nil
}

// Frame takes a frame of each side, which it does not keep, as a leg's Record gives them. One goroutine at a time calls it.
func (m *Monitor) Frame(far, near []int16) {
	for _, tap := range m.list() {
		heard := audio.CopyFrame(far)
		if !tap.farOnly.Load() {
			for i := range heard {
				heard[i] = audio.Clamp(float64(far[i]) + float64(near[i]))
			}
		}
		tap.pipe.sound(heard)
	}
}
