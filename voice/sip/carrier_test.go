package sip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sdp"
)

// carrier is a far end that writes its messages by hand, as no library would let it.
type carrier struct {
	t        *testing.T
	conn     *net.UDPConn
	to       netip.AddrPort // the user agent
	user     string         // that its requests name
	branches int
	unread   []siplib.Message
}

func newCarrier(t *testing.T, to netip.AddrPort) *carrier {
	t.Helper()
	return newCarrierAt(t, loopback, to)
}

func newCarrierAt(t *testing.T, ip netip.Addr, to netip.AddrPort) *carrier {
	t.Helper()
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return &carrier{t: t, conn: conn, to: to, user: "42"}
}

func (c *carrier) addr() string { return c.conn.LocalAddr().String() }

func (c *carrier) write(text string, to netip.AddrPort) {
	c.t.Helper()
	_, err := c.conn.WriteToUDPAddrPort([]byte(text), to)
	require.NoError(c.t, err)
}

// dialogLines returns the headers of a caller's requests; the tag of the called party may be empty.
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
	c.write(fmt.Sprintf("%s sip:%s@%s SIP/2.0\r\nVia: SIP/2.0/UDP %s;rport;branch=%s\r\nMax-Forwards: 70\r\nCSeq: %d %s\r\n"+
		"Contact: <sip:%s>\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
		method, c.user, c.to, c.addr(), branch, sequence, method, c.addr(), head, len(content), content), c.to)
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
		return res.CSeq() != nil && string(res.CSeq().MethodName) == method && int(res.CSeq().SeqNo) == sequence
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
	c.write(c.answerTo(req, status, tag, lines...), netip.MustParseAddrPort(req.Source()))
}

// answerTo is such an answer.
func (c *carrier) answerTo(req *siplib.Request, status, tag string, lines ...string) string {
	head, content, _ := strings.Cut(strings.Join(lines, "\r\n"), "\r\n\r\n")
	if head != "" {
		head += "\r\n"
	}
	to := siplib.HeaderClone(req.To()).(*siplib.ToHeader)
	if tag != "" {
		to.Params.Add("tag", tag)
	}
	return fmt.Sprintf("SIP/2.0 %s\r\n%s\r\n%s\r\n%s\r\n%s\r\n%s\r\nContact: <sip:%s>\r\n%sContent-Length: %d\r\n\r\n%s",
		status, req.Via(), req.From(), to, req.CallID(), req.CSeq(), c.addr(), head, len(content), content)
}

const sdpType = "Content-Type: application/sdp"

const plainOffer = "\r\nv=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n" +
	"m=audio 4000 RTP/AVP 0 8 101\r\na=rtpmap:101 telephone-event/8000\r\n"

// calls has the carrier call a user agent that answers, and gives the tag of that end and its leg.
func (c *carrier) calls(callID string, legs <-chan *Leg) (tag string, leg *Leg) {
	c.t.Helper()
	c.request("INVITE", 1, append(c.dialogLines(callID, ""), sdpType, plainOffer)...)
	tag = c.answer("INVITE", 1).To().Params.GetOr("tag", "")
	c.request("ACK", 1, c.dialogLines(callID, tag)...)
	leg = receive(c.t, legs)
	c.hangsUpAtLast(leg)
	return tag, leg
}

// hangsUpAtLast ends a call with the test, unless it is over.
func (c *carrier) hangsUpAtLast(leg *Leg) {
	c.t.Cleanup(func() {
		if !leg.ended() {
			c.inside(leg, "BYE", 1000)
			require.Equal(c.t, 200, c.answer("BYE", 1000).StatusCode)
		}
	})
}

// dialed has a user agent call the carrier, which answers.
func dialed(t *testing.T) (*carrier, *Leg) {
	t.Helper()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := dialAside(t, ua, c)
	c.reply(c.asked(siplib.INVITE), "200 OK", "far", sdpType, plainOffer)
	c.asked(siplib.ACK)
	leg := receive(t, answered)
	c.hangsUpAtLast(leg)
	return c, leg
}

// dialAside dials the carrier, to which the test has to answer meanwhile.
func dialAside(t *testing.T, ua *UA, c *carrier) <-chan *Leg {
	t.Helper()
	answered := make(chan *Leg, 1)
	go func() {
		leg, err := ua.Dial(within(t), Dial{Proxy: c.addr(), From: "+31201234567", To: "42", Username: "us", Password: "secret"})
		if err != nil {
			t.Errorf("dial: %v", err)
			return
		}
		answered <- leg
	}()
	return answered
}

