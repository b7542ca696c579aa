package rtp

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/voice/media"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMediaPortsStayInTheirRange(t *testing.T) {
	t.Parallel()
	free, err := portRange{ip: loopback}.listen()
	require.NoError(t, err)
	port := int(localAddr(free.rtp).Port())
	require.Zero(t, port%2)
	_, err = portRange{loopback, port, port + 1}.listen()
	require.Error(t, err, "its only pair is taken")
	require.Equal(t, port+1, int(localAddr(free.rtcp).Port()))
	require.NoError(t, free.close())
	again, err := portRange{loopback, port - 1, port + 1}.listen()
	require.NoError(t, err)
	require.Equal(t, port, int(localAddr(again.rtp).Port()))
	require.NoError(t, again.close())
	_, err = portRange{loopback, 4001, 4001}.listen()
	require.Error(t, err)
}

func TestMediaSocketsTellWhatCameAndWhen(t *testing.T) {
	t.Parallel()
	for _, ip := range []netip.Addr{loopback, netip.IPv6Loopback()} {
		ports, err := portRange{ip: ip}.open()
		require.NoError(t, err)
		far, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
		require.NoError(t, err)
		from := localAddr(far)
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
		buf := make([]byte, media.PacketLen)
		n, back, err := far.ReadFromUDPAddrPort(buf)
		require.NoError(t, err)
		require.Equal(t, "there", string(buf[:n]))
		require.Equal(t, ports.rtp.local, netip.AddrPortFrom(back.Addr().Unmap(), back.Port()))
		require.NoError(t, ports.close())
		require.NoError(t, far.Close())
	}
}
