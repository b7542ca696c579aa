package gateways

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoopback(t *testing.T) {
	t.Parallel()

	missing := &net.OpError{Op: "listen", Net: "udp", Err: syscall.EADDRNOTAVAIL}
	for name, test := range map[string]struct {
		refused map[string]error
		want    string
	}{
		"Both":      {nil, "127.0.0.1"},
		"IPv6Only":  {map[string]error{"127.0.0.1": missing}, "::1"},
		"IPv4Only":  {map[string]error{"::1": missing}, "127.0.0.1"},
		"Neither":   {map[string]error{"127.0.0.1": missing, "::1": missing}, "127.0.0.1"},
		"OtherFail": {map[string]error{"127.0.0.1": errors.New("no sockets are left")}, "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, loopback(func(host string) error { return test.refused[host] }))
		})
	}
	require.Contains(t, []string{"127.0.0.1", "::1"}, Loopback())
}
