package sdp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
)

// negotiate returns a negotiation, and what it agreed on last.
func negotiate(wideband bool) (n *Negotiation, agreed func() media.Codec) {
	var route *rtp.Route
	n = New(netip.MustParseAddrPort("198.51.100.1:7000"), Wishes{Wideband: wideband}, func(r *rtp.Route) { route = r })
	return n, func() media.Codec { return route.Send.Codec }
}

func audioOf(formats string) []byte { return body(connection, timing, "m=audio 4000 RTP/AVP "+formats) }

func TestG722IsOfferedFirst(t *testing.T) {
	t.Parallel()
	n, agreed := negotiate(true)
	offer, err := n.Offer()
	require.NoError(t, err)
	require.Contains(t, string(offer), "RTP/AVP 9 0 8 101\r\na=rtpmap:9 G722/8000\r\n")
	require.NoError(t, n.Accept(audioOf("9 101")))
	require.Equal(t, media.G722, agreed())

	n, _ = negotiate(false)
	offer, err = n.Offer()
	require.NoError(t, err)
	require.NotContains(t, string(offer), "G722")
}

func TestAnAnswerTakesWhatTheFarEndPrefers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		offer    string
		wideband bool
		codec    media.Codec
		answer   string
	}{
		{"9 8 0", true, media.G722, "RTP/AVP 9\r\n"},
		{"8 9 0", true, media.PCMA, "RTP/AVP 8\r\n"},
		{"9 8 0", false, media.PCMA, "RTP/AVP 8\r\n"},
	} {
		n, agreed := negotiate(c.wideband)
		answer, err := n.Answer(audioOf(c.offer), 1)
		require.NoError(t, err)
		require.Contains(t, string(answer), c.answer)
		require.Equal(t, c.codec, agreed())
	}
	n, _ := negotiate(false)
	_, err := n.Answer(audioOf("9"), 1)
	require.ErrorIs(t, err, errNoCodec)
}

func TestALaterOfferKeepsTheCodec(t *testing.T) {
	t.Parallel()
	for answer, again := range map[string]string{"9": "RTP/AVP 9 0 8 101", "8": "RTP/AVP 8 0 101", "0": "RTP/AVP 0 8 101"} {
		n, _ := negotiate(true)
		_, err := n.Offer()
		require.NoError(t, err)
		require.NoError(t, n.Accept(audioOf(answer)))
		offer, undo, err := n.Hold(true)
		require.NoError(t, err)
		require.Contains(t, string(offer), again)
		undo()
	}
}
