package sip

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// certificate writes a certificate for the loopback and its key, signed by itself.
func certificate(t *testing.T) TLSConfig {
	t.Helper()
	certFile, keyFile := siptest.Certificate(t)
	return TLSConfig{Listen: "127.0.0.1:0", CertFile: certFile, KeyFile: keyFile, RootsFile: certFile}
}

func TestCallsOverConnections(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	for name, dial := range map[string]Dial{"tcp": {Transport: TCP}, "tls": {Transport: TLS}, "sips": {SIPS: true}} {
		onCall, legs := answering(t)
		there := listen(t, Config{Inbound: onCall, TCP: "127.0.0.1:0", TLS: secure})
		here := listen(t, Config{TCP: "127.0.0.1:0", TLS: secure})
		transport := dial.Transport
		if dial.SIPS {
			transport = TLS
		}
		dial.Proxy, dial.To = there.AddrOf(transport).String(), "1"
		for _, calleeEnds := range []bool{true, false} {
			caller, err := here.Dial(within(t), dial)
			require.NoError(t, err, name)
			callee := receive(t, legs)
			caller.Play(audio.Tone(2*time.Second, -15, 400))
			hears(t, callee, 400)
			require.NoError(t, callee.Hold(within(t), true), "a request the other way takes the same connection")
			require.True(t, there.connected(transport, callee.Dialog().Connection), name)
			first, second := caller, callee
			if calleeEnds {
				first, second = callee, caller
			}
			require.NoError(t, first.Hangup(within(t)), name)
			receive(t, second.Done())
			require.ErrorIs(t, second.Err(), media.ErrRemoteHangup)
		}
		require.Equal(t, transport, connections(there), "one connection carried it all")
	}
}

// connections is the one transport over which a user agent has one connection, or else empty.
func connections(ua *UA) (only Transport) {
	for _, transport := range []Transport{TCP, TLS} {
		switch entries := ua.agent.TransportLayer().Pool(string(transport)).Size(); {
		case entries == 0:
		case entries == 2 && only == "": // known by its near and its far address
			only = transport
		default:
			return ""
		}
	}
	return only
}

func TestADialogOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall, TCP: "127.0.0.1:0"})
	here := listen(t, Config{TCP: "127.0.0.1:0"})
	caller, err := here.Dial(within(t), Dial{Proxy: there.AddrOf(TCP).String(), Transport: TCP, To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	require.NoError(t, there.withConnection(TCP, callee.Dialog().Connection, siplib.Connection.Close))
	require.Eventually(t, func() bool {
		return !there.connected(TCP, callee.Dialog().Connection) && !here.connected(TCP, caller.Dialog().Connection)
	}, testWait, time.Millisecond)
	require.NoError(t, callee.Hangup(within(t)), "the caller listens at its contact")
	receive(t, caller.Done())
}

func TestCallersWhoOnlyOpenConnections(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	for _, transport := range []Transport{TCP, TLS} {
		onCall, legs := answering(t)
		there := listen(t, Config{Inbound: onCall, TCP: "127.0.0.1:0", TLS: secure})
		here := listen(t, Config{TLS: TLSConfig{RootsFile: secure.RootsFile}})
		proxy := net.JoinHostPort("localhost", strconv.Itoa(int(there.AddrOf(transport).Port())))
		caller, err := here.Dial(within(t), Dial{Proxy: proxy, Transport: transport, To: "1"})
		require.NoError(t, err)
		callee := receive(t, legs)
		contact := "sip:" + caller.key.tag + "@" + callee.Dialog().Connection + ";transport=" + strings.ToLower(string(transport))
		require.Equal(t, contact, callee.Dialog().Target, "the contact is our end of the connection")
		require.Equal(t, proxy, caller.Dialog().NextHop, "whose certificate has that name")
		require.Equal(t, contact, "sip:"+caller.contact().Address.Endpoint()+";transport="+strings.ToLower(string(transport)))
		require.NoError(t, callee.Hangup(within(t)))
		receive(t, caller.Done())
	}
}

func TestAnOrphanOverTCPIsEnded(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall, TCP: "127.0.0.1:0"})
	here := listen(t, Config{TCP: "127.0.0.1:0"})
	caller, err := here.Dial(within(t), Dial{Proxy: there.AddrOf(TCP).String(), Transport: TCP, To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	require.NoError(t, listen(t, Config{}).EndOrphan(within(t), caller.Dialog(), "", ""))
	receive(t, callee.Done())
	require.NoError(t, caller.Hangup(within(t)))
}

func TestStrangersCannotConnect(t *testing.T) {
	t.Parallel()
	there := listen(t, Config{TCP: "127.0.0.1:0", Screen: func(netip.AddrPort) bool { return false }})
	conn, err := net.Dial("tcp", there.AddrOf(TCP).String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(testWait)))
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestOnlySoManyConnections(t *testing.T) {
	t.Parallel()
	bound, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &listener{bound, func(netip.AddrPort) bool { return true }, make(chan struct{}, 1), slog.New(slog.DiscardHandler)}
	defer l.Close()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", bound.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	accepted := make(chan net.Conn, 2)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	dial()
	first := receive(t, accepted)
	_, err = dial().Read(make([]byte, 1))
	require.Error(t, err, "one too many")
	require.NoError(t, first.Close())
	require.Error(t, first.Close(), "which gives no second place back")
	dial()
	require.NoError(t, receive(t, accepted).Close())
}

func TestUntrustedServersAreNotCalled(t *testing.T) {
	t.Parallel()
	there := listen(t, Config{TLS: certificate(t)})
	here := listen(t, Config{TLS: TLSConfig{RootsFile: certificate(t).RootsFile}})
	_, err := here.Dial(within(t), Dial{Proxy: there.AddrOf(TLS).String(), Transport: TLS, To: "1"})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 503, refused.Code)
	require.ErrorContains(t, err, "certificate")
}

