package worker

import (
	"log/slog"
	"net"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
)

// carrierGateway is a gateway with a carrier at 127.0.0.1:5070, whose other machines have addresses of documentation.
func carrierGateway(t *testing.T) *gateway {
	t.Helper()
	own := &gateway{
		trunk: &Trunk{Proxy: "127.0.0.1:5070", Username: "us", Password: "secret"}, peers: &sip.Peers{},
		guard: hook.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("203.0.113.9/32"),
			netip.MustParsePrefix("::1/128")}),
	}
	own.peers.Allow(netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("8.8.8.8/32"),
		netip.MustParsePrefix("127.0.0.1/32"))
	var err error
	own.ua, err = sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, own.ua.Close(t.Context())) })
	return own
}

func TestCarriersAreAskedForNumbersAlone(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	own := carrierGateway(t)
	phone := &Phone{pool: pool, gateways: &gateways{live: own}, logger: slog.New(slog.DiscardHandler)}
	phone.connections = &connections{gateways: phone.gateways, guard: own.guard}
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	t.Cleanup(phone.routes.Close)
	through := &transfers{phone: phone, call: &dbsqlc.Call{PhoneNumber: "+31850000000", PhoneNumberID: uuid.New()}}
	for target, want := range map[string]struct {
		to, proxy string
		err       error
	}{
		"+31201234567":                        {"+31201234567", "127.0.0.1:5070", nil},
		"sip:+31201234567@127.0.0.1:5070":     {"+31201234567", "127.0.0.1:5070", nil},
		"sip:+31-20-1234567@8.8.8.8":          {"+31201234567", "127.0.0.1:5070", nil},
		"sip:%2B31201234567@[::ffff:8.8.8.8]": {"+31201234567", "127.0.0.1:5070", nil},
		"sip:1850@127.0.0.1:5070":             {"", "", errCarrier},
		"SIPS:1850@127.0.0.1:5070":            {"", "", errCarrier},
		"sip:01125261234567@8.8.8.8:5080":     {"", "", errCarrier},
		"sip:desk@8.8.8.8":                    {"", "", errCarrier},
		"sip:8.8.8.8":                         {"", "", errCarrier},
		"sip:desk@" + own.ua.Addr().String():  {"", "", errOwn},
		"sip:1850@127.0.0.1:5080":             {"1850", "127.0.0.1:5080", nil},
		"sip:200@203.0.113.9":                 {"200", "203.0.113.9:5060", nil},
	} {
		_, dial, err := through.route(t.Context(), target)
		if want.err != nil {
			require.ErrorIs(t, err, want.err, target)
			continue
		}
		require.NoError(t, err, target)
		require.Equal(t, []string{want.to, want.proxy}, []string{dial.To, dial.Proxy}, target)
		isNumber := dial.To[0] == '+'
		require.Equal(t, isNumber, dial.Username == "us", "%s: the trunk's account is for numbers alone", target)
	}
}

// A customer's SIP connection is no way to the operator's carrier, by whatever name or address it is asked for.
func TestCarriersAreNobodysSIPProxy(t *testing.T) {
	t.Parallel()
	own := carrierGateway(t)
	named := &gateway{trunk: &Trunk{Proxy: "Localhost:5070"}, peers: &sip.Peers{}, guard: own.guard, ua: own.ua}
	require.NoError(t, named.peers.AllowHosts(t.Context(), net.DefaultResolver, named.trunk.Proxy))
	box, err := seal.New(seal.GenerateKey(seal.NewKeyID()))
	require.NoError(t, err)
	for _, test := range []struct {
		on    *gateway
		proxy string
		want  error
	}{
		{own, "127.0.0.1:5070", errCarrierProxy}, {own, "localhost:5070", errCarrierProxy}, {own, "8.8.8.8", errCarrierProxy},
		{own, "8.8.8.8:5080", errCarrierProxy}, {own, own.ua.Addr().String(), errOwn},
		{own, "127.0.0.1:5080", nil}, {own, "localhost:5080", nil}, {own, "203.0.113.9", nil}, {own, "1.1.1.1", nil},
		{named, "127.0.0.1:5070", errCarrierProxy}, {named, "localhost:5070", errCarrierProxy}, {named, "LOCALHOST:5070", errCarrierProxy},
		{named, "127.0.0.1:5080", nil},
	} {
		held := &connections{gateways: &gateways{live: test.on}, guard: test.on.guard, seal: box}
		id := uuid.New()
		row := &dbsqlc.SIPConnection{ID: id, SIPProxy: test.proxy, SIPPassword: box.Seal("secret", numbers.SIPPasswordContext(id))}
		_, err := held.route(t.Context(), row, false)
		require.ErrorIs(t, err, test.want, test.proxy)
	}
	elsewhere := carrierGateway(t)
	elsewhere.trunk.Proxy = "sip.carrier.example"
	require.Equal(t, errCarrierProxy, elsewhere.checkProxy("SIP.carrier.example", "9.9.9.9:5062"), "by its name, at another address")
	require.NoError(t, elsewhere.checkProxy("sip.provider.example", "9.9.9.9:5060"))
	require.Equal(t, errCarrierProxy, own.checkProxy("nat64.example", "[64:ff9b::808:808]:5060"))
}

func TestCarriersAreNotReferredToDigitsThatAreNoNumber(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	phone := &Phone{pool: pool, gateways: &gateways{live: &gateway{trunk: &Trunk{}}}, logger: slog.New(slog.DiscardHandler)}
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	t.Cleanup(phone.routes.Close)
	through := &transfers{phone: phone, call: &dbsqlc.Call{PhoneNumber: "+31850000000", PhoneNumberID: uuid.New()},
		leg: &transferringLeg{}}
	for target, want := range map[string]string{
		"+31201234567": turn.ViaRefer, "sip:+31201234567@pbx.example": turn.ViaRefer, "sip:desk@pbx.example": turn.ViaRefer,
		"sip:1850@pbx.example": turn.ViaBridge, "sip:0612345678@pbx.example": turn.ViaBridge,
		"sip:desk1@pbx.example;user=phone": turn.ViaBridge,
	} {
		setting, err := through.setting(t.Context(), target, &turn.TransferPlan{Via: turn.ViaRefer})
		require.NoError(t, err)
		require.Equal(t, want, setting, target)
	}
}
