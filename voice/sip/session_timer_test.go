package sip

import (
	"fmt"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

func TestSippInsistsOnSessions(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_session.xml")
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1"})
	require.NoError(t, err)
	receive(t, leg.Done())
	require.ErrorIs(t, leg.Err(), ErrSessionExpired, "its second answer says that it knows no such call")
	require.NoError(t, receive(t, ended))
}

func TestSippHasMoved(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_302.xml")
	_, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, To: "1"})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, &Refused{Code: 302, Reason: "Moved Temporarily", MovedTo: "sip:+31611111111@sip.example.net"}, refused)
	require.ErrorContains(t, err, "not followed")
	require.NoError(t, receive(t, ended))
}

func TestSessionsAreRefreshedAndWatched(t *testing.T) {
	t.Parallel()
	for name, updates := range map[string]bool{"by UPDATE": true, "by INVITE": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onCall, legs := answering(t)
			there := listenTimed(t, Config{Inbound: onCall}, func(timers *timers) { timers.session = time.Second })
			here := listen(t, Config{SessionExpires: 2 * time.Second})
			caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
			require.NoError(t, err)
			caller.updates.Store(updates) // which only the first refresh, in a second, will read
			callee := receive(t, legs)
			frames := 0
			next(t, callee, func(audio.Incoming) bool {
				frames++
				return frames == 75 // 1.5 s, in which it would have ended
			})
			caller.session.close()
			receive(t, callee.Done())
			require.ErrorIs(t, callee.Err(), ErrSessionExpired)
			receive(t, caller.Done())
			require.ErrorIs(t, caller.Err(), media.ErrRemoteHangup)
		})
	}
}

func TestShortSessionsAreRefused(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall})
	here := listen(t, Config{SessionExpires: time.Second})
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err, "with the interval it was told")
	interval, _ := caller.session.state()
	require.Equal(t, minSession, interval)
	interval, _ = receive(t, legs).session.state()
	require.Equal(t, minSession, interval)
}

func TestIntervalsThatGrowWithoutEnd(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	ended := make(chan error, 1)
	go func() {
		_, err := ua.Dial(within(t), Dial{Proxy: c.addr(), To: "42"})
		ended <- err
	}()
	for asked := range maxInsisted + 1 {
		c.reply(c.asked(siplib.INVITE), "422 Session Interval Too Small", "far", fmt.Sprintf("Min-SE: %d", 2000+asked))
		c.asked(siplib.ACK)
	}
	var refused *Refused
	require.ErrorAs(t, receive(t, ended), &refused)
	require.Equal(t, statusSessionTooSmall, refused.Code)
}

func TestWhoRefreshes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, supported, answer string
		interval                 time.Duration
	}{
		{"", "timer", "", 0},
		{"1800", "timer", "1800;refresher=uac", 30 * time.Minute},
		{"1800;refresher=uas", "100rel, timer", "1800;refresher=uas", 30 * time.Minute},
		{" 600 ; Refresher = UAC ;x=y", "timer", "600;refresher=uac", 10 * time.Minute},
		{"1800", "", "1800;refresher=uas", 30 * time.Minute},
		{"1800;refresher=uac", "", "1800;refresher=uas", 30 * time.Minute},
		{"soon", "timer", "", 0},
		{"0", "timer", "", 0},
	} {
		req := parseMessage(t, invite).(*siplib.Request)
		if c.asked != "" {
			req.AppendHeader(siplib.NewHeader("Session-Expires", c.asked))
		}
		if c.supported != "" {
			req.AppendHeader(siplib.NewHeader("Supported", c.supported))
		}
		l := new(Leg)
		res := siplib.NewResponseFromRequest(req, 200, "OK", nil)
		l.answerSession(req, res)
		interval, _ := l.session.state()
		require.Equal(t, c.interval, interval, "%v", c)
		l.session.close()
		var answer string
		if h := res.GetHeader("Session-Expires"); h != nil {
			answer = h.Value()
		}
		require.Equal(t, c.answer, answer, "%v", c)
	}
}

func FuzzReadSession(f *testing.F) {
	f.Add("1800;refresher=uac")
	f.Fuzz(func(t *testing.T, value string) {
		res := siplib.NewResponse(200, "OK")
		res.AppendHeader(siplib.NewHeader("Session-Expires", value))
		if terms, ok := readSession(res); ok {
			require.True(t, terms.interval > 0 && terms.interval <= maxExpiry)
			again := siplib.NewResponse(200, "OK")
			again.AppendHeader(terms.header())
			back, ok := readSession(again)
			require.True(t, ok)
			require.Equal(t, terms, back)
		}
	})
}