// inside sends a request within the call that was made to the carrier.
func (c *carrier) inside(leg *Leg, method string, sequence int, lines ...string) {
	d := leg.Dialog()
	c.request(method, sequence, append([]string{
		fmt.Sprintf("From: <%s>;tag=%s", d.RemoteURI, d.RemoteTag), fmt.Sprintf("To: <%s>;tag=%s", d.LocalURI, d.LocalTag),
		"Call-ID: " + d.CallID,
	}, lines...)...)
}

func TestRequestsWhileItRings(t *testing.T) {
	t.Parallel()
	answered := make(chan error, 1)
	ua := listen(t, Config{Transfers: true, Inbound: func(ctx context.Context, in *Inbound) {
		if err := in.Ring(); err != nil {
			answered <- err
			return
		}
		<-in.Done()
		_, err := in.Answer(ctx)
		answered <- err
	}})
	c := newCarrier(t, ua.Addr())
	c.request("INVITE", 1, append(c.dialogLines("early", ""), sdpType, plainOffer)...)
	tag := c.response("INVITE", 1).To().Params.GetOr("tag", "")
	dialog := c.dialogLines("early", tag)

	c.request("UPDATE", 2, append(dialog, sdpType, plainOffer)...)
	early := c.answer("UPDATE", 2)
	require.Equal(t, 500, early.StatusCode, "an offer has to wait for the answer to the first")
	require.NotNil(t, early.GetHeader("Retry-After"))
	for i, method := range []string{"UPDATE", "INFO", "OPTIONS"} {
		c.request(method, 3+i, dialog...)
		require.Equal(t, 200, c.answer(method, 3+i).StatusCode, method)
	}
	c.request("REFER", 6, dialog...)
	require.Equal(t, 480, c.answer("REFER", 6).StatusCode)
	c.request("BYE", 7, c.dialogLines("early", "another")...)
	require.Equal(t, 481, c.answer("BYE", 7).StatusCode)

	c.request("BYE", 8, dialog...)
	require.Equal(t, 200, c.answer("BYE", 8).StatusCode)
	ended := c.answer("INVITE", 1)
	require.Equal(t, 487, ended.StatusCode)
	require.Equal(t, tag, ended.To().Params.GetOr("tag", ""))
	require.ErrorIs(t, receive(t, answered), ErrCancelled)
}

// The answer to our offer comes in the 183 alone.
func TestAnAnswerIsForetold(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := dialAside(t, ua, c)
	invite := c.asked(siplib.INVITE)
	c.reply(invite, "183 Session Progress", "far", sdpType, plainOffer)
	early := []string{strings.Replace(invite.To().String(), "To:", "From:", 1) + ";tag=far",
		strings.Replace(invite.From().String(), "From:", "To:", 1), invite.CallID().String()}
	c.request("UPDATE", 1, append(early, sdpType, plainOffer)...)
	require.Equal(t, 491, c.answer("UPDATE", 1).StatusCode, "our own offer is under way")
	c.request("UPDATE", 2, early...)
	require.Equal(t, 200, c.answer("UPDATE", 2).StatusCode)
	c.reply(invite, "180 Ringing", "far")
	c.reply(invite, "200 OK", "far")
	require.Equal(t, "far", c.asked(siplib.ACK).To().Params.GetOr("tag", ""))
	leg := receive(t, answered)
	c.hangsUpAtLast(leg)
	require.Equal(t, "192.0.2.1:4000", leg.media.Route().Remote.String())
}

func TestOptionsTellWhetherACallLives(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall})
	c := newCarrier(t, ua.Addr())
	tag, _ := c.calls("alive", legs)
	ua.Refuse()
	c.request("OPTIONS", 2, c.dialogLines("alive", tag)...)
	require.Equal(t, 200, c.answer("OPTIONS", 2).StatusCode, "the call goes on")
	c.request("OPTIONS", 3, c.dialogLines("dead", tag)...)
	require.Equal(t, 481, c.answer("OPTIONS", 3).StatusCode)
	for i, method := range []string{"OPTIONS", "INVITE"} {
		c.request(method, 4+i, append(c.dialogLines("new", ""), sdpType, plainOffer)...)
		res := c.answer(method, 4+i)
		require.Equal(t, 503, res.StatusCode, method)
		require.NotNil(t, res.GetHeader("Retry-After"), method)
	}
	_, err := ua.Dial(within(t), Dial{Proxy: listen(t, Config{}).Addr().String(), To: "1"})
	var refused *Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 404, refused.Code, "others can still be called")
}

