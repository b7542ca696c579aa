package sip

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/fuzz"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// nowhere is the reach of a call that goes to its proxy alone, its sound too.
var nowhere = Reach{Media: func(netip.Addr) bool { return false }}

// TestNothingReachesAForeignMachine calls a provider that names a foreign machine in every header of everything it sends, over
// each transport. All that is said within these calls comes to the provider, and nothing to the machine.
func TestNothingReachesAForeignMachine(t *testing.T) {
	t.Parallel()
	for _, transport := range []Transport{UDP, TCP, TLS} {
		secure := certificate(t)
		foreign := siptest.NewForeign(t)
		provider := siptest.NewHostile(t, strings.ToLower(string(transport)), foreign.At, secure.CertFile, secure.KeyFile)
		ua := listenTimed(t, Config{TLS: secure}, func(timers *timers) { timers.t1 = 20 * time.Millisecond })
		answered := 0
		for shape := range siptest.Shapes {
			ctx := within(t)
			if shape >= siptest.Readable { // answers that cannot be read are as good as none
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, 200*time.Millisecond)
				defer stop()
			}
			leg, err := ua.Dial(ctx, Dial{Proxy: provider.Addr, Transport: transport, From: "1", To: "42", SRTP: SRTPOptional,
				Reach: nowhere})
			if shape >= siptest.Readable {
				require.Error(t, err, "shape %d over %s", shape, transport)
				continue
			}
			require.NoError(t, err, "shape %d over %s", shape, transport)
			answered++
			leg.Play(audio.Tone(time.Second, -15, 400))
			require.NoError(t, leg.Hold(within(t), true), "shape %d over %s", shape, transport)
			require.NoError(t, leg.refresh(within(t), time.Minute))
			if shape%2 == 0 && transport.Reliable() {
				provider.HangUp() // the BYE takes another connection
				require.Eventually(t, func() bool { return !ua.wire.Connected(transport, leg.Dialog().Connection) }, testWait,
					time.Millisecond)
			}
			require.NoError(t, leg.Hangup(within(t)), "shape %d over %s", shape, transport)
			require.Positive(t, leg.Stats().Refused)
		}
		require.GreaterOrEqual(t, provider.Asked("BYE"), answered)
		require.GreaterOrEqual(t, provider.Asked("ACK"), answered)
		asked := provider.Asked("INVITE")
		_, err := ua.Dial(within(t), Dial{Proxy: provider.Addr, Transport: transport, To: "302", Reach: nowhere})
		require.ErrorContains(t, err, "302")
		require.Equal(t, asked+1, provider.Asked("INVITE"), "a redirection is not followed")
		ringing, giveUp := context.WithCancel(within(t))
		_, err = ua.Dial(ringing, Dial{Proxy: provider.Addr, Transport: transport, To: "183", Reach: nowhere,
			Progress: func(int, string) { giveUp() }})
		require.ErrorIs(t, err, context.Canceled)
		require.Eventually(t, func() bool { return provider.Asked("CANCEL") > 0 }, testWait, time.Millisecond)
		foreign.RequireUntouched(t)
		require.GreaterOrEqual(t, ua.Refusals().NextHops, uint64(siptest.Readable/2))
		if transport == UDP { // the library's own way to the Via of a request whose connection is gone ends at the last guard
			require.Zero(t, ua.Refusals().Packets)
		}
	}
}

// TestACallFromAForeignMachineIsAnsweredWhereItCameFrom has the same provider call us.
func TestACallFromAForeignMachineIsAnsweredWhereItCameFrom(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	legs := make(chan *Leg, siptest.Shapes)
	ua := listen(t, Config{TCP: "127.0.0.1:0", TLS: secure, Inbound: func(ctx context.Context, in *Inbound) {
		in.Reach = nowhere
		if leg, err := in.Answer(ctx); err == nil {
			legs <- leg
		}
	}})
	foreign := siptest.NewForeign(t)
	for _, transport := range []Transport{UDP, TCP} {
		provider := siptest.NewHostile(t, strings.ToLower(string(transport)), foreign.At, "", "")
		for shape := range siptest.Readable {
			var over net.Conn
			if transport == TCP {
				var err error
				over, err = net.Dial("tcp", ua.AddrOf(TCP).String())
				require.NoError(t, err)
				defer over.Close()
				go provider.ReadStream(over)
			}
			provider.Call(ua.Addr(), over, "42", fmt.Sprint(transport, shape))
			leg := receive(t, legs)
			leg.Play(audio.Tone(time.Second, -15, 400))
			require.NoError(t, leg.Hold(within(t), true), "shape %d over %s", shape, transport)
			require.NoError(t, leg.Hangup(within(t)), "shape %d over %s", shape, transport)
		}
	}
	foreign.RequireUntouched(t)
}

