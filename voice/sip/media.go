package sip

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// route is how media flows at one moment. It is immutable: a new agreement in SDP makes a new one, and the clock swaps
// over between two packets.
type route struct {
	remote  netip.AddrPort // where the far end asked for media
	send    format
	accept  []format
	events  uint8
	text    uint8
	control netip.AddrPort // where the far end asked for reports
	mux     bool           // reports share the port of the media (RFC 5761)
	guard   *guard         // nil: nothing is encrypted
	sends   bool           // false while the far end has us on hold
	expects bool           // false while the far end has announced to send nothing
}

// law is how the sound of a payload type is packed; ok is false for what is no sound.
func (r *route) law(payload uint8) (law audio.Law, ok bool) {
	i := slices.IndexFunc(r.accept, func(f format) bool { return f.payload == payload })
	if i < 0 {
		return 0, false
	}
	return r.accept[i].law, true
}

// media is the sound of one call: two sockets, and what a clock does with them.
type media struct {
	clock    *clock
	phase    int // of the clock, which guards it
	ports    mediaPorts
	sender   *sender   // nil before start
	receiver *receiver // likewise
	ssrc     uint32    // of what we send
	route    atomic.Pointer[route]
	learned  atomic.Pointer[netip.AddrPort] // where packets really come from; nil before the first
	outside  bool                           // the far end's signalling comes from a public address

	inbox   *inbox
	playout playout
	mu      sync.Mutex // guards keys and text
	keys    eventWriter
	text    textWriter
	tape    tape
	counts  counters
	reports reports

	heard     atomic.Int64 // monotonic time of the last packet, see now
	sounded   atomic.Int64 // monotonic time of the last packet of sound
	starved   atomic.Int64 // frames of silence heard since then
	epoch     time.Time
	firstWait time.Duration // silence that ends the call before the first packet; 0: never
	gapWait   time.Duration // and after it
	onDead    func()

	reportEvery time.Duration

	life    sync.Mutex // held during a pulse
	stopped bool
	lookAt  time.Time // nothing can be expected before
}

func newMedia(ports mediaPorts, clock *clock) *media {
	m := &media{clock: clock, ports: ports, ssrc: rand.Uint32(), inbox: newInbox(), epoch: time.Now(), reportEvery: reportEvery}
	m.reports.name = crand.Text()
	return m
}

// now is the time since the media was made, which atomics can hold.
func (m *media) now() time.Duration { return time.Since(m.epoch) }

// agree takes the outcome of an offer and answer. A new address is believed at once, but for one within our own network
// that somebody outside names: that is a telephone behind a NAT, whose address its packets will show, or somebody who wants
// ours to go where theirs cannot.
func (m *media) agree(r *route) {
	if m.outside && !public(r.remote.Addr()) {
		r.remote = netip.AddrPort{}
	}
	if m.outside && !public(r.control.Addr()) {
		r.control = netip.AddrPort{}
	}
	old := m.route.Swap(r)
	if old != nil && old.remote != r.remote {
		m.learned.Store(nil)
	}
	m.heard.Store(int64(m.now()))
}

// sharedSpace is that of providers who put their customers behind a NAT (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// public reports whether an address is one of the Internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedSpace.Contains(ip)
}

// start has the clock send and receive, unless the media is closed already. The route has to be agreed before.
func (m *media) start() {
	m.life.Lock()
	defer m.life.Unlock()
	if m.stopped {
		return
	}
	now := int64(m.now())
	m.heard.Store(now)
	m.sounded.Store(now)
	m.sender, m.receiver = newSender(m), newReceiver(m)
	m.clock.join(m)
}

// pulse takes what has come and, when a frame is due, sends one. Only the clock calls it.
func (m *media) pulse(due time.Time, sends bool) {
	m.life.Lock()
	defer m.life.Unlock()
	if m.stopped {
		return
	}
	if !due.Before(m.lookAt) {
		m.receiver.look()
	}
	if sends {
		m.sender.pulse(due)
	}
}

// close leaves the clock, closes the sockets and ends Incoming. It may be called twice.
func (m *media) close() error {
	m.life.Lock()
	defer m.life.Unlock()
	if m.stopped {
		return nil
	}
	m.stopped = true
	if m.sender != nil {
		m.clock.leave(m)
	}
	m.inbox.close()
	if err := m.ports.close(); err != nil {
		return fmt.Errorf("close media socket: %w", err)
	}
	return nil
}

// destination is where packets go now: to where they come from, which is the only address that works through a NAT.
func (m *media) destination(r *route) (netip.AddrPort, bool) {
	if learned := m.learned.Load(); learned != nil {
		return *learned, true
	}
	return r.remote, r.remote.IsValid() && r.remote.Port() != 0 && !r.remote.Addr().IsUnspecified()
}

// checkLife calls onDead when packets should come and do not.
func (m *media) checkLife(r *route, now time.Duration) {
	limit := m.firstWait
	if m.counts.packetsIn.Load() > 0 {
		limit = m.gapWait
	}
	switch {
	case !r.expects || !r.sends: // hold: a far end that plays no music sends nothing either
		m.heard.Store(int64(now))
	case limit > 0 && now-time.Duration(m.heard.Load()) > limit:
		m.heard.Store(int64(now))
		m.onDead()
	}
}

// press sends keys as telephone-events, or as tones to a far end that knows no events.
func (m *media) press(digits string) {
	if m.route.Load().events == noPayload {
		m.playout.push(audio.Keys(digits))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys.queue(digits)
}

func (m *media) caption(text string) {
	if m.route.Load().text == noPayload {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text.queue(text)
}
