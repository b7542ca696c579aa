package sip

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// wideTone returns a tone for a wideband leg.
func wideTone(d time.Duration, hertz float64) []int16 { return audio.Tone(2*d, -15, hertz/2) }

// hearsWide waits for a tone on a wideband leg.
func hearsWide(t *testing.T, leg *Leg, hertz float64) {
	t.Helper()
	require.Equal(t, audio.Wide, leg.Band())
	require.Equal(t, "G722", leg.Stats().Codec)
	hears(t, leg, hertz/2)
}

// takingWideband answers every call, in wideband where the caller prefers it.
func takingWideband(t *testing.T) (func(context.Context, *Inbound), <-chan *Leg) {
	t.Helper()
	answer, legs := answering(t)
	return func(ctx context.Context, in *Inbound) {
		in.Wideband = true
		answer(ctx, in)
	}, legs
}

func TestWidebandSoundGoesBothWays(t *testing.T) {
	t.Parallel()
	onCall, legs := takingWideband(t)
	there, here := listen(t, Config{Inbound: onCall}), listen(t, Config{})
	caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "+31612345678", Wideband: true})
	require.NoError(t, err)
	callee := receive(t, legs)
	caller.Play(wideTone(10*time.Second, 5000))
	callee.Play(wideTone(10*time.Second, 6000))
	hearsWide(t, callee, 5000)
	hearsWide(t, caller, 6000)

	require.NoError(t, caller.Hold(within(t), true))
	require.NoError(t, caller.Hold(within(t), false))
	hearsWide(t, caller, 6000) // the codec stays
	require.NoError(t, caller.Hangup(within(t)))
}

func TestFarEndsWithoutWidebandAreHeardAsBefore(t *testing.T) {
	t.Parallel()
	caller, callee := call(t, Dial{Wideband: true})
	require.Equal(t, audio.Narrow, caller.Band())
	require.Equal(t, audio.Narrow, callee.Band())
	callee.Play(audio.Tone(testWait, -15, 900))
	hears(t, caller, 900)
}

func TestBaresipSpeaksWideband(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	phone := &siptest.Softphone{Name: "bob", Transport: "udp", Wideband: true, CertFile: secure.CertFile, KeyFile: secure.KeyFile}
	address, _ := phone.Ring(t)
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: address, From: "alice", To: "bob", Wideband: true})
	require.NoError(t, err)
	leg.Play(wideTone(2*time.Second, 5000))
	hearsWide(t, leg, siptest.SoftphoneTone)
	require.Eventually(t, func() bool { return leg.Queued() == 0 }, testWait, 10*time.Millisecond)
	require.NoError(t, leg.Hangup(within(t)))
	for late := time.Now().Add(testWait); loudest(phone.Heard(), 5000/2) < 0.9; time.Sleep(10 * time.Millisecond) { // it writes on
		require.True(t, time.Now().Before(late), "the softphone hears us")
	}
}

// loudest returns the purity of the purest 20 ms of a tone.
func loudest(pcm []int16, hertz float64) (purity float64) {
	for at := 0; at+audio.MaxFrameLen <= len(pcm); at += audio.MaxFrameLen {
		purity = max(purity, audio.Purity(pcm[at:at+audio.MaxFrameLen], hertz))
	}
	return purity
}
