package worker

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/gateways"
)

// carrierGateway is a way out to a carrier at 127.0.0.1:5070, whose other machines have addresses of documentation.
func carrierGateway(t *testing.T) *gateways.Set {
	t.Helper()
	guard := hook.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("203.0.113.9/32"),
		netip.MustParsePrefix("::1/128")})
	opened, err := gateways.Open(t.Context(), gateways.Config{
		SIP: &gateways.SIP{Listen: "127.0.0.1:0", Peers: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"),
			netip.MustParsePrefix("8.8.8.8/32")}},
		Trunk: &gateways.Trunk{Proxy: "127.0.0.1:5070", Username: "us", Password: "secret"},
	}, guard, nobody{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close(context.WithoutCancel(t.Context()))) })
	return opened
}

// nobody takes the calls that come in, of which there are none.
type nobody struct{}

// Receive implements gateways.Receiver.
func (nobody) Receive(context.Context, *gateways.Gateway, *sip.Inbound) {}

// Takes implements gateways.Receiver.
func (nobody) Takes() error { return nil }

func TestCarriersAreAskedForNumbersAlone(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	phone := &Phone{pool: pool, gateways: carrierGateway(t), logger: slog.New(slog.DiscardHandler)}
	own := phone.gateways.Live
	phone.connections = phone.gateways.Connections("process", pool, nil)
	t.Cleanup(phone.connections.Close)
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
		"sip:1850@127.0.0.1:5070":             {"", "", gateways.ErrCarrier},
		"SIPS:1850@127.0.0.1:5070":            {"", "", gateways.ErrCarrier},
		"sip:01125261234567@8.8.8.8:5080":     {"", "", gateways.ErrCarrier},
		"sip:desk@8.8.8.8":                    {"", "", gateways.ErrCarrier},
		"sip:8.8.8.8":                         {"", "", gateways.ErrCarrier},
		"sip:desk@" + own.UA.Addr().String():  {"", "", gateways.ErrOwn},
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

// A number that was given back, or went with its SIP connection, may be somebody else's: calls that waited leave neither as from it
// nor, where it came with a connection, over the operator's carrier.
func TestCallsFromANumberThatWasGivenBack(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	phone := &Phone{pool: pool, gateways: carrierGateway(t), logger: slog.New(slog.DiscardHandler)}
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	t.Cleanup(phone.routes.Close)
	account := dbfactory.Account(t, pool)
	for status, want := range map[string]error{"active": nil, "releasing": errNumberGone, "released": errNumberGone} {
		number := dbfactory.Number(t, pool, account.ID, func(n *dbsqlc.PhoneNumberInsertParams) { n.Status = status })
		call := &dbsqlc.Call{PhoneNumber: number.Number, PhoneNumberID: number.ID, ContactPhoneNumber: "+31201234567",
			SIPCallID: new("call")}
		dial, err := phone.route(t.Context(), phone.gateways.Live, call)
		require.ErrorIs(t, err, want, status)
		require.Equal(t, want == nil, dial.Proxy == "127.0.0.1:5070", status)
		_, _, err = (&transfers{phone: phone, call: call}).route(t.Context(), "+31201234567")
		require.ErrorIs(t, err, want, "%s: a second leg", status)
	}
}

func TestCarriersAreNotReferredToDigitsThatAreNoNumber(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	carrier := &gateways.Gateway{Trunk: &gateways.Trunk{}}
	phone := &Phone{pool: pool, gateways: &gateways.Set{Live: carrier}, logger: slog.New(slog.DiscardHandler)}
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
