package sip

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sdp"
)

const testWait = 10 * time.Second // how long a test waits for what must happen

// listen starts a user agent that closes with the test.
func listen(t *testing.T, cfg Config) *UA {
	t.Helper()
	return listenTimed(t, cfg, func(*timers) {})
}

// listenTimed starts a user agent with other timers.
func listenTimed(t *testing.T, cfg Config, change func(*timers)) *UA {
	t.Helper()
	cfg.Listen = "127.0.0.1:0"
	timers := timers{t1: siplib.T1, t2: siplib.T2, report: rtp.ReportEvery, session: minSession}
	change(&timers)
	ua, err := open(cfg, timers)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // whatever still lives is cut
		require.NoError(t, ua.Close(ctx))
	})
	return ua
}

// answering makes a callback that answers every call and hands the legs over.
func answering(t *testing.T) (func(context.Context, *Inbound), <-chan *Leg) {
	legs := make(chan *Leg, 16)
	return func(ctx context.Context, in *Inbound) {
		leg, err := in.Answer(ctx)
		switch {
		case err == nil:
			legs <- leg
		case !errors.Is(err, media.ErrRemoteHangup): // a BYE may overtake its ACK
			t.Errorf("answer: %v", err)
		}
	}, legs
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testWait)
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(testWait):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// call connects two fresh user agents.
func call(t *testing.T, dial Dial) (caller, callee *Leg) {
	t.Helper()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall})
	here := listen(t, Config{})
	dial.Proxy, dial.From, dial.To = there.Addr().String(), "+31201234567", "+31612345678"
	caller, err := here.Dial(within(t), dial)
	require.NoError(t, err)
	return caller, receive(t, legs)
}

// next waits for the first thing that pick likes.
func next(t *testing.T, leg *Leg, pick func(audio.Incoming) bool) audio.Incoming {
	t.Helper()
	deadline := time.After(testWait)
	for {
		select {
		case item, ok := <-leg.Incoming():
			require.True(t, ok, "the leg ended: %v", leg.Err())
			if pick(item) {
				return item
			}
		case <-deadline:
			require.FailNow(t, "it never came")
		}
	}
}

// hears waits until a tone of freq was heard for 200 ms without a gap.
func hears(t *testing.T, leg *Leg, freq float64) {
	t.Helper()
	frames := 0
	next(t, leg, func(item audio.Incoming) bool {
		if item.Frame != nil && audio.Purity(item.Frame, freq) > 0.9 {
			frames++
		} else if item.Frame != nil {
			frames = 0
		}
		return frames == 10
	})
}

func TestSoundGoesBothWays(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	caller.Play(audio.Tone(testWait, -15, 400))
	callee.Play(audio.Tone(testWait, -15, 900))
	hears(t, callee, 400)
	hears(t, caller, 900)
	require.Positive(t, caller.Queued())
	require.Positive(t, caller.Flush())
	require.Zero(t, caller.Queued())
	require.NoError(t, caller.Hangup(within(t)))
	<-caller.Done()
	require.NoError(t, caller.Err())
	receive(t, callee.Done())
	require.ErrorIs(t, callee.Err(), media.ErrRemoteHangup)
	require.NoError(t, callee.Hangup(within(t)), "hanging up twice is no error")
	for range callee.Incoming() { // ends, because it is closed
	}
	stats := caller.Stats()
	require.Positive(t, stats.PacketsIn)
	require.Zero(t, stats.Lost+stats.Strays+stats.SendErrors)
}

func TestIncomingGoesOnWhenNothingComes(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	r := *callee.media.Route()
	r.Sends = false
	callee.media.Agree(&r) // the far end falls silent without a word
	next(t, caller, func(audio.Incoming) bool { return caller.Stats().Filled > 10 })
}

func TestKeysArriveOnceAndInOrder(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	const keys = "1234567890*#ABCD11"
	caller.SendDigits(keys + "x?")
	var got strings.Builder
	next(t, callee, func(item audio.Incoming) bool {
		if item.Digit != 0 {
			got.WriteByte(item.Digit)
		}
		return got.Len() == len(keys)
	})
	require.Equal(t, keys, got.String())
}

