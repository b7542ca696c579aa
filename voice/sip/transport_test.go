package sip

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
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
			caller.Play(audio.Tone(testWait, -15, 400))
			hears(t, callee, 400)
			require.NoError(t, callee.Hold(within(t), true), "a request the other way takes the same connection")
			require.True(t, there.wire.Connected(transport, callee.Dialog().Connection), name)
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

// connections returns the one transport over which a user agent has one connection, or else empty.
func connections(ua *UA) (only Transport) {
	for _, transport := range []Transport{TCP, TLS} {
		switch entries := ua.wire.Connections(transport); {
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
	require.NoError(t, there.wire.WithConnection(TCP, callee.Dialog().Connection, siplib.Connection.Close))
	require.Eventually(t, func() bool {
		return !there.wire.Connected(TCP, callee.Dialog().Connection) && !here.wire.Connected(TCP, caller.Dialog().Connection)
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

// Answers that nobody reads do not pile up, and hold up nobody's end. The flood ends as soon as its connection does.
func TestAnswersThatNobodyReads(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	for _, transport := range []Transport{TCP, TLS} {
		onCall, legs := answering(t)
		var closed atomic.Bool
		there := listen(t, Config{Inbound: onCall, TCP: "127.0.0.1:0", TLS: secure,
			Screen: func(netip.AddrPort) bool { return !closed.Load() }})
		newCarrier(t, there.Addr()).calls("unread", legs)
		closed.Store(true) // whoever has a call is a guest
		conn, err := net.Dial("tcp", there.AddrOf(transport).String())
		require.NoError(t, err)
		if transport == TLS {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		}
		defer conn.Close()
		for n := 0; err == nil; n++ {
			require.NoError(t, conn.SetWriteDeadline(time.Now().Add(testWait)))
			_, err = fmt.Fprintf(conn, "OPTIONS sip:42@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/%s 127.0.0.1;rport;branch=z9hG4bK%d\r\n"+
				"CSeq: 1 OPTIONS\r\nFrom: <sip:1@x>;tag=far\r\nTo: <sip:42@x>\r\nCall-ID: %d\r\nContent-Length: 0\r\n\r\n", transport, n, n)
		}
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is open")
	}
}

func TestUnknownSourcesCannotConnect(t *testing.T) {
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
	for _, broken := range []TLSConfig{{Listen: "127.0.0.1:0"}, {CertFile: "missing"}, {RootsFile: "missing"},
		{RootsFile: "transport.go"}} {
		_, err := Listen(Config{Listen: "127.0.0.1:0", TLS: broken})
		require.Error(t, err)
	}
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
