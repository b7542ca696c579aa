package webrtc

import (
	"log/slog"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// outOfHandles fails to accept connections before each one.
type outOfHandles struct {
	net.Listener
	fails bool
}

func (l *outOfHandles) Accept() (net.Conn, error) {
	if l.fails = !l.fails; l.fails {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// One address has so many connections and leaves room for others; an accept that fails is not the last.
func TestOnlySoManyConnections(t *testing.T) {
	t.Parallel()
	bound, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := newListener(&outOfHandles{Listener: bound}, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { bound.Close() })
	l.of[netip.MustParsePrefix("127.0.0.1/32")] = maxOfSource - 1
	accepted := make(chan net.Conn, 1)
	over := make(chan error, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				over <- err
				return
			}
			accepted <- conn
		}
	}()
	dial := func(from string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", bound.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	dial("127.0.0.1")
	first := wait(t, accepted)
	_, err = dial("127.0.0.1").Read(make([]byte, 1))
	require.Error(t, err, "one too many")
	dial("127.0.0.2")
	require.NoError(t, wait(t, accepted).Close())
	require.NoError(t, first.Close())
	require.Error(t, first.Close(), "which gives no second place back")
	dial("127.0.0.1")
	require.NoError(t, wait(t, accepted).Close())
	require.NoError(t, bound.Close())
	require.ErrorIs(t, wait(t, over), net.ErrClosed)
	require.Zero(t, l.open)
}

func TestWhoAnAddressBelongsTo(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1/32", "[::ffff:192.0.2.1]:5": "192.0.2.1/32", "[2001:db8:1:2:3:4:5:6]:5": "2001:db8:1:2::/64",
	} {
		tcp := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
		require.Equal(t, netip.MustParsePrefix(want), sourceOf(tcp), address)
	}
}

// Who holds as many connections as one address may keeps nobody of another from calling by TCP.
func TestConnectionsThatSayNothing(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0", TCP: "127.0.0.1:0"})
	for range maxOfSource + 8 {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", s.TCP().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
	}
	openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU, TCPOnly: true}).call(t, s)
}
