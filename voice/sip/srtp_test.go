package sip

import (
	"testing"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sdp"
)

func TestEncryptedCalls(t *testing.T) {
	t.Parallel()
	for _, asked := range []SRTP{SRTPOptional, SRTPRequired} {
		caller, callee := call(t, Dial{SRTP: asked, Captions: true})
		caller.Play(audio.Tone(testWait, -15, 400))
		callee.Play(audio.Tone(testWait, -15, 900))
		hears(t, callee, 400)
		hears(t, caller, 900)
		require.NoError(t, caller.Hold(within(t), true))
		require.NoError(t, caller.Hold(within(t), false), "keys stay through other offers")
		callee.SendDigits("5")
		next(t, caller, func(item audio.Incoming) bool { return item.Digit == '5' })
		for _, leg := range []*Leg{caller, callee} {
			require.True(t, leg.Stats().Encrypted)
			require.Zero(t, leg.Stats().Strays)
		}
		require.NoError(t, callee.Hangup(within(t)))
	}
}

func TestSippDoesNotEncrypt(t *testing.T) {
	t.Parallel()
	addr, ended := called(t, "uas_answer.xml", "-rtp_echo")
	leg, err := listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1", SRTP: SRTPOptional})
	require.NoError(t, err)
	leg.Play(audio.Tone(testWait, -15, 400))
	hears(t, leg, 400)
	require.False(t, leg.Stats().Encrypted)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, receive(t, ended))

	addr, ended = called(t, "uas_answer.xml")
	_, err = listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1", SRTP: SRTPRequired})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 488, refused.Code)
	require.ErrorIs(t, err, sdp.ErrNotEncrypted)
	require.NoError(t, receive(t, ended), "it gets its BYE")
}

// The first offer has a key, the second is of the encrypted profile, and the third has none.
func TestAPeerThatRefusesKeysIsAskedWithout(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := make(chan *Leg, 1)
	go func() {
		leg, err := ua.Dial(within(t), Dial{Proxy: c.addr(), To: "42", SRTP: SRTPOptional})
		if err != nil {
			t.Errorf("dial: %v", err)
			return
		}
		answered <- leg
	}()
	first := c.asked(siplib.INVITE)
	require.Contains(t, string(first.Body()), "a=crypto:1 ")
	require.Contains(t, string(first.Body()), " RTP/AVP ")
	c.reply(first, "488 Not Acceptable Here", "far")
	c.asked(siplib.ACK)
	second := c.asked(siplib.INVITE)
	require.Contains(t, string(second.Body()), " RTP/SAVP ")
	c.reply(second, "488 Not Acceptable Here", "far")
	c.asked(siplib.ACK)
	third := c.asked(siplib.INVITE)
	require.NotContains(t, string(third.Body()), "crypto")
	require.Equal(t, first.CSeq().SeqNo+2, third.CSeq().SeqNo)
	c.reply(third, "200 OK", "far", sdpType, plainOffer)
	c.asked(siplib.ACK)
	leg := receive(t, answered)
	c.hangsUpAtLast(leg)
	require.False(t, leg.Stats().Encrypted)
}
