package sip

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

// registrar returns a scripted one. It hands over each request and sends what comes back.
func registrar(t *testing.T, answer func(req *siplib.Request) *siplib.Response) string {
	t.Helper()
	e, err := wire.Bind(wire.Config{
		Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler), Directory: directory{new(newRegistry())},
		Late: func(*siplib.Response) {},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	take := func(req *siplib.Request, tx siplib.ServerTransaction) {
		if res := answer(req); res != nil {
			require.NoError(t, tx.Respond(res))
		}
	}
	require.NoError(t, e.Serve(func(server *sipgo.Server) {
		server.OnRegister(take)
		server.OnOptions(take)
	}))
	return e.Addr().String()
}

// grant answers a REGISTER with its newest Contact.
func grant(req *siplib.Request, expires int) *siplib.Response {
	res := siplib.NewResponseFromRequest(req, 200, "OK", nil)
	contact := req.Contact().Clone()
	contact.Params.Remove("expires")
	contact.Params.Add("expires", strconv.Itoa(expires))
	res.AppendHeader(contact)
	return res
}

func TestRegistrationIsRefreshedAndTakenBack(t *testing.T) {
	t.Parallel()
	type seen struct {
		callID, contact string
		sequence        uint32
	}
	requests := make(chan seen, 10)
	address := registrar(t, func(req *siplib.Request) *siplib.Response {
		requests <- seen{req.CallID().Value(), req.Contact().Value(), req.CSeq().SeqNo}
		if req.GetHeader("Expires").Value() == "0" {
			return siplib.NewResponseFromRequest(req, 200, "OK", nil)
		}
		return grant(req, 1)
	})
	ua := listen(t, Config{})
	start := time.Now()
	states, _ := registering(t, ua, Registration{Registrar: address, Username: "me", Token: "abc", Expiry: time.Hour})
	status := awaitState(t, states, Registered)
	require.Equal(t, ua.Addr(), status.Public)
	first := receive(t, requests)
	require.Equal(t, "<sip:abc@"+ua.Addr().String()+">;expires=3600", first.contact)
	again := receive(t, requests)
	require.GreaterOrEqual(t, time.Since(start), 800*time.Millisecond, "refreshed at 80 percent")
	require.Equal(t, first.callID, again.callID)
	require.Greater(t, again.sequence, first.sequence)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, ua.Close(ctx), "closing takes the registration back while there is a socket")
	for last := range requests {
		if last.contact == "<sip:abc@"+ua.Addr().String()+">;expires=0" {
			break
		}
	}
	require.NoError(t, awaitState(t, states, Unregistered).Err)
	require.ErrorIs(t, ua.Register(t.Context(), Registration{Registrar: address, Username: "me"}), media.ErrClosed)
}

func TestRegistrationIsTriedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	address := registrar(t, func(req *siplib.Request) *siplib.Response {
		switch tries++; tries {
		case 1:
			return siplib.NewResponseFromRequest(req, 500, "Out of Luck", nil)
		case 2:
			res := siplib.NewResponseFromRequest(req, 423, "Interval Too Brief", nil)
			res.AppendHeader(siplib.NewHeader("Min-Expires", "7200"))
			return res
		}
		return grant(req, int(seconds(req.GetHeader("Expires")).Seconds()))
	})
	states, end := registering(t, listen(t, Config{}), Registration{Registrar: address, Username: "me"})
	require.Equal(t, Registering, receive(t, states).State)
	failed := receive(t, states)
	require.Equal(t, []any{Failed, 500, "Out of Luck", time.Second}, []any{failed.State, failed.Code, failed.Reason, failed.RetryIn})
	require.Equal(t, Registering, receive(t, states).State)
	status := receive(t, states)
	require.Equal(t, Registered, status.State)
	require.WithinDuration(t, time.Now().Add(2*time.Hour), status.Until, 10*time.Second)
	require.NoError(t, end())
}

func TestOurAddressIsLearned(t *testing.T) {
	t.Parallel()
	outside := "198.51.100.7"
	contacts := make(chan []string, 10)
	address := registrar(t, func(req *siplib.Request) *siplib.Response {
		if req.Method == siplib.REGISTER {
			contacts <- wire.HeaderValues(req, "Contact")
		}
		res := grant(req, 600)
		res.Via().Params.Add("received", outside) // as if a NAT stood between us
		res.Via().Params.Add("rport", "40000")
		return res
	})
	ua := listen(t, Config{})
	states, end := registering(t, ua, Registration{Registrar: address, Username: "me", Token: "abc"})
	require.Equal(t, netip.MustParseAddrPort("198.51.100.7:40000"), awaitState(t, states, Registered).Public)
	require.Equal(t, []string{"<sip:abc@" + ua.Addr().String() + ">;expires=600"}, receive(t, contacts))
	require.Equal(t, []string{"<sip:abc@" + ua.Addr().String() + ">;expires=0", "<sip:abc@198.51.100.7:40000>;expires=600"},
		receive(t, contacts))
	require.Equal(t, "<sip:tag@198.51.100.7:40000>", ua.wire.Contact("tag", "127.0.0.1:5060", UDP, false).Value())
	require.Equal(t, ua.Addr().Addr().String(), ua.wire.Contact("tag", "192.0.2.1:5060", UDP, false).Address.Host,
		"elsewhere it may be another")
	require.NoError(t, end())

	configured := listen(t, Config{PublicIP: loopback})
	states, end = registering(t, configured, Registration{Registrar: address, Username: "me"})
	require.Equal(t, configured.Addr(), awaitState(t, states, Registered).Public, "what was configured goes before")
	require.NoError(t, end())
}

