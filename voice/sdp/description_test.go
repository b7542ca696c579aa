package sdp

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
)

func body(lines ...string) []byte {
	return []byte("v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\n" + strings.Join(lines, "\r\n") + "\r\n")
}

const (
	connection = "c=IN IP4 192.0.2.1"
	timing     = "t=0 0"
)

func written(t *testing.T, l *local) string {
	t.Helper()
	raw, err := l.marshal()
	require.NoError(t, err)
	return string(raw)
}

func TestReadingOffers(t *testing.T) {
	t.Parallel()
	here := netip.MustParseAddrPort("192.0.2.1:4000")
	both := []media.Format{{Payload: 8, Codec: media.PCMA}, {Payload: 0, Codec: media.PCMU}}
	for name, c := range map[string]struct {
		body []byte
		want description
	}{
		"static payload types need no rtpmap": {
			body(connection, timing, "m=audio 4000 RTP/AVP 8 0"),
			description{remote: here, formats: both, events: media.NoPayload, text: media.NoPayload, direction: sendRecv},
		},
		"events and text": {
			body(connection, timing, "m=audio 4000 RTP/AVP 8 0 96 98", "a=rtpmap:96 telephone-event/8000", "a=rtpmap:98 t140c/8000"),
			description{remote: here, formats: both, events: 96, text: 98, direction: sendRecv},
		},
		"names are case-insensitive and may count channels": {
			body(connection, timing, "m=audio 4000 RTP/AVP 97", "a=rtpmap:97 pcma/8000/1"),
			description{remote: here, formats: []media.Format{{Payload: 97, Codec: media.PCMA}}, events: media.NoPayload,
				text: media.NoPayload, direction: sendRecv},
		},
		"events of another rate are not ours": {
			body(connection, timing, "m=audio 4000 RTP/AVP 0 8 101", "a=rtpmap:101 telephone-event/48000"),
			description{remote: here, formats: []media.Format{{Payload: 0, Codec: media.PCMU}, {Payload: 8, Codec: media.PCMA}},
				events: media.NoPayload, text: media.NoPayload, direction: sendRecv},
		},
		"session direction": {
			body(connection, timing, "a=sendonly", "m=audio 4000 RTP/AVP 8 0"),
			description{remote: here, formats: both, events: media.NoPayload, text: media.NoPayload, direction: sendOnly},
		},
		"media direction goes before": {
			body(connection, timing, "a=sendonly", "m=audio 4000 RTP/AVP 8 0", "a=inactive"),
			description{remote: here, formats: both, events: media.NoPayload, text: media.NoPayload, direction: inactive},
		},
		"media address goes before": {
			body("c=IN IP4 198.51.100.7", timing, "m=audio 4000 RTP/AVP 8 0", "c=IN IP4 192.0.2.1/127"),
			description{remote: here, formats: both, events: media.NoPayload, text: media.NoPayload, direction: sendRecv},
		},
		"hold by address": {
			body("c=IN IP4 0.0.0.0", timing, "m=audio 4000 RTP/AVP 8 0"),
			description{remote: netip.MustParseAddrPort("0.0.0.0:4000"), formats: both, events: media.NoPayload, text: media.NoPayload,
				direction: inactive},
		},
		"IPv6": {
			body("c=IN IP6 2001:db8::1", timing, "m=audio 4000 RTP/AVP 8 0"),
			description{remote: netip.MustParseAddrPort("[2001:db8::1]:4000"), formats: both, events: media.NoPayload,
				text: media.NoPayload, direction: sendRecv},
		},
	} {
		got, err := describe(c.body)
		require.NoError(t, err, name)
		got.streams, got.control = nil, netip.AddrPort{}
		require.Equal(t, &c.want, got, name)
	}
}

func TestTheLastLineNeedsNoEnd(t *testing.T) {
	t.Parallel()
	raw := body(connection, timing, "m=audio 4000 RTP/AVP 8", "a=sendonly")
	got, err := describe([]byte(strings.TrimSuffix(string(raw), "\r\n")))
	require.NoError(t, err)
	require.Equal(t, sendOnly, got.direction)
}

