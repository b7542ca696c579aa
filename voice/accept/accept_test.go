package accept

import (
	"log/slog"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

// A source has so many connections and leaves room for others; an accept that fails is not the last.
func TestOnlySoManyConnections(t *testing.T) {
	t.Parallel()
	const few = 3
	bound, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { bound.Close() })
	l := New(&outOfHandles{Listener: bound}, Rules{Of: "a test", Log: slog.New(slog.DiscardHandler),
		Most: func(source netip.AddrPort) int {
			return map[string]int{"127.0.0.1": few, "127.0.0.2": MaxConnections}[source.Addr().String()]
		}})
	accepted, over := make(chan net.Conn), make(chan error, 1)
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
	var open []net.Conn
	for range few {
		dial("127.0.0.1")
		open = append(open, <-accepted)
	}
	_, err = dial("127.0.0.1").Read(make([]byte, 1))
	require.Error(t, err, "one too many")
	_, err = dial("127.0.0.3").Read(make([]byte, 1))
	require.Error(t, err, "who is not welcome has none")
	for range few + 1 {
		dial("127.0.0.2")
		open = append(open, <-accepted)
	}
	require.NoError(t, open[0].Close())
	require.Error(t, open[0].Close(), "which gives no second place back")
	dial("127.0.0.1")
	open = append(open, <-accepted)
	require.Equal(t, 2*few+1, l.open)
	for _, conn := range open[1:] {
		require.NoError(t, conn.Close())
	}
	require.Zero(t, l.open)
	require.NoError(t, bound.Close())
	require.ErrorIs(t, <-over, net.ErrClosed)
}

func TestWhoAnAddressBelongsTo(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1/32", "[::ffff:192.0.2.1]:5": "192.0.2.1/32", "[2001:db8:1:2:3:4:5:6]:5": "2001:db8:1:2::/64",
	} {
		source := addrPortOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address)))
		require.Equal(t, netip.MustParsePrefix(want), networkOf(source.Addr()), address)
	}
}
