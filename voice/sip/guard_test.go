package sip

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// sampleKey is the key of the examples in RFC 4568.
const sampleKey = "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"

func TestReadingKeys(t *testing.T) {
	t.Parallel()
	for value, usable := range map[string]bool{
		"1 AES_CM_128_HMAC_SHA1_80 " + sampleKey:                                 true,
		"7 aes_cm_128_hmac_sha1_80 " + sampleKey + "|2^20":                       true,
		"1 AES_CM_128_HMAC_SHA1_32 " + sampleKey:                                 false,
		"1 AES_CM_128_HMAC_SHA1_80 " + sampleKey + "|2^20|1:4":                   false,
		"1 AES_CM_128_HMAC_SHA1_80 " + sampleKey + ";" + sampleKey:               false,
		"1 AES_CM_128_HMAC_SHA1_80 " + sampleKey + " UNENCRYPTED_SRTP":           false,
		"1 AES_CM_128_HMAC_SHA1_80 inline:WVNf":                                  false,
		"1 AES_CM_128_HMAC_SHA1_80 inline:####":                                  false,
		"x AES_CM_128_HMAC_SHA1_80 " + sampleKey:                                 false,
		"-1 AES_CM_128_HMAC_SHA1_80 " + sampleKey:                                false,
		"1 AES_CM_128_HMAC_SHA1_80 uri:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz": false,
		"": false,
	} {
		c := parseCrypto(value)
		require.Equal(t, usable, c != nil, value)
		if usable {
			require.Len(t, c.key, masterLen+saltLen)
			require.Equal(t, c, parseCrypto(c.String()))
		}
	}
}

func TestChoosingBetweenStreams(t *testing.T) {
	t.Parallel()
	const plain, safe = "m=audio 4000 RTP/AVP 0", "m=audio 5000 RTP/SAVP 0"
	key := "a=crypto:3 AES_CM_128_HMAC_SHA1_80 " + sampleKey
	for name, c := range map[string]struct {
		lines     []string
		port, tag int
		answer    string
	}{
		"plain":                     {[]string{plain}, 4000, 0, "m=audio 7000 RTP/AVP 0"},
		"safe":                      {[]string{safe, key}, 5000, 3, "m=audio 7000 RTP/SAVP 0"},
		"optional":                  {[]string{plain, key}, 4000, 3, "m=audio 7000 RTP/AVP 0"},
		"plain before safe":         {[]string{plain, safe, key}, 5000, 3, "m=audio 0 RTP/AVP 0\r\nm=audio 7000 RTP/SAVP 0"},
		"safe before plain":         {[]string{safe, key, plain}, 5000, 3, "m=audio 7000 RTP/SAVP 0"},
		"safe in a way we know not": {[]string{safe, "a=crypto:1 X " + sampleKey, plain}, 4000, 0, "m=audio 0 RTP/SAVP 0\r\nm=audio 7000 RTP/AVP 0"},
	} {
		far, err := parseSDP(body(append([]string{connection, timing}, c.lines...)...))
		require.NoError(t, err, name)
		require.EqualValues(t, c.port, far.remote.Port(), name)
		local := newOffer(netip.MustParseAddrPort("198.51.100.1:7000"), false)
		local.answerTo(far, sendRecv, new(keyring))
		text := string(local.marshal())
		require.Contains(t, text, c.answer, name)
		back, err := parseSDP([]byte(text))
		require.NoError(t, err, name)
		require.Equal(t, c.tag != 0, back.crypto != nil, name)
		if c.tag != 0 {
			require.Equal(t, c.tag, back.crypto.tag, name)
		}
	}
}

func TestKeysOutliveOffers(t *testing.T) {
	t.Parallel()
	here, there := new(keyring), new(keyring)
	ours, err := here.agree(there.ownKey())
	require.NoError(t, err)
	theirs, err := there.agree(here.ownKey())
	require.NoError(t, err)
	again, err := here.agree(there.ownKey())
	require.NoError(t, err)
	require.Same(t, ours, again, "counters go on")

	raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1}, Payload: []byte("sound")}).Marshal()
	require.NoError(t, err)
	sealed, err := ours.seal(nil, raw, new(rtp.Header))
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "sound")
	opened, err := theirs.in.DecryptRTP(nil, sealed, nil)
	require.NoError(t, err)
	require.Equal(t, raw, opened)
	_, err = theirs.in.DecryptRTP(nil, sealed, nil)
	require.Error(t, err, "a copy is no news")

	changed, err := here.agree(bytes.Repeat([]byte{7}, masterLen+saltLen))
	require.NoError(t, err)
	require.Same(t, ours.out, changed.out, "only the far end has a new key")
	require.NotSame(t, ours.in, changed.in)
}

func TestEncryptedCalls(t *testing.T) {
	t.Parallel()
	for _, asked := range []SRTP{SRTPOptional, SRTPRequired} {
		caller, callee := call(t, Dial{SRTP: asked, Captions: true})
		caller.Play(audio.Tone(2*time.Second, -15, 400))
		callee.Play(audio.Tone(2*time.Second, -15, 900))
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
	leg.Play(audio.Tone(time.Second, -15, 400))
	hears(t, leg, 400)
	require.False(t, leg.Stats().Encrypted)
	require.NoError(t, leg.Hangup(within(t)))
	require.NoError(t, receive(t, ended))

	addr, ended = called(t, "uas_answer.xml")
	_, err = listen(t, Config{}).Dial(within(t), Dial{Proxy: addr, From: "+31201234567", To: "1", SRTP: SRTPRequired})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 488, refused.Code)
	require.ErrorIs(t, err, errNotEncrypted)
	require.NoError(t, receive(t, ended), "it gets its BYE")
}

func TestForgedPacketsAreNotHeard(t *testing.T) {
	t.Parallel()
	m := testMedia(t)
	here, there := new(keyring), new(keyring)
	r := *m.route.Load()
	var err error
	r.guard, err = here.agree(there.ownKey())
	require.NoError(t, err)
	m.agree(&r)
	receiver, from := newReceiver(m), netip.MustParseAddrPort("127.0.0.1:4000")
	raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1}, Payload: make([]byte, 160)}).Marshal()
	require.NoError(t, err)
	receiver.read(raw, from, m.now())
	require.Empty(t, m.inbox.items)
	require.Nil(t, m.learned.Load(), "nor is the forger's address learned")
	theirs, err := there.agree(here.ownKey())
	require.NoError(t, err)
	sealed, err := theirs.seal(nil, raw, new(rtp.Header))
	require.NoError(t, err)
	receiver.read(sealed, from, m.now())
	require.Len(t, m.inbox.items, 1)
}

func TestEncryptionAllocatesLittle(t *testing.T) {
	m := testMedia(t)
	here, there := new(keyring), new(keyring)
	r := *m.route.Load()
	var err error
	r.guard, err = here.agree(there.ownKey())
	require.NoError(t, err)
	m.agree(&r)
	s := newSender(m)
	m.sounded.Store(int64(time.Hour))
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { s.tick(0) }), 2.0)
}

func FuzzParseCrypto(f *testing.F) {
	f.Add("1 AES_CM_128_HMAC_SHA1_80 " + sampleKey + "|2^20")
	f.Fuzz(func(t *testing.T, value string) {
		if c := parseCrypto(value); c != nil {
			require.Equal(t, c, parseCrypto(c.String()))
		}
	})
}
