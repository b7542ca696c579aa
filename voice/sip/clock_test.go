package sip

import (
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheClockSpreadsItsCalls(t *testing.T) {
	t.Parallel()
	c := newClock(slog.New(slog.DiscardHandler))
	var all []*media
	for range 2 * clockSteps {
		m := testMedia(t)
		m.clock = c
		m.start()
		all = append(all, m)
	}
	phases, running := c.now()
	require.True(t, running)
	for _, members := range phases {
		require.Len(t, members, 2)
	}
	for _, m := range all {
		require.NoError(t, m.close())
		require.NoError(t, m.close(), "again")
	}
	_, running = c.now()
	require.False(t, running, "without calls it stands still")
	all[0].start()
	require.Zero(t, c.load(), "what is closed does not start")
}

func TestCallsGoToTheClockWithTheFewest(t *testing.T) {
	t.Parallel()
	all := clocks{newClock(slog.New(slog.DiscardHandler)), newClock(slog.New(slog.DiscardHandler))}
	for range 3 {
		m := testMedia(t)
		m.clock = all.quietest()
		m.start()
	}
	require.Equal(t, 3, all[0].load()+all[1].load())
	require.Positive(t, all[0].load())
	require.Positive(t, all[1].load())
}

func TestMediaSocketsTellWhatCameAndWhen(t *testing.T) {
	t.Parallel()
	for _, ip := range []netip.Addr{loopback, netip.IPv6Loopback()} {
		ports, err := rtpPorts{ip: ip}.open()
		require.NoError(t, err)
		far, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
		require.NoError(t, err)
		from := addrPort(far.LocalAddr())
		a := newArrival()
		require.False(t, ports.rtp.receive(a), "nothing came")

		sent := time.Now()
		_, err = far.WriteToUDPAddrPort([]byte("hello"), ports.rtp.local)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return ports.rtp.receive(a) }, 5*time.Second, time.Millisecond)
		require.Equal(t, "hello", string(a.data))
		require.Equal(t, from, a.from)
		require.Positive(t, a.waited)
		require.LessOrEqual(t, a.waited, time.Since(sent))

		require.NoError(t, ports.rtp.send([]byte("there"), a.from))
		buf := make([]byte, packetLen)
		n, back, err := far.ReadFromUDPAddrPort(buf)
		require.NoError(t, err)
		require.Equal(t, "there", string(buf[:n]))
		require.Equal(t, ports.rtp.local, netip.AddrPortFrom(back.Addr().Unmap(), back.Port()))
		require.NoError(t, ports.close())
		require.NoError(t, far.Close())
	}
}
