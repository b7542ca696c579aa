package rtp

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/prefetch"
)

func FuzzReceive(f *testing.F) {
	p := rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1, PayloadType: 0}, Payload: make([]byte, 160)}
	raw, err := p.Marshal()
	require.NoError(f, err)
	f.Add(raw, raw)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m := testSession(t)
		r := &m.receiver
		from := netip.MustParseAddrPort("127.0.0.1:4000")
		r.read(first, from, m.Now())
		r.read(second, from, m.Now())
		for len(m.Incoming()) > 0 {
			item := <-m.Incoming()
			require.True(t, item.Frame == nil || len(item.Frame) == audio.FrameLen)
		}
	})
}

var (
	loopback = netip.MustParseAddr("127.0.0.1")
	farEnd   = netip.MustParseAddrPort("127.0.0.1:9")
)

// testSession returns a session that no clock knows, of calls that come to farEnd.
func testSession(t *testing.T) *Session {
	clock := media.NewClock(slog.New(slog.DiscardHandler))
	t.Cleanup(clock.Close)
	return sessionOn(t, clock)
}

func sessionOn(t *testing.T, clock *media.Clock) *Session {
	t.Helper()
	s, err := NewPorts(Config{IP: loopback, Clocks: media.Clocks{clock}}).Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.Watch(0, 0, func() {})
	s.Agree(testRoute(farEnd))
	return s
}

// testRoute returns one of a far end that asked for media and reports at one address.
func testRoute(remote netip.AddrPort) *Route {
	mu := media.Format{Payload: 0, Codec: media.PCMU}
	return &Route{Remote: remote, Control: remote, Formats: media.Formats{
		Send: mu, Accept: []media.Format{mu, {Payload: 8, Codec: media.PCMA}}, Events: 101, Text: 98, Sends: true, Expects: true,
	}}
}

func TestTheClockAllocatesNothing(t *testing.T) {
	m := testSession(t)
	m.Record(func(_, _ []int16) {})
	m.Play(make([]int16, 10*audio.Rate))
	m.Stream.Start()
	m.reporter.schedule(m.Now())
	now := time.Now()
	require.Zero(t, testing.AllocsPerRun(200, func() {
		for depth := range prefetch.Depths {
			m.Prefetch(depth)
		}
		m.Pulse(now, true)
	}))
}

// A session that has agreed on nothing has pointers to nothing, and one that plays and records nothing empty lists.
func TestPrefetchOfNothing(t *testing.T) {
	t.Parallel()
	clock := media.NewClock(slog.New(slog.DiscardHandler))
	t.Cleanup(clock.Close)
	s, err := NewPorts(Config{IP: loopback, Clocks: media.Clocks{clock}}).Open()
	require.NoError(t, err)
	for range 2 {
		for depth := range prefetch.Depths {
			require.NotPanics(t, func() { s.Prefetch(depth) })
		}
		require.NoError(t, s.Close())
	}
}

func TestReceivingAllocatesNothing(t *testing.T) {
	m := testSession(t)
	r := &m.receiver
	from := netip.MustParseAddrPort("127.0.0.1:4000")
	p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 8}, Payload: make([]byte, audio.FrameLen)}
	raw := make([]byte, media.PacketLen)
	perPacket := testing.AllocsPerRun(200, func() {
		p.SequenceNumber++
		n, err := p.MarshalTo(raw)
		if err != nil {
			t.Error(err)
		}
		r.read(raw[:n], from, m.Now())
		audio.GiveFrame((<-m.Incoming()).Frame)
	})
	require.Less(t, perPacket, 1.0, "but what the collector took of the frames")
}

func TestAFarEndMovesByItsSignalling(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	r := &m.receiver
	before, now := netip.MustParseAddrPort("127.0.0.1:4000"), netip.MustParseAddrPort("127.0.0.2:4000")
	send := func(sequence uint16, from netip.AddrPort) {
		p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: 8, SequenceNumber: sequence}, Payload: make([]byte, audio.FrameLen)}
		raw, err := p.Marshal()
		require.NoError(t, err)
		r.read(raw, from, m.Now())
	}
	send(1, netip.AddrPortFrom(farEnd.Addr(), before.Port()))
	m.Agree(testRoute(now))
	send(2, before) // which was under way
	send(3, now)
	to, ok := m.destination(m.route.Load())
	require.True(t, ok)
	require.Equal(t, now, to)
	send(4, before)
	to, _ = m.destination(m.route.Load())
	require.Equal(t, now, to, "the old place is an unknown source now")
	require.EqualValues(t, 2, m.Counts.Strays.Load())
}

func TestNobodyOutsideNamesAPlaceInOurNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named   string
		outside bool
		sends   bool
	}{
		{"203.0.113.7:4000", true, true},
		{"[2001:db8::7]:4000", true, true},
		{"10.0.0.7:4000", true, false},
		{"[::ffff:192.168.1.7]:4000", true, false},
		{"127.0.0.1:4000", true, false},
		{"169.254.169.254:4000", true, false},
		{"100.64.0.7:4000", true, false},
		{"[fd00::7]:4000", true, false},
		{"10.0.0.7:4000", false, true},
		{"127.0.0.1:4000", false, false},
		{"224.0.0.7:4000", false, false},
	} {
		m := testSession(t)
		refused := 0
		m.Trust(Trust{Peer: netip.MustParseAddr(map[bool]string{true: "203.0.113.1", false: "10.0.0.1"}[c.outside]),
			Refused: func(netip.AddrPort) { refused++ }})
		remote := netip.MustParseAddrPort(c.named)
		m.Agree(testRoute(remote))
		_, sends := m.destination(m.route.Load())
		require.Equal(t, c.sends, sends, c.named)
		require.Equal(t, c.sends, refused == 0, c.named)
		_, reports := m.reporter.destination(m.route.Load())
		require.Equal(t, c.sends, reports, c.named)
		from := netip.MustParseAddrPort("203.0.113.8:4000")
		m.learned.Store(&from)
		to, sends := m.destination(m.route.Load())
		require.True(t, sends)
		require.Equal(t, from, to)
	}
}

func TestSessionsJoinTheirClockAndLeaveIt(t *testing.T) {
	t.Parallel()
	c := media.NewClock(slog.New(slog.DiscardHandler))
	t.Cleanup(c.Close)
	var all []*Session
	for range 3 {
		m := sessionOn(t, c)
		m.Start()
		all = append(all, m)
	}
	require.Equal(t, 3, c.Load())
	for _, m := range all {
		require.NoError(t, m.Close())
		require.NoError(t, m.Close(), "again")
	}
	require.Zero(t, c.Load())
	all[0].Start()
	require.Zero(t, c.Load(), "what is closed does not start")
}