func TestCaptionsArriveExactly(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{Captions: true})
	require.True(t, caller.Captioned())
	require.True(t, callee.Captioned())
	texts := []string{"Goedemorgen, praktijk Jansen.", strings.Repeat("Ik kom uit Köln – 日本. ", 100),
		"Goedemorgen, praktijk Jansen."}
	for _, text := range texts {
		callee.Caption(text)
	}
	var got strings.Builder
	next(t, caller, func(item audio.Incoming) bool {
		got.WriteString(item.Caption())
		return got.Len() >= len(strings.Join(texts, ""))
	})
	require.Equal(t, strings.Join(texts, ""), got.String())
}

func TestCaptionsStayAwayWhereNotNegotiated(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	require.False(t, callee.Captioned())
	callee.Caption("nobody reads this")
	callee.SendDigits("5")
	item := next(t, caller, func(item audio.Incoming) bool { return item.Frame == nil })
	require.Equal(t, audio.Incoming{Digit: '5'}, item)
}

func TestHoldAndResume(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{Captions: true})
	require.NoError(t, caller.Hold(within(t), true))
	require.False(t, callee.media.Route().Sends)
	callee.Play(audio.Tone(testWait, -15, 700))
	caller.Play(audio.Tone(testWait, -15, 500))
	hears(t, callee, 500)
	require.Equal(t, testWait, callee.Queued(), "the queue stands still")
	require.NoError(t, caller.Hold(within(t), false))
	hears(t, caller, 700)
	require.True(t, caller.Captioned())
}

func TestOffersThatCrossAreRefused(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	_, err := caller.offers.Offer()
	require.NoError(t, err)
	var refused *Refused
	require.ErrorAs(t, callee.Hold(within(t), true), &refused)
	require.Equal(t, 491, refused.Code)
	require.ErrorIs(t, caller.Hold(within(t), true), sdp.ErrGlare)
	require.True(t, callee.media.Route().Expects, "nothing changed")
}

func TestCallsOverIPv6(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there, err := Listen(Config{Listen: "[::1]:0", Inbound: onCall})
	if err != nil {
		t.Skipf("this machine has no IPv6 loopback: %v", err)
	}
	here, err := Listen(Config{Listen: "[::1]:0"})
	require.NoError(t, err)
	leg, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	leg.Play(audio.Tone(testWait, -15, 400))
	hears(t, receive(t, legs), 400)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, here.Close(within(t)))
	require.NoError(t, there.Close(within(t)))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	there := listen(t, Config{Inbound: func(_ context.Context, in *Inbound) {
		switch in.To {
		case "busy":
			require.NoError(t, in.Ring())
			require.NoError(t, in.Reject(486, "Busy Here"))
			require.ErrorIs(t, in.Reject(486, "Busy Here"), errDecided)
			require.Error(t, in.Ring())
		case "wrong":
			require.Error(t, in.Reject(200, "OK"))
			require.NoError(t, in.Reject(603, "Decline"))
		}
	}})
	nobody := listen(t, Config{})
	here := listen(t, Config{})
	for _, c := range []struct {
		to   string
		ua   *UA
		code int
	}{{"busy", there, 486}, {"wrong", there, 603}, {"undecided", there, 480}, {"any", nobody, 404}} {
		_, err := here.Dial(within(t), Dial{Proxy: c.ua.Addr().String(), From: "me", To: c.to})
		var refused *Refused
		require.ErrorAs(t, err, &refused, c.to)
		require.Equal(t, c.code, refused.Code, c.to)
	}
}