func TestOddBodiesAreRead(t *testing.T) {
	t.Parallel()
	const head, sound = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\n", "m=audio 4000 RTP/AVP 0"
	for name, text := range map[string]string{
		"bandwidth first": head + "s=-\r\nb=AS:64\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n" + sound +
			"\r\nb=TIAS:64000\r\na=ptime:30\r\n",
		"bandwidth of its own": head + "s=-\r\nc=IN IP4 192.0.2.1\r\nb=FOO:64.5\r\nt=0 0\r\n" + sound + "\r\n",
		"time first":           head + "s=-\r\nt=0 0\r\nc=IN IP4 192.0.2.1\r\n" + sound + "\r\n",
		"attribute first":      head + "s=-\r\nc=IN IP4 192.0.2.1\r\na=sendrecv\r\nt=0 0\r\n" + sound + "\r\n",
		"address last":         head + "s=-\r\nt=0 0\r\n" + sound + "\r\na=ptime:20\r\nc=IN IP4 192.0.2.1\r\n",
		"no name, no time":     head + "c=IN IP4 192.0.2.1\r\n" + sound + "\r\n",
		"owner with spaces":    "v=0\r\no=Some SBC -1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n" + sound + "\r\n",
		"lines of its own":     head + "s=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\ny=123\r\n" + sound + "\r\nf=v/1\r\n",
		"spaces":               head + "s= \r\nc=IN  IP4 192.0.2.1 \r\nt=0 0 \r\nm=audio 4000 RTP/AVP  0 \r\na=sendrecv \r\n",
		"bare ends of lines":   strings.ReplaceAll(head, "\r", "") + "s=-\nc=IN IP4 192.0.2.1\nt=0 0\n" + sound + "\n\n\x00",
		"other letters":        head + "s=-\r\nc=in ip4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 rtp/avp 0\r\n",
		"fax beside sound": head + "s=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n" + sound +
			"\r\nm=image 4002 udptl t38\r\na=T38FaxVersion:0\r\na=sendonly\r\n",
		"connectivity checks": head + "s=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\na=group:BUNDLE a\r\n" + sound +
			"\r\na=ice-ufrag:x\r\na=candidate:1 1 UDP 2 192.0.2.9 4000 typ host\r\n",
	} {
		got, err := describe([]byte(text))
		require.NoError(t, err, name)
		require.Equal(t, netip.MustParseAddrPort("192.0.2.1:4000"), got.remote, name)
		require.Equal(t, []media.Format{{Payload: 0, Codec: media.PCMU}}, got.formats, name)
		require.Equal(t, sendRecv, got.direction, name)
	}
}

func TestOffersWeCannotTake(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"nothing":      nil,
		"no sdp":       []byte("hello"),
		"no audio":     body(connection, timing, "m=video 4000 RTP/AVP 31"),
		"refused":      body(connection, timing, "m=audio 0 RTP/AVP 0"),
		"encrypted":    body(connection, timing, "m=audio 4000 RTP/SAVP 0"),
		"other codecs": body(connection, timing, "m=audio 4000 RTP/AVP 18 4"),
		"no address":   body(timing, "m=audio 4000 RTP/AVP 0"),
		"host name":    body("c=IN IP4 example.org", timing, "m=audio 4000 RTP/AVP 0"),
		"half a line":  body(connection, timing, "m=audio 4000"),
		"only fax":     body(connection, timing, "m=image 4002 udptl t38"),
		"port":         body(connection, timing, "m=audio 400000 RTP/AVP 0"),
		"0 is remade":  body(connection, timing, "m=audio 4000 RTP/AVP 0", "a=rtpmap:0 opus/48000/2"),
	} {
		_, err := describe(raw)
		require.Error(t, err, name)
	}
}

func TestAnAnswerMentionsEveryStream(t *testing.T) {
	t.Parallel()
	far, err := describe(body(connection, timing, "m=video 5000 RTP/AVP 31", "m=audio 4000 RTP/AVP 18 8 0 101",
		"a=rtpmap:101 telephone-event/8000", "a=sendonly", "m=audio 6000 RTP/SAVP 0", "m=image 4002 udptl t38"))
	require.NoError(t, err)
	local := newLocal(netip.MustParseAddrPort("198.51.100.1:7000"), true, false)
	local.answerTo(far, sendRecv, new(rtp.Keyring))
	text := written(t, &local)
	require.Contains(t, text, "c=IN IP4 198.51.100.1\r\n")
	require.Contains(t, text, "m=video 0 RTP/AVP 31\r\nm=audio 7000 RTP/AVP 8 101\r\n")
	require.Contains(t, text, "a=recvonly\r\nm=audio 0 RTP/SAVP 0\r\nm=image 0 udptl t38\r\n")
	require.NotContains(t, text, "t140c", "it was not offered")

	back, err := describe([]byte(text))
	require.NoError(t, err)
	require.Equal(t, []media.Format{{Payload: 8, Codec: media.PCMA}}, back.formats)
}