// What OPTIONS tells is what an INVITE would meet, and responses are counted in both directions.
func TestOptionsTellWhetherACallWouldBeTaken(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	var mu sync.Mutex
	counted := map[string]int{}
	count := func(sent bool, method string, code int) {
		mu.Lock()
		defer mu.Unlock()
		counted[fmt.Sprint(sent, method, code)]++
	}
	taken := func() error {
		if full.Load() {
			return errors.New("full")
		}
		return nil
	}
	ua := listen(t, Config{Takes: taken, Count: count})
	c := newCarrier(t, ua.Addr())
	c.request("OPTIONS", 1, c.dialogLines("new", "")...)
	require.Equal(t, 200, c.answer("OPTIONS", 1).StatusCode)
	full.Store(true)
	c.request("OPTIONS", 2, c.dialogLines("new", "")...)
	res := c.answer("OPTIONS", 2)
	require.Equal(t, 503, res.StatusCode)
	require.NotNil(t, res.GetHeader("Retry-After"))

	_, err := ua.Dial(within(t), Dial{Proxy: listen(t, Config{}).Addr().String(), To: "1"})
	require.Error(t, err)
	mu.Lock()
	defer mu.Unlock()
	for what, times := range map[string]int{"trueOPTIONS200": 1, "trueOPTIONS503": 1, "falseINVITE404": 1} {
		require.Equal(t, times, counted[what], "%s of %v", what, counted)
	}
}

func TestAnAnswerThatComesTooLateIsHungUp(t *testing.T) {
	t.Parallel()
	ua := listenTimed(t, Config{}, func(timers *timers) { timers.t1 = 20 * time.Millisecond })
	c := newCarrier(t, ua.Addr())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := ua.Dial(ctx, Dial{Proxy: c.addr(), To: "42"})
		ended <- err
	}()
	invite := c.asked(siplib.INVITE)
	c.reply(invite, "180 Ringing", "far")
	cancel()
	require.ErrorIs(t, receive(t, ended), context.Canceled)
	c.asked(siplib.CANCEL) // it is never answered
	require.Eventually(t, func() bool {
		ua.mu.Lock()
		defer ua.mu.Unlock()
		return len(ua.lapsed) == 1
	}, testWait, time.Millisecond)
	c.reply(invite, "200 OK", "far", sdpType, plainOffer)
	c.asked(siplib.ACK)
	c.reply(c.asked(siplib.BYE), "200 OK", "")
}

func TestAProxyThatKnowsNoUpdate(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := dialAside(t, ua, c)
	c.reply(c.asked(siplib.INVITE), "200 OK", "far", "Allow: INVITE, UPDATE", "Session-Expires: 60;refresher=uac", sdpType,
		plainOffer)
	c.asked(siplib.ACK)
	leg := receive(t, answered)
	c.hangsUpAtLast(leg)
	refreshed := make(chan struct{})
	go func() {
		defer close(refreshed)
		leg.refreshSession()
	}()
	c.reply(c.asked(siplib.UPDATE), "405 Method Not Allowed", "")
	c.reply(c.asked(siplib.INVITE), "200 OK", "", "Session-Expires: 60;refresher=uac", sdpType, plainOffer)
	c.asked(siplib.ACK)
	receive(t, refreshed)
	interval, _ := leg.session.state()
	require.Equal(t, time.Minute, interval, "shorter than anybody may ask for, but it was the far end's word")
	c.inside(leg, "UPDATE", 1, "Supported: timer", "Session-Expires: 60")
	require.Equal(t, 200, c.answer("UPDATE", 1).StatusCode)
	c.inside(leg, "UPDATE", 2, "Supported: timer", "Session-Expires: 59")
	require.Equal(t, 422, c.answer("UPDATE", 2).StatusCode)
	c.inside(leg, "UPDATE", 3, "Supported: timer")
	require.Equal(t, 200, c.answer("UPDATE", 3).StatusCode)
	interval, _ = leg.session.state()
	require.Zero(t, interval, "the call has no timer any more")
	require.False(t, leg.ended())
}