func TestNoAnswerIsCancelled(t *testing.T) {
	t.Parallel()
	gaveUp := make(chan error, 1)
	there := listen(t, Config{Inbound: func(ctx context.Context, in *Inbound) {
		if err := in.Ring(); err != nil {
			gaveUp <- err
			return
		}
		<-in.Done()
		_, err := in.Answer(ctx)
		gaveUp <- err
	}})
	here := listen(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	codes := make(chan int, 8)
	_, err := here.Dial(ctx, Dial{Proxy: there.Addr().String(), To: "1", Progress: func(code int, _ string) {
		codes <- code
		if code == 180 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, receive(t, gaveUp), ErrCancelled)
}

func TestAnswerThatCrossesTheCancelIsHungUp(t *testing.T) {
	t.Parallel()
	for range 20 { // whoever wins, nobody stays on the line
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		there := listen(t, Config{Inbound: func(_ context.Context, in *Inbound) {
			if err := in.Ring(); err != nil {
				ended <- err
				return
			}
			cancel()
			leg, err := in.Answer(t.Context())
			if err != nil {
				ended <- err
				return
			}
			<-leg.Done()
			ended <- leg.Err()
		}})
		here := listen(t, Config{})
		if leg, err := here.Dial(ctx, Dial{Proxy: there.Addr().String(), To: "1"}); err == nil {
			require.NoError(t, leg.Hangup(within(t)))
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		err := receive(t, ended)
		require.True(t, errors.Is(err, ErrCancelled) || errors.Is(err, media.ErrRemoteHangup), "%v", err)
	}
}

func TestSilentProxyDoesNotHoldUpTheDeadline(t *testing.T) {
	t.Parallel()
	there := listen(t, Config{Screen: func(netip.AddrPort) bool { return false }})
	here := listen(t, Config{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := here.Dial(ctx, Dial{Proxy: there.Addr().String(), To: "1"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestRemoteHangupReachesTheCaller(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	require.NoError(t, callee.Hangup(within(t)))
	receive(t, caller.Done())
	require.ErrorIs(t, caller.Err(), media.ErrRemoteHangup)
	require.Eventually(t, func() bool { return len(caller.ua.live()) == 0 }, testWait, time.Millisecond)
}

func TestOrphanIsEndedByAnotherProcess(t *testing.T) {
	t.Parallel()
	for _, outbound := range []bool{true, false} {
		caller, callee := call(t, Dial{})
		dead, alive := caller, callee
		if !outbound {
			dead, alive = callee, caller
		}
		dialog := dead.Dialog()
		successor := listen(t, Config{})
		require.NoError(t, successor.EndOrphan(within(t), dialog, "", ""))
		receive(t, alive.Done())
		require.ErrorIs(t, alive.Err(), media.ErrRemoteHangup)
		require.NoError(t, dead.Hangup(within(t)), "the far end says it knows no such call, which is what we want")
		require.NoError(t, successor.EndOrphan(within(t), dialog, "", ""), "ending it twice is no error")
	}
}

func TestTransferIsAsked(t *testing.T) {
	t.Parallel()
	caller, _ := call(t, Dial{})
	var refused *Refused
	require.ErrorAs(t, caller.Transfer(within(t), "+31201111111"), &refused)
	require.Equal(t, 405, refused.Code, "our own user agent takes no transfers")
	require.Error(t, caller.Transfer(within(t), "1>\r\nX: y"))
}

func TestTransferIsTaken(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall, Transfers: true})
	caller, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: there.Addr().String(), From: "+31201234567", To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	for code, target := range map[int]string{200: "+31201111111", 486: "tel:+31202222222", 603: "sip:+31203333333@example.com"} {
		ended := make(chan error, 1)
		go func() { ended <- caller.Transfer(within(t), target) }()
		wish := receive(t, callee.Referrals())
		require.Contains(t, target, wish.Target)
		require.Equal(t, byte('+'), wish.Target[0])
		require.NoError(t, wish.Tell(within(t), 180, "Ringing"))
		require.NoError(t, wish.Tell(within(t), code, "Whatever"))
		err := receive(t, ended)
		if refused, is := errors.AsType[*Refused](err); code != 200 {
			require.True(t, is, "%v", err)
			require.Equal(t, code, refused.Code)
			continue
		}
		require.NoError(t, err)
	}

	ended := make(chan error, 2)
	for _, target := range []string{"+31204444444", "+31205555555"} {
		go func() { ended <- caller.Transfer(within(t), target) }()
	}
	refused, is := errors.AsType[*Refused](receive(t, ended))
	require.True(t, is)
	require.Equal(t, 491, refused.Code, "one after the other")
	wish := receive(t, callee.Referrals())
	require.NoError(t, caller.Hangup(within(t)))
	receive(t, callee.Done())
	require.Error(t, wish.Tell(within(t), 200, "OK"), "the call is over")
	require.Error(t, receive(t, ended))
}

func TestDrainRefusesNewCallsAndWaitsForLiveOnes(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall})
	here := listen(t, Config{})
	dial := Dial{Proxy: there.Addr().String(), To: "1"}
	caller, err := here.Dial(within(t), dial)
	require.NoError(t, err)
	callee := receive(t, legs)

	closed := make(chan error, 1)
	go func() { closed <- there.Close(within(t)) }()
	var refused *Refused
	require.Eventually(t, func() bool {
		leg, err := here.Dial(within(t), dial)
		if err == nil { // the drain had not begun yet
			require.NoError(t, leg.Hangup(within(t)))
		}
		return errors.As(err, &refused)
	}, testWait, time.Millisecond)
	require.Equal(t, 503, refused.Code)
	require.Equal(t, 10*time.Second, refused.RetryAfter)
	callee.Play(audio.Tone(testWait, -15, 600))
	hears(t, caller, 600)
	_, err = there.Dial(within(t), Dial{Proxy: here.Addr().String(), To: "1"})
	require.ErrorIs(t, err, media.ErrClosed)
	require.NoError(t, caller.Hangup(within(t)))
	require.NoError(t, receive(t, closed))
}

func TestDrainThatRunsOutOfTimeHangsUp(t *testing.T) {
	t.Parallel()
	ringing := make(chan *Inbound, 1)
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: func(ctx context.Context, in *Inbound) {
		if in.To == "ring" {
			if err := in.Ring(); err != nil {
				t.Errorf("ring: %v", err)
			}
			ringing <- in
			<-ctx.Done()
			return
		}
		onCall(ctx, in)
	}})
	here := listen(t, Config{})
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	refused := make(chan error, 1)
	go func() {
		_, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "ring"})
		refused <- err
	}()
	receive(t, ringing)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, there.Close(ctx))
	require.ErrorIs(t, callee.Err(), media.ErrClosed)
	receive(t, caller.Done())
	require.ErrorIs(t, caller.Err(), media.ErrRemoteHangup)
	var code *Refused
	require.ErrorAs(t, receive(t, refused), &code)
	require.Equal(t, 503, code.Code)
}

