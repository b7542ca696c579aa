package rtp

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

// source sends packets of one stream.
type source struct {
	t        *testing.T
	m        *Session
	ssrc     uint32
	sequence uint16
}

// sends has a packet of that type arrive, and reports whether it was taken.
func (s *source) sends(payload uint8, from string) bool {
	s.t.Helper()
	s.sequence++
	p := rtp.Packet{
		Header: rtp.Header{Version: 2, SSRC: s.ssrc, PayloadType: payload, SequenceNumber: s.sequence,
			Timestamp: uint32(s.sequence) * audio.FrameLen},
		Payload: make([]byte, audio.FrameLen),
	}
	raw, err := p.Marshal()
	require.NoError(s.t, err)
	strays := s.m.Counts.Strays.Load()
	s.m.receiver.read(raw, netip.MustParseAddrPort(from), s.m.Now())
	return s.m.Counts.Strays.Load() == strays
}

// goesTo asserts where sound goes now; empty: nowhere.
func goesTo(t *testing.T, m *Session, want string) {
	t.Helper()
	to, sends := m.destination(m.route.Load())
	if want == "" {
		require.False(t, sends, "sound goes to %s", to)
		return
	}
	require.True(t, sends)
	require.Equal(t, want, to.String())
}

func TestAThiefGetsNothingInASilence(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	far, thief := &source{t: t, m: m, ssrc: 7}, &source{t: t, m: m, ssrc: 8}
	require.False(t, thief.sends(0, "127.0.0.2:4000"), "first of all")
	goesTo(t, m, farEnd.String())
	require.True(t, far.sends(0, farEnd.String()))
	require.False(t, thief.sends(0, "127.0.0.2:4000"))
	require.False(t, thief.sends(0, "127.0.0.1:4000"), "another port with another stream")
	thief.ssrc = 7
	require.False(t, thief.sends(0, "127.0.0.2:4000"), "who knows the stream")
	goesTo(t, m, farEnd.String())
	require.EqualValues(t, 4, m.Counts.Strays.Load())

	require.False(t, far.sends(77, "127.0.0.1:4002"), "a payload type that was not agreed on")
	require.True(t, far.sends(0, "127.0.0.1:4002"), "the far end moves at its address")
	goesTo(t, m, "127.0.0.1:4002")
	require.True(t, thief.sends(0, farEnd.String()), "and is heard at the address that it named")
}

// Whoever floods a port delays the far end's packets by as long as its own take to be read, and no longer.
func TestAFloodOfStrays(t *testing.T) {
	t.Parallel()
	const strays = 9 * lookDepth // which the socket holds
	far, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback, 0)))
	require.NoError(t, err)
	defer far.Close()
	thief, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)})
	require.NoError(t, err)
	defer thief.Close()
	m := testSession(t)
	m.Agree(testRoute(far.LocalAddr().(*net.UDPAddr).AddrPort()))
	m.receiver.looked = true
	raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2}, Payload: make([]byte, audio.FrameLen)}).Marshal()
	require.NoError(t, err)
	for range strays {
		_, err := thief.WriteToUDPAddrPort(raw, m.Local())
		require.NoError(t, err)
	}
	_, err = far.WriteToUDPAddrPort(raw, m.Local())
	require.NoError(t, err)
	due := time.Now()
	for range strays/lookDepth + 1 {
		require.Zero(t, m.Counts.PacketsIn.Load())
		m.receiver.look(due)
		due = due.Add(media.ClockStep)
	}
	require.EqualValues(t, 1, m.Counts.PacketsIn.Load())
	require.EqualValues(t, strays, m.Counts.Strays.Load())
}

func TestAThiefGetsNothingBehindANAT(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	m.Trust(Trust{Peer: netip.MustParseAddr("203.0.113.7")})
	m.Agree(testRoute(netip.MustParseAddrPort("192.168.1.5:4000")))
	far, thief := &source{t: t, m: m, ssrc: 7}, &source{t: t, m: m, ssrc: 8}
	require.False(t, thief.sends(0, "198.51.100.9:4000"), "the first sprayer")
	goesTo(t, m, "")
	require.False(t, far.sends(77, "203.0.113.7:31000"))
	require.True(t, far.sends(8, "203.0.113.7:31000"))
	require.False(t, thief.sends(0, "198.51.100.9:4000"))
	goesTo(t, m, "203.0.113.7:31000")

	m.Agree(testRoute(netip.MustParseAddrPort("192.168.1.5:4000")))
	goesTo(t, m, "203.0.113.7:31000")
	m.Agree(testRoute(netip.MustParseAddrPort("192.168.1.6:4000")))
	goesTo(t, m, "")
	far.ssrc = 9
	require.True(t, far.sends(0, "203.0.113.7:31002"), "the signalling moved it")
	goesTo(t, m, "203.0.113.7:31002")
}

func TestATrunkNamesItsMediaNetworks(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	networks := []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}
	var refused []netip.AddrPort
	m.Trust(Trust{
		Peer: netip.MustParseAddr("203.0.113.7"), Networks: networks, Allows: networks[0].Contains,
		Refused: func(named netip.AddrPort) { refused = append(refused, named) },
	})
	m.Agree(testRoute(netip.MustParseAddrPort("192.0.2.5:4000")))
	require.Len(t, refused, 2, "for sound and for reports")
	goesTo(t, m, "")
	far := &source{t: t, m: m, ssrc: 7}
	require.False(t, far.sends(0, "192.0.2.5:4000"))
	require.True(t, far.sends(0, "198.51.100.20:4000"))
	require.False(t, far.sends(0, "198.51.100.21:4000"), "once")
	goesTo(t, m, "198.51.100.20:4000")
}

func TestReportsFollowTheSound(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	m.reporter.from = netip.MustParseAddrPort("127.0.0.1:4001")
	to, _ := m.reporter.destination(m.route.Load())
	require.Equal(t, m.reporter.from, to)
	m.Agree(testRoute(netip.MustParseAddrPort("127.0.0.2:4000")))
	to, _ = m.reporter.destination(m.route.Load())
	require.Equal(t, "127.0.0.2:4000", to.String(), "where its reports came from is the old place")
}