// Carriers are many machines, and not all of them are known.
func TestRequestsOfACallComeFromElsewhere(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	known := netip.MustParseAddr("127.0.0.1")
	ua := listen(t, Config{Inbound: onCall, Screen: func(source netip.AddrPort) bool { return source.Addr() == known }})
	c := newCarrier(t, ua.Addr())
	_, leg := c.calls("spread", legs)
	elsewhere := newCarrierAt(t, netip.MustParseAddr("127.0.0.2"), ua.Addr())
	elsewhere.inside(leg, "OPTIONS", 2)
	elsewhere.user = leg.contact().Address.User
	elsewhere.inside(leg, "BYE", 3)
	require.Equal(t, 200, elsewhere.answer("BYE", 3).StatusCode)
	require.Empty(t, elsewhere.unread, "an unknown source gets no answer")
	require.Eventually(t, func() bool { return !ua.isOurs(elsewhere.user) }, testWait, time.Millisecond)
}

func TestExtensionsThatWeDoNotKnow(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall})
	c := newCarrier(t, ua.Addr())
	tag, leg := c.calls("plain", legs)
	for i, method := range []string{"UPDATE", "BYE", "INVITE"} {
		c.request(method, 2+i, append(c.dialogLines("plain", tag), "Require: timer, 100rel, x")...)
		res := c.answer(method, 2+i)
		require.Equal(t, 420, res.StatusCode, method)
		require.Equal(t, "100rel, x", res.GetHeader("Unsupported").Value(), method)
	}
	c.request("PUBLISH", 9, c.dialogLines("plain", tag)...)
	res := c.answer("PUBLISH", 9)
	require.Equal(t, 405, res.StatusCode)
	require.Contains(t, res.GetHeader("Allow").Value(), "INVITE")
	require.False(t, leg.ended())
}

func TestBodiesAroundTheOffer(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall})
	const mixed, isup = `Content-Type: multipart/mixed; boundary="b"`,
		"\r\n--b\r\nContent-Type: application/isup\r\n\r\n\x01\x10\r\n"
	for name, c := range map[string]struct {
		lines []string
		code  int
	}{
		"the offer among others": {[]string{mixed, isup + "--b\r\nContent-Type: application/sdp\r\n" + plainOffer + "\r\n--b--\r\n"},
			200},
		"no kind":               {[]string{plainOffer}, 200},
		"no offer among others": {[]string{mixed, isup + "--b--\r\n"}, 200},
		"another kind":          {[]string{"Content-Type: text/plain", "\r\nhello"}, 415},
		"no kind at all":        {[]string{"Content-Type: ;", "\r\nhello"}, 415},
		"parts without borders": {[]string{"Content-Type: multipart/mixed", isup}, 415},
		"half a part":           {[]string{mixed, "\r\n--b\r\nContent-Type"}, 415},
	} {
		carrier := newCarrier(t, ua.Addr())
		carrier.request("INVITE", 1, append(carrier.dialogLines(name, ""), c.lines...)...)
		res := carrier.answer("INVITE", 1)
		require.Equal(t, c.code, res.StatusCode, name)
		if c.code != 200 {
			require.Equal(t, sdp.MediaType, res.GetHeader("Accept").Value(), name)
			continue
		}
		ack := append(carrier.dialogLines(name, res.To().Params.GetOr("tag", "")), sdpType, plainOffer)
		carrier.request("ACK", 1, ack...)
		leg := receive(t, legs)
		carrier.hangsUpAtLast(leg)
		require.Equal(t, "192.0.2.1:4000", leg.media.Route().Remote.String(), name)
	}
}

