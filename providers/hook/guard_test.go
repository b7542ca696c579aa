package hook

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuardAllows(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for addr, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true, "::ffff:93.184.215.14": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "::": false, "0.1.2.3": false,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.0.1": false,
		"100.64.0.1": false, "100.100.100.200": false, "169.254.169.254": false, "168.63.129.16": false,
		"192.0.0.192": false, "198.18.0.1": false, "203.0.113.9": false, "224.0.0.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "2002:7f00:1::": false, "2001:db8::1": false,
		"2001::1": false, "100::1": false, "3fff::1": false, "5f00::1": false,
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false,
	} {
		require.Equal(t, want, newGuard(allow).allows(netip.MustParseAddr(addr)), addr)
	}
}
