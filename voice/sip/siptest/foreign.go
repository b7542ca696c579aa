package siptest

import (
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Foreign is a machine that has nothing to do with any call, at an address of its own. It counts what reaches it.
type Foreign struct {
	At netip.AddrPort // of UDP and TCP; UDP is taken at the next port too

	sound                *net.UDPConn
	packets, connections atomic.Int64
	sentinels            chan struct{}
}

const sentinel = "is this all?"

// NewForeign listens until the test ends. The test is skipped where this machine has no second loopback address.
func NewForeign(tb testing.TB) *Foreign {
	tb.Helper()
	f := &Foreign{sentinels: make(chan struct{}, 2)}
	ip := netip.MustParseAddr("127.0.0.9")
	for range portTries {
		port := uint16(firstPort + (FreePort(tb)-firstPort)&^1)
		f.At = netip.AddrPortFrom(ip, port)
		sound, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(f.At))
		if err != nil {
			continue
		}
		reports, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, port+1)))
		require.NoError(tb, err)
		streams, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(f.At))
		require.NoError(tb, err)
		tb.Cleanup(func() {
			require.NoError(tb, sound.Close())
			require.NoError(tb, reports.Close())
			require.NoError(tb, streams.Close())
		})
		f.sound = sound
		go f.read(sound)
		go f.read(reports)
		go f.accept(streams)
		return f
	}
	tb.Skip("this machine has no address 127.0.0.9")
	return nil
}

// Send has the machine send a packet, as a thief of somebody's sound does who knows where it is taken.
func (f *Foreign) Send(packet []byte, to netip.AddrPort) error {
	_, err := f.sound.WriteToUDPAddrPort(packet, to)
	return err
}

func (f *Foreign) read(conn *net.UDPConn) {
	b := make([]byte, 65536)
	for {
		n, err := conn.Read(b)
		if err != nil {
			return
		}
		if string(b[:n]) == sentinel {
			f.sentinels <- struct{}{}
			continue
		}
		f.packets.Add(1)
	}
}

func (f *Foreign) accept(streams *net.TCPListener) {
	for {
		conn, err := streams.Accept()
		if err != nil {
			return
		}
		f.connections.Add(1)
		conn.Close()
	}
}

// RequireUntouched fails the test if anything has reached the machine until now, but for a packet of its own to each port and
// one connection, behind which nothing waits.
func (f *Foreign) RequireUntouched(tb testing.TB) {
	tb.Helper()
	for _, port := range []uint16{f.At.Port(), f.At.Port() + 1} {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(f.At.Addr(), port)))
		require.NoError(tb, err)
		_, err = conn.Write([]byte(sentinel))
		require.NoError(tb, err)
		require.NoError(tb, conn.Close())
		<-f.sentinels
	}
	before := f.connections.Load()
	conn, err := net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(f.At))
	require.NoError(tb, err)
	require.NoError(tb, conn.Close())
	require.Eventually(tb, func() bool { return f.connections.Load() > before }, boundWait, time.Millisecond)
	f.connections.Add(-1)
	require.Zero(tb, f.packets.Load(), "packets to a foreign address")
	require.Zero(tb, f.connections.Load(), "connections to a foreign address")
}