func TestOffersThatHaveToWait(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall})
	c := newCarrier(t, ua.Addr())
	tag, leg := c.calls("waiting", legs)
	dialog := c.dialogLines("waiting", tag)

	c.request("INVITE", 5, append(dialog, "Supported: timer", "Session-Expires: 30")...)
	brief := c.answer("INVITE", 5)
	require.Equal(t, 422, brief.StatusCode)
	require.Equal(t, "90", brief.GetHeader("Min-SE").Value())

	c.request("INVITE", 10, dialog...)
	require.Equal(t, 200, c.answer("INVITE", 10).StatusCode)
	c.request("UPDATE", 11, append(dialog, sdpType, plainOffer)...)
	require.Equal(t, 491, c.answer("UPDATE", 11).StatusCode, "our offer has no answer yet")
	c.request("ACK", 10, append(dialog, sdpType, plainOffer)...)
	require.Eventually(t, func() bool {
		c.request("UPDATE", 12+c.branches, append(dialog, sdpType, plainOffer)...)
		return c.answer("UPDATE", 11+c.branches).IsSuccess()
	}, testWait, time.Millisecond)

	c.request("UPDATE", 4, append(dialog, sdpType, plainOffer)...)
	require.Equal(t, 500, c.answer("UPDATE", 4).StatusCode, "a later one came before")

	hungUp := make(chan error, 1)
	go func() { hungUp <- leg.Hangup(within(t)) }()
	bye := c.asked(siplib.BYE)
	c.request("UPDATE", 500, append(dialog, sdpType, plainOffer)...)
	require.Equal(t, 481, c.answer("UPDATE", 500).StatusCode, "it crosses our BYE")
	c.reply(bye, "200 OK", "")
	require.NoError(t, receive(t, hungUp))
}

// Each answer is repeated until its ACK comes, so a far end that sends none is not answered without end.
func TestOffersWithoutACKs(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall})
	c := newCarrier(t, ua.Addr())
	tag, _ := c.calls("unacknowledged", legs)
	dialog := c.dialogLines("unacknowledged", tag)
	offer := append(dialog, sdpType, plainOffer)

	const last = 1 + maxUnacknowledged
	for sequence := 2; sequence <= last; sequence++ {
		c.request("INVITE", sequence, offer...)
		require.Equal(t, 200, c.answer("INVITE", sequence).StatusCode)
	}
	c.request("INVITE", last, offer...)
	require.Eventually(t, func() bool {
		return c.answer("INVITE", last).StatusCode == siplib.StatusInternalServerError
	}, testWait, time.Millisecond, "who acknowledges one of two would have the other end the call")
	c.request("INVITE", last+1, offer...)
	refused := c.answer("INVITE", last+1)
	require.Equal(t, 500, refused.StatusCode)
	require.Equal(t, soonAgain, refused.GetHeader("Retry-After").Value())

	for sequence := 2; sequence <= last; sequence++ {
		c.request("ACK", sequence, dialog...)
	}
	require.Eventually(t, func() bool {
		c.request("INVITE", 100+c.branches, offer...)
		answered := c.answer("INVITE", 99+c.branches).IsSuccess()
		c.request("ACK", 99+c.branches, dialog...)
		return answered
	}, testWait, time.Millisecond)
}

// A server that answers an INVITE again and again, as another far end each time, is told so only so often at a time.
func TestAnswersOfManyForks(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := dialAside(t, ua, c)
	invite := c.asked(siplib.INVITE)
	c.reply(invite, "200 OK", "far", sdpType, plainOffer)
	c.hangsUpAtLast(receive(t, answered))
	for n := range 10 * maxForks {
		c.reply(invite, "200 OK", fmt.Sprint("fork", n), sdpType, plainOffer)
	}
	forks, asked := map[string]*siplib.Request{}, 0
	for ; asked < 3*maxForks; asked++ { // repetitions included
		bye := c.asked(siplib.BYE)
		forks[bye.To().Params.GetOr("tag", "")] = bye
	}
	require.LessOrEqual(t, len(forks), maxForks)
	for _, bye := range forks {
		c.reply(bye, "200 OK", "")
	}
}