func TestALostRegistrarIsNoticed(t *testing.T) {
	t.Parallel()
	registers := make(chan struct{}, 10)
	address := registrar(t, func(req *siplib.Request) *siplib.Response {
		if req.Method == siplib.OPTIONS {
			return nil // as if it had forgotten us
		}
		registers <- struct{}{}
		return grant(req, 600)
	})
	ua := listenTimed(t, Config{}, func(timers *timers) { timers.t1 = 2 * time.Millisecond })
	states, end := registering(t, ua, Registration{Registrar: address, Username: "me", KeepAlive: 10 * time.Millisecond,
		Probe: true})
	awaitState(t, states, Registered)
	receive(t, registers)
	receive(t, registers)
	require.NoError(t, end())
}

func TestASilentRegistrar(t *testing.T) {
	t.Parallel()
	ua := listenTimed(t, Config{}, func(timers *timers) { timers.t1 = time.Millisecond })
	address := registrar(t, func(*siplib.Request) *siplib.Response { return nil })
	states, end := registering(t, ua, Registration{Registrar: address, Username: "me"})
	require.Equal(t, 408, awaitState(t, states, Failed).Code)
	ua.unregister()
	require.Error(t, end(), "it may have registered us nevertheless")
}

func TestRegistrationsThatCannotBe(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	for _, r := range []Registration{
		{}, {Registrar: "127.0.0.1"}, {Username: "me"}, {Registrar: "127.0.0.1", Username: "me>"},
		{Registrar: "127.0.0.1", Username: "me", Token: "a b"}, {Registrar: "127.0.0.1", Username: "me", Transport: "WS"},
	} {
		require.Error(t, ua.Register(t.Context(), r), "%+v", r)
	}
	require.NoError(t, ua.bind(&newBinding(ua, Registration{Token: "taken"}).registered))
	defer ua.unbind(ua.bindings["taken"])
	require.ErrorIs(t, ua.Register(t.Context(), Registration{Registrar: "127.0.0.1", Username: "me", Token: "taken"}), errSameToken)
}

func TestPausesBetweenTries(t *testing.T) {
	t.Parallel()
	var pauses []time.Duration
	var pause time.Duration
	for range 14 {
		pause = nextPause(pause, time.Hour, &Refused{Code: 503})
		pauses = append(pauses, pause/time.Second)
	}
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600}, pauses)
	require.Equal(t, time.Minute, nextPause(0, time.Hour, &Refused{Code: 403}))
	require.Equal(t, 2*time.Minute, nextPause(time.Minute, time.Hour, &Refused{Code: 403}))
	require.Equal(t, 2*time.Minute, nextPause(0, time.Hour, &Refused{Code: 503, RetryAfter: 2 * time.Minute}))
	require.Equal(t, time.Hour, nextPause(0, time.Hour, &Refused{Code: 503, RetryAfter: 2 * time.Hour}))
}

func TestWhatARegistrarGrants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		headers [][2]string
		want    time.Duration
	}{
		{nil, time.Minute},
		{[][2]string{{"Expires", "30"}}, 30 * time.Second},
		{[][2]string{{"Expires", "30"}, {"Contact", "<sip:tok@1.2.3.4>;expires=20"}}, 20 * time.Second},
		{[][2]string{{"Contact", "<sip:other@1.2.3.4>;expires=5, \"x\" <sip:tok@1.2.3.4>;q=1;expires=20"}}, 20 * time.Second},
		{[][2]string{{"Contact", "<sip:tok@1.2.3.4>;expires=0, <sip:tok@5.6.7.8>;expires=9"}}, 9 * time.Second},
		{[][2]string{{"Contact", "<sip:tok@1.2.3.4>;expires=soon"}, {"Expires", "8"}}, 8 * time.Second},
		{[][2]string{{"Contact", "<sip:tok@1.2.3.4>;expires=999999999"}}, maxExpiry},
		{[][2]string{{"Expires", "0"}}, 0},
	} {
		res := siplib.NewResponse(200, "OK")
		for _, h := range c.headers {
			res.AppendHeader(siplib.NewHeader(h[0], h[1]))
		}
		require.Equal(t, c.want, granted(res, "tok", time.Minute), "%v", c.headers)
	}
}

func TestWhereOthersSeeUs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ received, rport, want string }{
		{"192.0.2.1", "5060", "192.0.2.1:5060"}, {"[2001:db8::1]", "1", "[2001:db8::1]:1"}, {"2001:db8::1", "1", "[2001:db8::1]:1"},
		{"192.0.2.1", "", ""}, {"", "5060", ""}, {"192.0.2.1", "70000", ""}, {"host", "1", ""}, {"192.0.2.1", "0", ""},
	} {
		via := new(siplib.ViaHeader)
		via.Params.Add("received", c.received)
		via.Params.Add("rport", c.rport)
		var want netip.AddrPort
		if c.want != "" {
			want = netip.MustParseAddrPort(c.want)
		}
		require.Equal(t, want, seenAt(via), "%v", c)
	}
	require.False(t, seenAt(nil).IsValid())
}

func FuzzGranted(f *testing.F) {
	f.Add("<sip:tok@1.2.3.4>;expires=20, <sip:x>", "30")
	f.Add("tok", "-1")
	f.Fuzz(func(t *testing.T, contact, expires string) {
		res := siplib.NewResponse(200, "OK")
		res.AppendHeader(siplib.NewHeader("Contact", contact))
		res.AppendHeader(siplib.NewHeader("Expires", expires))
		lasts := granted(res, "tok", time.Minute)
		require.True(t, lasts >= 0 && lasts <= maxExpiry)
	})
}