func TestMediaTimeoutEndsTheCall(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	there := listen(t, Config{Inbound: onCall, MediaTimeout: 200 * time.Millisecond})
	here := listen(t, Config{})
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	next(t, callee, func(audio.Incoming) bool { return callee.Stats().PacketsIn > 0 })
	r := *caller.media.Route()
	r.Sends = false
	caller.media.Agree(&r)
	receive(t, callee.Done())
	require.ErrorIs(t, callee.Err(), media.ErrMediaTimeout)
	receive(t, caller.Done())
	require.ErrorIs(t, caller.Err(), media.ErrRemoteHangup)
}

func TestScreenedSourcesGetNoAnswerButLiveCallsGoOn(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	var closed atomic.Bool
	there := listen(t, Config{Inbound: onCall, Screen: func(netip.AddrPort) bool { return !closed.Load() }})
	here := listen(t, Config{})
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	closed.Store(true)
	require.NoError(t, caller.Hangup(within(t)))
	receive(t, callee.Done())
	require.Eventually(t, func() bool { return !there.isPeer(here.Addr()) }, testWait, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = here.Dial(ctx, Dial{Proxy: there.Addr().String(), To: "1", Progress: func(code int, _ string) {
		t.Errorf("answered with %d", code)
	}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestTheRecordingRunsOnOneClock(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{})
	type turn struct{ far, near []int16 }
	turns := make(chan turn, 1024)
	caller.Record(func(far, near []int16) {
		turns <- turn{append([]int16(nil), far...), append([]int16(nil), near...)}
	})
	caller.Play(audio.Tone(testWait, -15, 400))
	callee.Play(audio.Tone(testWait, -15, 900))
	both := 0
	for both < 20 {
		got := receive(t, turns)
		require.Len(t, got.far, audio.FrameLen)
		require.Len(t, got.near, audio.FrameLen)
		if audio.Purity(got.near, 400) > 0.9 && audio.Purity(got.far, 900) > 0.9 {
			both++
		}
	}
	caller.Record(nil)
}

func TestAnswerThatNobodyWaitsForIsHungUp(t *testing.T) {
	t.Parallel()
	answered := make(chan error, 1)
	there := listen(t, Config{Inbound: func(ctx context.Context, in *Inbound) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err := in.Answer(ctx)
		answered <- err
	}})
	caller, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	require.ErrorIs(t, receive(t, answered), context.Canceled)
	receive(t, caller.Done())
	require.ErrorIs(t, caller.Err(), media.ErrRemoteHangup)
}

func TestWhatACallbackSees(t *testing.T) {
	t.Parallel()
	seen := make(chan *Inbound, 1)
	there := listen(t, Config{Inbound: func(_ context.Context, in *Inbound) { seen <- in }})
	here := listen(t, Config{})
	_, err := here.Dial(within(t), Dial{
		Proxy: there.Addr().String(), Domain: "sip.example.org", From: "+31201234567", FromName: `Dr. "J" \ Jansen`,
		To:     "%2B31612345678",
		CallID: "abc", Headers: map[string]string{"X-Account": "7"},
	})
	require.Error(t, err)
	in := receive(t, seen)
	require.Equal(t, "+31201234567", in.From)
	require.Equal(t, "+31612345678", in.To)
	require.Equal(t, "abc", in.CallID)
	require.Equal(t, here.Addr(), in.Source)
	require.Equal(t, "7", in.Header("x-account"))
	require.Empty(t, in.Header("X-Other"))
	require.Contains(t, in.FromName, "Jansen")
}

func TestForeignTextCannotBecomeHeaders(t *testing.T) {
	t.Parallel()
	here := listen(t, Config{})
	for _, d := range []Dial{
		{Proxy: "127.0.0.1:9", To: "1", FromName: "x\r\nVia: y"},
		{Proxy: "127.0.0.1:9", To: "1;user=phone"},
		{Proxy: "127.0.0.1:9", To: "1", Headers: map[string]string{"X-A": "b\nc: d"}},
		{Proxy: "127.0.0.1:9"},
		{To: "1"},
	} {
		_, err := here.Dial(within(t), d)
		require.Error(t, err)
		var refused *Refused
		require.NotErrorAs(t, err, &refused)
	}
}

func TestListenNeedsAnAddressToBeCalledAt(t *testing.T) {
	t.Parallel()
	_, err := Listen(Config{Listen: "0.0.0.0:0"})
	require.Error(t, err)
	ua, err := Listen(Config{Listen: "0.0.0.0:0", PublicIP: netip.MustParseAddr("127.0.0.1")})
	require.NoError(t, err)
	require.NoError(t, ua.Close(t.Context()))
	require.NoError(t, ua.Close(t.Context()))
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = netip.MustParseAddr("127.0.0.1")

// A call that is dialed ahead of its time rings at its time, and one that is given up before never rings.
func TestNotBefore(t *testing.T) {
	t.Parallel()
	rang := make(chan time.Time, 1)
	there := listen(t, Config{Inbound: func(_ context.Context, in *Inbound) { rang <- time.Now() }})
	here := listen(t, Config{})
	at := time.Now().Add(200 * time.Millisecond)
	dial := Dial{Proxy: there.Addr().String(), From: "+31201234567", To: "+31612345678", NotBefore: at}
	_, err := here.Dial(within(t), dial)
	require.ErrorAs(t, err, new(*Refused))
	require.False(t, receive(t, rang).Before(at))

	ctx, cancel := context.WithCancel(t.Context())
	dial.NotBefore, dial.Sent = time.Now().Add(testWait), func() { t.Error("the INVITE was sent") }
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = here.Dial(ctx, dial)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, here.Close(within(t)), "no call is left")
	require.Empty(t, rang)
}

func TestUserAgentsShareClocks(t *testing.T) {
	t.Parallel()
	clocks := media.NewClocks(slog.New(slog.DiscardHandler))
	t.Cleanup(clocks.Close)
	onCall, legs := answering(t)
	there, here := listen(t, Config{Inbound: onCall, Clocks: clocks}), listen(t, Config{Clocks: clocks})
	another := listen(t, Config{Clocks: clocks})
	require.NoError(t, another.Close(within(t)), "which leaves the clocks to the others")
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1"})
	require.NoError(t, err)
	callee := receive(t, legs)
	caller.Play(audio.Tone(testWait, -15, 400))
	hears(t, callee, 400)
	load := 0
	for _, clock := range clocks {
		load += clock.Load()
	}
	require.Equal(t, 2, load)
	require.NoError(t, caller.Hangup(within(t)))
	receive(t, callee.Done())
}
