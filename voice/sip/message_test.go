package sip

import (
	"fmt"
	"net/netip"
	"testing"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sip/wire"
)

func parseMessage(t *testing.T, text string) siplib.Message {
	t.Helper()
	msg, err := siplib.NewParser().ParseSIP([]byte(text))
	require.NoError(t, err)
	return msg
}

const invite = "INVITE sip:42@192.0.2.1 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bKa\r\n" +
	"Record-Route: <sip:192.0.2.5;lr>, <sip:192.0.2.6:5080;lr>\r\nRecord-Route: <sip:proxy.example.org;lr;x=a>\r\n" +
	"From: \"A, B\" <sip:me@example.org>;tag=far\r\nTo: <sip:42@example.org>\r\nCall-ID: abc@x\r\nCSeq: 7 INVITE\r\n" +
	"Contact: <sip:me@10.0.0.1:5070>\r\nContent-Length: 0\r\n\r\n"

func TestTheDialogOfACallee(t *testing.T) {
	t.Parallel()
	req := parseMessage(t, invite).(*siplib.Request)
	req.SetSource("198.51.100.9:40000")
	d, err := wire.DialogOfCallee(req, "near", wire.Reach{Allows: netip.MustParsePrefix("192.0.2.0/24").Contains})
	require.NoError(t, err)
	require.Equal(t, Dialog{
		CallID: "abc@x", LocalURI: "sip:42@example.org", LocalTag: "near", RemoteURI: "sip:me@example.org", RemoteTag: "far",
		Target: "sip:me@10.0.0.1:5070", NextHop: "192.0.2.5:5060",
		Routes: []string{"<sip:192.0.2.5;lr>", "<sip:192.0.2.6:5080;lr>", "<sip:proxy.example.org;lr;x=a>"},
	}, d)

	for req.RemoveHeader("Record-Route") {
	}
	d, err = wire.DialogOfCallee(req, "near", wire.Reach{})
	require.NoError(t, err)
	require.Equal(t, "198.51.100.9:40000", d.NextHop, "a private contact leads nowhere")
}

func TestTheDialogOfACallerTurnsTheRouteAround(t *testing.T) {
	t.Parallel()
	req := parseMessage(t, invite).(*siplib.Request)
	res := siplib.NewResponseFromRequest(req, 200, "OK", nil)
	res.AppendHeader(&siplib.ContactHeader{Address: siplib.Uri{Scheme: "sip", User: "x", Host: "10.9.9.9"}})
	d, err := wire.DialogOfCaller(req, res, wire.Reach{})
	require.NoError(t, err)
	require.Equal(t, "192.0.2.1:5060", d.NextHop, "the proxy knows the way")
	require.Equal(t, "<sip:192.0.2.5;lr>", d.Routes[2])
	bye, err := d.Request(siplib.BYE)
	require.NoError(t, err)
	require.Equal(t, "BYE sip:x@10.9.9.9 SIP/2.0", bye.StartLine())
	require.Len(t, bye.GetHeaders("Route"), 3)
	require.Equal(t, "192.0.2.1:5060", bye.Destination())

	res.RemoveHeader("Contact")
	d, err = wire.DialogOfCaller(req, res, wire.Reach{})
	require.NoError(t, err)
	require.Equal(t, req.Recipient.String(), d.Target, "who names no address is reached as before")
}

func TestKeysInINFO(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, body string
		want       byte
	}{
		{"application/dtmf-relay", "Signal=5\r\nDuration=160", '5'},
		{"Application/DTMF-Relay; x=y", "signal = #\n", '#'},
		{"application/dtmf", " d\r\n", 'D'},
		{"application/dtmf-relay", "Signal=11", '#'},
		{"application/dtmf-relay", "Signal=16", 0},
		{"application/dtmf-relay", "Duration=5", 0},
		{"application/sdp", "5", 0},
		{"application/dtmf", "", 0},
	} {
		require.Equal(t, c.want, infoKey(c.kind, []byte(c.body)), "%v", c)
	}
}

func TestTransferNews(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"SIP/2.0 200 OK\r\n": 200, "SIP/2.0 100 Trying": 100, "SIP/2.0 9999 x": 0, "HTTP/1.1 200 OK": 0, "": 0, "SIP/2.0 abc": 0,
	} {
		require.Equal(t, want, sipfragCode([]byte(text)), text)
	}
}

func TestSilenceAndBrokenTransportsAreRefusals(t *testing.T) {
	t.Parallel()
	for err, code := range map[error]int{
		fmt.Errorf("timer B: %w", siplib.ErrTransactionTimeout): 408, siplib.ErrTransactionTransport: 503,
	} {
		var refused *Refused
		require.ErrorAs(t, noAnswer(err), &refused)
		require.Equal(t, code, refused.Code)
		require.ErrorIs(t, noAnswer(err), err)
	}
}
