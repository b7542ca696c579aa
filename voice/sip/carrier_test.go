package sip

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
)

// carrier is a far end that writes its messages by hand, as no library would let it.
type carrier struct {
	t        *testing.T
	conn     *net.UDPConn
	to       netip.AddrPort // the user agent
	branches int
	unread   []siplib.Message
}

func newCarrier(t *testing.T, to netip.AddrPort) *carrier {
	t.Helper()
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback, 0)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return &carrier{t: t, conn: conn, to: to}
}

func (c *carrier) addr() string { return c.conn.LocalAddr().String() }

func (c *carrier) write(text string, to netip.AddrPort) {
	c.t.Helper()
	_, err := c.conn.WriteToUDPAddrPort([]byte(text), to)
	require.NoError(c.t, err)
}

// dialogLines are the headers of a caller's requests; the tag of the called party may be empty.
func (c *carrier) dialogLines(callID, toTag string) []string {
	to := "To: <sip:42@127.0.0.1>"
	if toTag != "" {
		to += ";tag=" + toTag
	}
	return []string{"From: <sip:+31201234567@127.0.0.1>;tag=far", to, "Call-ID: " + callID}
}

// request sends a request with more headers and perhaps a body behind an empty line; a new transaction.
func (c *carrier) request(method string, sequence int, lines ...string) {
	c.t.Helper()
	c.branches++
	c.requestIn(fmt.Sprintf("z9hG4bK%d", c.branches), method, sequence, lines...)
}

func (c *carrier) requestIn(branch, method string, sequence int, lines ...string) {
	c.t.Helper()
	head, content, _ := strings.Cut(strings.Join(lines, "\r\n"), "\r\n\r\n")
	c.write(fmt.Sprintf("%s sip:42@%s SIP/2.0\r\nVia: SIP/2.0/UDP %s;rport;branch=%s\r\nMax-Forwards: 70\r\nCSeq: %d %s\r\n"+
		"Contact: <sip:%s>\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
		method, c.to, c.addr(), branch, sequence, method, c.addr(), head, len(content), content), c.to)
}

// answer waits for the final answer to a request by its CSeq.
func (c *carrier) answer(method string, sequence int) *siplib.Response {
	c.t.Helper()
	for {
		if res := c.response(method, sequence); !res.IsProvisional() {
			return res
		}
	}
}

// response waits for the next answer to a request by its CSeq.
func (c *carrier) response(method string, sequence int) *siplib.Response {
	c.t.Helper()
	return await(c, func(res *siplib.Response) bool {
		return string(res.CSeq().MethodName) == method && int(res.CSeq().SeqNo) == sequence
	})
}

// await waits for a message that fits; what else comes is kept for later.
func await[M siplib.Message](c *carrier, fits func(M) bool) M {
	c.t.Helper()
	for i, msg := range c.unread {
		if m, is := msg.(M); is && fits(m) {
			c.unread = append(c.unread[:i], c.unread[i+1:]...)
			return m
		}
	}
	b := make([]byte, 65536)
	require.NoError(c.t, c.conn.SetReadDeadline(time.Now().Add(testWait)))
	for {
		n, from, err := c.conn.ReadFromUDPAddrPort(b)
		require.NoError(c.t, err, "nothing of the kind came")
		msg := parseMessage(c.t, string(b[:n]))
		if req, is := msg.(*siplib.Request); is {
			req.SetSource(from.String())
		}
		if m, is := msg.(M); is && fits(m) {
			return m
		}
		c.unread = append(c.unread, msg)
	}
}

// asked waits for a request of that method.
func (c *carrier) asked(method siplib.RequestMethod) *siplib.Request {
	c.t.Helper()
	return await(c, func(req *siplib.Request) bool { return req.Method == method })
}

// reply answers a request with more headers and perhaps a body behind an empty line.
func (c *carrier) reply(req *siplib.Request, status, tag string, lines ...string) {
	c.t.Helper()
	head, content, _ := strings.Cut(strings.Join(lines, "\r\n"), "\r\n\r\n")
	if head != "" {
		head += "\r\n"
	}
	to := siplib.HeaderClone(req.To()).(*siplib.ToHeader)
	if tag != "" {
		to.Params.Add("tag", tag)
	}
	source := netip.MustParseAddrPort(req.Source())
	c.write(fmt.Sprintf("SIP/2.0 %s\r\n%s\r\n%s\r\n%s\r\n%s\r\n%s\r\nContact: <sip:%s>\r\n%sContent-Length: %d\r\n\r\n%s",
		status, req.Via(), req.From(), to, req.CallID(), req.CSeq(), c.addr(), head, len(content), content), source)
}

const sdpType = "Content-Type: application/sdp"

var plainOffer = "\r\n" + string(body(connection, timing, "m=audio 4000 RTP/AVP 0 8 101", "a=rtpmap:101 telephone-event/8000"))
