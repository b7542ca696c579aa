package worker

import (
	"log/slog"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
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