func TestAConnectionThatNeverOpensDoesNotHoldUpTheDeadline(t *testing.T) {
	t.Parallel()
	full, err := net.Listen("tcp", "127.0.0.1:0") // it accepts the connection and never answers the handshake
	require.NoError(t, err)
	defer full.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = listen(t, Config{}).Dial(ctx, Dial{Proxy: full.Addr().String(), Transport: TLS, To: "1"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestALostConnectionIsARefusal(t *testing.T) {
	t.Parallel()
	fickle, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer fickle.Close()
	go func() {
		conn, err := fickle.Accept()
		if err != nil {
			return
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			conn.Close()
		}
	}()
	_, err = listen(t, Config{}).Dial(within(t), Dial{Proxy: fickle.Addr().String(), Transport: TCP, To: "1"})
	var refused *Refused
	require.ErrorAs(t, err, &refused, "and it does not take half a minute to notice")
	require.Equal(t, 503, refused.Code)
}

func TestTransportsThatCannotBe(t *testing.T) {
	t.Parallel()
	here := listen(t, Config{})
	for _, dial := range []Dial{{Transport: "WS"}, {SIPS: true, Transport: TCP}} {
		dial.Proxy, dial.To = "127.0.0.1", "1"
		_, err := here.Dial(within(t), dial)
		require.Error(t, err)
	}
	for _, broken := range []TLSConfig{{Listen: "127.0.0.1:0"}, {CertFile: "missing"}, {RootsFile: "missing"}, {RootsFile: "transport.go"}} {
		_, err := Listen(Config{Listen: "127.0.0.1:0", TLS: broken})
		require.Error(t, err)
	}
}

func TestNextHops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		transport, source, redial string
		routes                    []string
		want                      Dialog
	}{
		{"UDP", "192.0.2.1:5999", "example.org:5060", nil, Dialog{NextHop: "192.0.2.1:5999"}},
		{"TLS", "192.0.2.1:41234", "example.org:5061", nil, Dialog{NextHop: "example.org:5061", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"TLS", "192.0.2.1:41234", "x:1", []string{"<sip:192.0.2.1;transport=tls;lr>"}, Dialog{NextHop: "192.0.2.1:5061", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"TCP", "192.0.2.1:41234", "x:1", []string{"<sips:192.0.2.1:5071;lr>"}, Dialog{NextHop: "192.0.2.1:5071", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"UDP", "192.0.2.1:5060", "x:1", []string{"<sip:[2001:db8::1];lr>"}, Dialog{NextHop: "[2001:db8::1]:5060"}},
		{"UDP", "192.0.2.1:5060", "x:1", []string{"<sip:p;transport=tcp;lr>", "<sip:q>"}, Dialog{NextHop: "p:5060", Transport: TCP}},
		{"TCP", "192.0.2.1:5060", "x:1", []string{"<sip:p;transport=sctp;lr>"}, Dialog{NextHop: "p:5060", Transport: TCP, Connection: "192.0.2.1:5060"}},
	} {
		d := Dialog{Routes: c.routes}
		require.NoError(t, d.findNextHop(c.transport, c.source, c.redial))
		c.want.Routes = c.routes
		require.Equal(t, c.want, d)
	}
	require.Error(t, (&Dialog{Routes: []string{"<"}}).findNextHop("UDP", "", ""))
}

func TestSippTalksOverTCP(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"uas_answer.xml", "uas_407.xml", "uas_bye.xml"} {
		port := siptest.FreePort(t)
		ended := sipp(t, scenario, port, "-t", "t1", "-rtp_echo")
		siptest.AwaitBound(t, "tcp", port)
		leg, err := listen(t, Config{}).Dial(within(t), Dial{
			Proxy: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Transport: TCP, From: "+31201234567", To: "1",
			Username: "alice", Password: "s3cret",
		})
		require.NoError(t, err, scenario)
		if scenario == "uas_bye.xml" {
			receive(t, leg.Done())
			require.ErrorIs(t, leg.Err(), media.ErrRemoteHangup)
		} else {
			require.NoError(t, leg.Hangup(within(t)), scenario)
		}
		require.NoError(t, receive(t, ended), scenario)
	}
	for _, scenario := range []string{"uac_hold.xml", "uac_lateoffer.xml", "uac_cancel.xml"} {
		onCall, legs := answering(t)
		there := listen(t, Config{TCP: "127.0.0.1:0", Inbound: func(ctx context.Context, in *Inbound) {
			if scenario != "uac_cancel.xml" {
				onCall(ctx, in)
				return
			}
			if err := in.Ring(); err != nil {
				t.Errorf("ring: %v", err)
			}
			<-in.Done()
		}})
		ended := sipp(t, scenario, siptest.FreePort(t), "-t", "t1", there.AddrOf(TCP).String())
		if scenario != "uac_cancel.xml" {
			receive(t, receive(t, legs).Done())
		}
		require.NoError(t, receive(t, ended), scenario)
	}
}

func TestSippRoutesElsewhere(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{TCP: "127.0.0.1:0", Inbound: onCall})
	ended := sipp(t, "uac_route.xml", siptest.FreePort(t), "-t", "t1", there.AddrOf(TCP).String())
	leg := receive(t, legs)
	require.Equal(t, "127.0.0.1:9", leg.Dialog().NextHop)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, receive(t, ended), "the BYE came over the connection that the call came by")
}