func TestOfferReadsBack(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"198.51.100.1:7000", "[2001:db8::2]:7000"} {
		local := newLocal(netip.MustParseAddrPort(addr), true, false)
		far, err := describe([]byte(written(t, &local)))
		require.NoError(t, err)
		require.Equal(t, addr, far.remote.String())
		require.Equal(t, ourFormats(false), far.formats)
		require.Equal(t, uint8(payloadEvents), far.events)
		require.Equal(t, uint8(payloadText), far.text)
	}
}

func TestDirectionsMeet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		far, ours      direction
		sends, expects bool
		answer         direction
	}{
		{sendRecv, sendRecv, true, true, sendRecv},
		{sendOnly, sendRecv, false, true, recvOnly},
		{recvOnly, sendRecv, true, false, sendOnly},
		{inactive, sendRecv, false, false, inactive},
		{sendRecv, sendOnly, true, false, sendOnly},
		{sendOnly, sendOnly, false, false, inactive},
	} {
		far := &description{formats: ourFormats(false), events: media.NoPayload, text: media.NoPayload, direction: c.far}
		r := settle(far, c.ours, false)
		require.Equal(t, c.sends, r.Sends, "%v", c)
		require.Equal(t, c.expects, r.Expects, "%v", c)
		var ours local
		ours.answerTo(far, c.ours, new(rtp.Keyring))
		require.Equal(t, c.answer, ours.direction, "%v", c)
	}
}

func FuzzParseSDP(f *testing.F) {
	f.Add(body(connection, timing, "a=sendonly", "m=audio 4000/2 RTP/AVP 8 0 101", "a=rtpmap:101 telephone-event/8000"))
	f.Add(body("c=IN IP6 ::1/3", timing, "m=video 1 RTP/AVP 31", "m=audio 4000 RTP/AVP 98", "a=rtpmap:98 PCMU/8000"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		far, err := describe(raw)
		if err != nil {
			return
		}
		local := newLocal(netip.MustParseAddrPort("192.0.2.9:9000"), true, false)
		local.answerTo(far, sendRecv, new(rtp.Keyring))
		back, err := describe([]byte(written(t, &local)))
		require.NoError(t, err, "our answer has to be readable")
		require.Equal(t, far.formats[0].Codec, back.formats[0].Codec)
	})
}

func TestWhereReportsGo(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string]string{
		"a=x": "192.0.2.1:4001", "a=rtcp:9": "192.0.2.1:9", "a=rtcp:9 IN IP6 2001:db8::1": "[2001:db8::1]:9",
		"a=rtcp:70000": "192.0.2.1:4001", "a=rtcp:9 IN IP4 host": "192.0.2.1:4001", "a=rtcp:": "192.0.2.1:4001",
	} {
		far, err := describe(body(connection, timing, "m=audio 4000 RTP/AVP 0", attribute))
		require.NoError(t, err)
		require.Equal(t, want, far.control.String(), attribute)
	}
}

func TestReportsThatShareThePort(t *testing.T) {
	t.Parallel()
	far, err := describe(body(connection, timing, "m=audio 4000 RTP/AVP 0", "a=rtcp:4007 IN IP4 192.0.2.9", "a=rtcp-mux"))
	require.NoError(t, err)
	require.Equal(t, "192.0.2.9:4007", far.control.String())
	local := newLocal(netip.MustParseAddrPort("198.51.100.1:7000"), false, false)
	require.NotContains(t, written(t, &local), "rtcp-mux", "we do not ask for it")
	local.answerTo(far, sendRecv, new(rtp.Keyring))
	require.Contains(t, written(t, &local), "a=rtcp-mux\r\n")
}
