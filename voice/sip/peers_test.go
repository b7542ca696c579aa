package sip

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeers(t *testing.T) {
	t.Parallel()
	var peers Peers
	admits := func(source string) bool { return peers.Admits(netip.MustParseAddrPort(source)) }
	require.False(t, admits("192.0.2.1:5060"))
	peers.Allow(netip.MustParsePrefix("192.0.2.77/24"), netip.MustParsePrefix("2001:db8::/32"))
	require.True(t, admits("192.0.2.1:5060"))
	require.True(t, admits("[::ffff:192.0.2.1]:5060"))
	require.True(t, admits("[2001:db8::9]:5060"))
	require.False(t, admits("198.51.100.1:5060"))
	require.NoError(t, peers.AllowHosts(t.Context(), net.DefaultResolver, "198.51.100.1:5061", "198.51.100.2", "[2001:db9::1]:5060"))
	require.True(t, admits("198.51.100.1:1"))
	require.True(t, admits("198.51.100.2:1"))
	require.True(t, admits("[2001:db9::1]:1"))
	require.True(t, peers.Named(netip.MustParseAddr("::ffff:198.51.100.1")))
	require.False(t, peers.Named(netip.MustParseAddr("192.0.2.1")), "in a network, and no host's")
	require.Error(t, peers.AllowHosts(t.Context(), net.DefaultResolver, "no such host", "198.51.100.3"))
	require.True(t, admits("198.51.100.3:1"), "one bad name does not keep the others out")
}
