package gateways

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/sip"
)

// carrierGateway is a gateway to a carrier at 127.0.0.1:5070, whose other machines have addresses of documentation.
func carrierGateway(t *testing.T) *Gateway {
	t.Helper()
	own := &Gateway{
		Trunk: &Trunk{Proxy: "127.0.0.1:5070", Username: "us", Password: "secret"}, peers: &sip.Peers{},
		guard: hook.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("203.0.113.9/32"),
			netip.MustParsePrefix("::1/128")}),
	}
	own.peers.Allow(netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("8.8.8.8/32"), netip.MustParsePrefix("127.0.0.1/32"))
	var err error
	own.UA, err = sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.UA.Close(context.WithoutCancel(t.Context()))) })
	return own
}

// A customer's SIP connection is no way to the operator's carrier, by whatever name or address it is asked for.
func TestCarriersAreNobodysSIPProxy(t *testing.T) {
	t.Parallel()
	own := carrierGateway(t)
	named := &Gateway{Trunk: &Trunk{Proxy: "Localhost:5070"}, peers: &sip.Peers{}, guard: own.guard, UA: own.UA}
	require.NoError(t, named.peers.AllowHosts(t.Context(), net.DefaultResolver, named.Trunk.Proxy))
	box, err := seal.New(seal.GenerateKey(seal.NewKeyID()))
	require.NoError(t, err)
	for _, test := range []struct {
		on    *Gateway
		proxy string
		want  error
	}{
		{own, "127.0.0.1:5070", errCarrierProxy}, {own, "localhost:5070", errCarrierProxy}, {own, "8.8.8.8", errCarrierProxy},
		{own, "8.8.8.8:5080", errCarrierProxy}, {own, own.UA.Addr().String(), ErrOwn},
		{own, "127.0.0.1:5080", nil}, {own, "localhost:5080", nil}, {own, "203.0.113.9", nil}, {own, "1.1.1.1", nil},
		{named, "127.0.0.1:5070", errCarrierProxy}, {named, "localhost:5070", errCarrierProxy}, {named, "LOCALHOST:5070", errCarrierProxy},
		{named, "127.0.0.1:5080", nil},
	} {
		held := &Connections{gateways: &Set{Live: test.on}, guard: test.on.guard, seal: box}
		id := uuid.New()
		row := &dbsqlc.SIPConnection{ID: id, SIPProxy: test.proxy, SIPPassword: box.Seal("secret", numbers.SIPPasswordContext(id))}
		_, err := held.Route(t.Context(), row, false)
		require.ErrorIs(t, err, test.want, test.proxy)
	}
	elsewhere := carrierGateway(t)
	elsewhere.Trunk.Proxy = "sip.carrier.example"
	require.Equal(t, errCarrierProxy, elsewhere.checkProxy("SIP.carrier.example", "9.9.9.9:5062"), "by its name, at another address")
	require.NoError(t, elsewhere.checkProxy("sip.provider.example", "9.9.9.9:5060"))
	require.Equal(t, errCarrierProxy, own.checkProxy("nat64.example", "[64:ff9b::808:808]:5060"))
}