func TestTransfersThatEndTheCall(t *testing.T) {
	t.Parallel()
	notify := func(status string) []string {
		return []string{"Event: refer", "Subscription-State: active", "Content-Type: message/sipfrag", "\r\nSIP/2.0 " + status}
	}
	for name, c := range map[string]struct {
		before, after string // what is told before the BYE and read after it
		code          int    // 0: the transfer is not confirmed
	}{
		"without a word":           {"", "", 200},
		"while it is tried":        {"100 Trying", "", 0},
		"with the word behind":     {"100 Trying", "200 OK", 200},
		"with a bad word behind":   {"", "486 Busy Here", 486},
		"with the word in its way": {"200 OK", "", 200},
	} {
		far, leg := dialed(t)
		ended := make(chan error, 1)
		go func() { ended <- leg.Transfer(within(t), "+31209999999") }()
		far.reply(far.asked(siplib.REFER), "202 Accepted", "")
		if c.before != "" {
			far.inside(leg, "NOTIFY", 1, notify(c.before)...)
			require.Equal(t, 200, far.answer("NOTIFY", 1).StatusCode, name)
		}
		far.inside(leg, "BYE", 2)
		require.Equal(t, 200, far.answer("BYE", 2).StatusCode, name)
		if c.after != "" {
			far.inside(leg, "NOTIFY", 3, notify(c.after)...)
			require.Equal(t, 200, far.answer("NOTIFY", 3).StatusCode, name)
		}
		err := receive(t, ended)
		refused, is := errors.AsType[*Refused](err)
		switch c.code {
		case 0:
			require.ErrorIs(t, err, errUnconfirmed, name)
		case 200:
			require.NoError(t, err, name)
		default:
			require.True(t, is, name)
			require.Equal(t, c.code, refused.Code, name)
		}
		require.Eventually(t, func() bool { return len(leg.ua.live()) == 0 }, testWait, time.Millisecond, name)
	}
}

const challenge = `Proxy-Authenticate: Digest realm="carrier", nonce="n1", algorithm=MD5, qop="%s"`

// proves checks an answer to a challenge.
func proves(t *testing.T, req *siplib.Request) {
	t.Helper()
	header := req.GetHeader("Proxy-Authorization")
	require.NotNil(t, header)
	sent, err := digest.ParseCredentials(header.Value())
	require.NoError(t, err)
	right, err := digest.Digest(&digest.Challenge{Realm: "carrier", Nonce: "n1", Algorithm: "MD5", QOP: []string{sent.QOP}},
		digest.Options{
			Method: string(req.Method), URI: req.Recipient.String(), Count: 1, Cnonce: sent.Cnonce, Username: "us", Password: "secret",
			GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(req.Body())), nil },
		})
	require.NoError(t, err)
	require.Equal(t, right.Response, sent.Response)
}

func TestChallengesThatCoverTheBody(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	c := newCarrier(t, ua.Addr())
	answered := dialAside(t, ua, c)
	c.reply(c.asked(siplib.INVITE), "407 Proxy Authentication Required", "far", fmt.Sprintf(challenge, "auth-int"))
	c.asked(siplib.ACK)
	again := c.asked(siplib.INVITE)
	proves(t, again)
	c.reply(again, "200 OK", "far", sdpType, plainOffer)
	c.hangsUpAtLast(receive(t, answered))
}

func TestAnOrphanProvesWhoItIs(t *testing.T) {
	t.Parallel()
	c, leg := dialed(t)
	ended := make(chan error, 1)
	go func() { ended <- listen(t, Config{}).EndOrphan(within(t), leg.Dialog(), "us", "secret") }()
	c.reply(c.asked(siplib.BYE), "407 Proxy Authentication Required", "", fmt.Sprintf(challenge, "auth"))
	again := c.asked(siplib.BYE)
	proves(t, again)
	c.reply(again, "200 OK", "")
	require.NoError(t, receive(t, ended))
}

func TestARegistrarAsksWithinACall(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	ua := listen(t, Config{Inbound: onCall, Screen: func(netip.AddrPort) bool { return false }})
	c := newCarrier(t, ua.Addr())
	_, end := registering(t, ua, Registration{Registrar: c.addr(), Username: "me", AuthUsername: "us", Password: "secret",
		Token: "42"})
	c.reply(c.asked(siplib.REGISTER), "200 OK", "registrar", "Expires: 600")
	_, leg := c.calls("asked", legs)
	hungUp := make(chan error, 1)
	go func() { hungUp <- leg.Hangup(within(t)) }()
	c.reply(c.asked(siplib.BYE), "407 Proxy Authentication Required", "", fmt.Sprintf(challenge, "auth"))
	again := c.asked(siplib.BYE)
	proves(t, again)
	c.reply(again, "200 OK", "")
	require.NoError(t, receive(t, hungUp))
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	c.reply(c.asked(siplib.REGISTER), "200 OK", "registrar")
	require.NoError(t, receive(t, ended))
}