// TestAnAnswerOpensNoConnection has a caller close its connection behind an INVITE whose Via names a foreign machine, where the
// SIP library would go with the answer.
func TestAnAnswerOpensNoConnection(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{TCP: "127.0.0.1:0"})
	foreign := siptest.NewForeign(t)
	provider := siptest.NewHostile(t, "tcp", foreign.At, "", "")
	for i := range 200 {
		conn, err := net.Dial("tcp", ua.AddrOf(TCP).String())
		require.NoError(t, err)
		provider.Call(ua.Addr(), conn, "42", fmt.Sprint(i))
		require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
		require.NoError(t, conn.Close())
	}
	c := newCarrier(t, ua.Addr())
	c.request("OPTIONS", 1, c.dialogLines("alive", "")...)
	require.Equal(t, 200, c.answer("OPTIONS", 1).StatusCode)
	foreign.RequireUntouched(t)
}

// TestMutatedMessages sends what nobody should to a user agent that takes every call, and has sound sent to one of them.
// A far end that is known for its call alone sends more requests than anybody needs. Its call goes on, and others are answered.
func TestRequestsThatPileUp(t *testing.T) {
	t.Parallel()
	const enough = 1500
	onCall, legs := answering(t)
	known := netip.MustParseAddr("127.0.0.2")
	var closed atomic.Bool
	ua := listen(t, Config{Inbound: onCall, Screen: func(source netip.AddrPort) bool {
		return source.Addr() == known || !closed.Load()
	}})
	c := newCarrier(t, ua.Addr())
	_, leg := c.calls("flood", legs)
	closed.Store(true)
	answered := 0
	for n := range enough {
		c.request("OPTIONS", n, c.dialogLines(fmt.Sprint("flood", n), "")...)
		require.NoError(t, c.conn.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		if _, err := c.conn.Read(make([]byte, 2048)); err == nil {
			answered++
		} else if answered > enough/2 {
			break
		}
	}
	require.Less(t, answered, enough, "there is no end")
	c.inside(leg, "OPTIONS", 10_000)
	require.Equal(t, 200, c.answer("OPTIONS", 10_000).StatusCode, "the call goes on")
	other := newCarrierAt(t, known, ua.Addr())
	other.request("OPTIONS", 1, other.dialogLines("known", "")...)
	require.Equal(t, 200, other.answer("OPTIONS", 1).StatusCode)
}

func TestMutatedMessages(t *testing.T) {
	t.Parallel()
	legs := make(chan *Leg, 1)
	ua := listenTimed(t, Config{Transfers: true, Inbound: func(ctx context.Context, in *Inbound) {
		in.Reach = nowhere
		if leg, err := in.Answer(ctx); err == nil {
			select {
			case legs <- leg:
			default:
				leg.abort(nil)
			}
		}
	}}, func(timers *timers) { timers.t1 = 5 * time.Millisecond })
	c := newCarrier(t, ua.Addr())
	_, leg := c.calls("heard", legs)
	goroutines := runtime.NumGoroutine()

	report, err := fuzz.Run(within(t), fuzz.Config{Seed: 1, Messages: 2000, Target: ua.Addr().String()})
	require.NoError(t, err)
	require.Equal(t, 2000, report.Sent)
	require.Positive(t, report.Codes[200])
	require.Positive(t, report.Codes[400])
	sound, err := fuzz.Sound(within(t), fuzz.Config{Seed: 1, Messages: 2000, Target: leg.media.Local().String()})
	require.NoError(t, err)
	require.Equal(t, 2000, sound.Sent)
	require.False(t, leg.ended())
	require.Eventually(t, func() bool { return len(ua.live()) == 1 }, testWait, 10*time.Millisecond, "all other calls end")
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < goroutines+200 }, testWait, 10*time.Millisecond)
}
