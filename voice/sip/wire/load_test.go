package wire

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnlySoManyRequests(t *testing.T) {
	t.Parallel()
	l, now := &load{log: slog.New(slog.DiscardHandler)}, time.Now()
	guest, trunk := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	takes := func(source netip.Addr, begins bool) (taken int) {
		for range 3 * maxLoad {
			if l.take(source, source == guest, begins, now) {
				taken++
			}
		}
		return taken
	}
	require.Equal(t, maxLoadOf, takes(guest, true))
	require.Equal(t, maxLoadOf, takes(guest, false), "its calls go on")
	require.Equal(t, maxLoad-2*maxLoadOf, takes(trunk, true))
	require.Equal(t, maxLoad, takes(trunk, false))
	now = now.Add(loadSpan)
	require.Equal(t, maxLoad, takes(trunk, true), "there is room again")
}

func TestWhatBegins(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"INVITE sip:1@x SIP/2.0\r\nFrom: <sip:2@x>;tag=far\r\nTo: <sip:1@x>\r\n\r\n":        true,
		"INVITE sip:1@x SIP/2.0\r\nTo: <sip:1@x>;tag=ours\r\n\r\n":                          false,
		"BYE sip:1@x SIP/2.0\r\nt : <sip:1@x>;x;TAG=ours\r\n\r\n":                           false,
		"CANCEL sip:1@x SIP/2.0\r\nTo: <sip:1@x>\r\n\r\n":                                   false,
		"OPTIONS sip:1@x SIP/2.0\r\nTo: <sip:1@x>\r\n\r\nTo: <sip:1@x>;tag=in the body\r\n": true,
		"\r\n\r\n": true,
	} {
		require.Equal(t, want, begins([]byte(message)), "%q", message)
	}
}
