package sdp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/rtp"
)

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
			require.Len(t, c.key, rtp.KeyLen)
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
		"plain":             {[]string{plain}, 4000, 0, "m=audio 7000 RTP/AVP 0"},
		"safe":              {[]string{safe, key}, 5000, 3, "m=audio 7000 RTP/SAVP 0"},
		"optional":          {[]string{plain, key}, 4000, 3, "m=audio 7000 RTP/AVP 0"},
		"plain before safe": {[]string{plain, safe, key}, 5000, 3, "m=audio 0 RTP/AVP 0\r\nm=audio 7000 RTP/SAVP 0"},
		"safe before plain": {[]string{safe, key, plain}, 5000, 3, "m=audio 7000 RTP/SAVP 0"},
		"safe in a way we know not": {[]string{safe, "a=crypto:1 X " + sampleKey, plain}, 4000, 0,
			"m=audio 0 RTP/SAVP 0\r\nm=audio 7000 RTP/AVP 0"},
	} {
		far, err := describe(body(append([]string{connection, timing}, c.lines...)...))
		require.NoError(t, err, name)
		require.EqualValues(t, c.port, far.remote.Port(), name)
		local := newLocal(netip.MustParseAddrPort("198.51.100.1:7000"), false, false)
		local.answerTo(far, sendRecv, new(rtp.Keyring))
		text := written(t, &local)
		require.Contains(t, text, c.answer, name)
		back, err := describe([]byte(text))
		require.NoError(t, err, name)
		require.Equal(t, c.tag != 0, back.crypto != nil, name)
		if c.tag != 0 {
			require.Equal(t, c.tag, back.crypto.tag, name)
		}
	}
}

func FuzzParseCrypto(f *testing.F) {
	f.Add("1 AES_CM_128_HMAC_SHA1_80 " + sampleKey + "|2^20")
	f.Fuzz(func(t *testing.T, value string) {
		if c := parseCrypto(value); c != nil {
			require.Equal(t, c, parseCrypto(c.String()))
		}
	})
}
