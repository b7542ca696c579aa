package sip

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sip/wire"
)

// spoiled returns a message's variants in which one header is missing, empty, there twice or nonsense.
func spoiled(text string) (all []string) {
	head, content, _ := strings.Cut(text, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	with := func(i int, instead ...string) {
		other := append(append(append([]string(nil), lines[:i]...), instead...), lines[i+1:]...)
		all = append(all, strings.Join(other, "\r\n")+"\r\n\r\n"+content)
	}
	for i, line := range lines[1:] {
		name, _, _ := strings.Cut(line, ":")
		with(i + 1)
		with(i+1, name+":")
		with(i+1, line, line)
		for _, nonsense := range []string{"<", "\x00\xff;tag"} {
			with(i+1, name+": "+nonsense)
		}
	}
	return all
}

// The process serves everybody's calls, so nothing that one far end sends may end it.
func TestNoRequestBringsTheLineDown(t *testing.T) {
	t.Parallel()
	onCall, legs := answering(t)
	first := make(chan struct{}, 1)
	first <- struct{}{}
	ua := listen(t, Config{Transfers: true, Inbound: func(ctx context.Context, in *Inbound) {
		select {
		case <-first:
			onCall(ctx, in)
		default:
		}
	}})
	c := newCarrier(t, ua.Addr())
	live, leg := c.calls("x", legs)
	n := 1
	for _, method := range []string{"INVITE", "ACK", "CANCEL", "OPTIONS", "UPDATE", "INFO", "NOTIFY", "REFER", "REGISTER",
		"MESSAGE"} {
		for _, tag := range []string{"", ";tag=" + live, ";tag=none"} {
			lines := []string{
				method + " sip:42@127.0.0.1 SIP/2.0", "Via: SIP/2.0/UDP " + c.addr() + ";rport;branch=z9hG4bKBRANCH",
				"From: <sip:1@127.0.0.1>;tag=far",
				"To: <sip:42@127.0.0.1>" + tag, "Call-ID: x", "CSeq: 1BRANCH " + method, "Contact: <sip:" + c.addr() + ">", sdpType,
				"Require: timer",
				"Session-Expires: 90", "Refer-To: <sip:3@x>", "Record-Route: <sip:p;lr>", fmt.Sprint("Content-Length: ", len(plainOffer)-2),
				plainOffer,
			}
			for _, text := range spoiled(strings.Join(lines, "\r\n")) {
				n++
				c.write(strings.ReplaceAll(text, "BRANCH", fmt.Sprintf("%04d", n)), ua.Addr())
			}
		}
	}
	other := newCarrier(t, ua.Addr())
	other.request("OPTIONS", 1, other.dialogLines("alive", "")...)
	require.Equal(t, 200, other.answer("OPTIONS", 1).StatusCode)
	other.inside(leg, "BYE", 20000)
	require.Equal(t, 200, other.answer("BYE", 20000).StatusCode)
}

func TestNoAnswerBringsTheLineDown(t *testing.T) {
	t.Parallel()
	ua := listen(t, Config{})
	for _, status := range []string{"183 Session Progress", "200 OK", "401 Unauthorized", "503 Busy"} {
		for i := 0; ; i++ {
			c := newCarrier(t, ua.Addr())
			ended := make(chan error, 1)
			go func() {
				leg, err := ua.Dial(within(t), Dial{Proxy: c.addr(), To: "42", Username: "us", Password: "secret"})
				if err == nil {
					err = leg.Hangup(within(t))
				}
				ended <- err
			}()
			invite := c.asked(siplib.INVITE)
			all := spoiled(c.answerTo(invite, status, "far", sdpType, "Record-Route: <sip:"+c.addr()+";lr>", "Session-Expires: 90",
				"WWW-Authenticate: Digest realm=\"a\", nonce=\"b\"", "Min-SE: 100", "Retry-After: 1", plainOffer))
			if i == len(all) {
				c.reply(invite, "603 Decline", "far")
				require.Error(t, receive(t, ended))
				break
			}
			c.write(all[i], ua.Addr())
			c.request("OPTIONS", 1, c.dialogLines("alive", "")...) // which is read behind it
			c.answer("OPTIONS", 1)
			c.reply(invite, "603 Decline", "far") // in case it was not understood
			c.refusesUntil(ended)
		}
	}
}

// refusesUntil refuses new calls and agrees to the end of others until something has ended.
func (c *carrier) refusesUntil(ended <-chan error) {
	c.t.Helper()
	b := make([]byte, 65536)
	for {
		select {
		case <-ended:
			return
		default:
		}
		require.NoError(c.t, c.conn.SetReadDeadline(time.Now().Add(time.Millisecond)))
		n, from, err := c.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			continue
		}
		req, is := parseMessage(c.t, string(b[:n])).(*siplib.Request)
		if !is {
			continue
		}
		req.SetSource(from.String())
		switch req.Method {
		case siplib.INVITE:
			c.reply(req, "603 Decline", "far")
		case siplib.BYE, siplib.CANCEL:
			c.reply(req, "200 OK", "")
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(invite))
	f.Add([]byte("SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bKa;received=1.2.3.4;rport=9\r\nFrom: <sip:a@b>;tag=1\r\n" +
		"To: <tel:+1>;tag=2\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\nContact: <sip:a@b>;expires=9\r\nSession-Expires: 90;refresher=uac\r\n\r\n"))
	f.Add([]byte("SIP/2.0 401 No\r\nWWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth, auth-int\"\r\nRetry-After: 5;x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		msg, err := siplib.NewParser().ParseSIP(raw)
		if err != nil {
			return
		}
		readSession(msg)
		_, _ = sessionIn(msg)
		switch msg := msg.(type) {
		case *siplib.Request:
			if msg.Contact() != nil && msg.From() != nil && msg.To() != nil && msg.CallID() != nil {
				number(&msg.From().Address)
				d, err := wire.DialogOfCallee(msg, "tag", wire.Reach{})
				legible(t, d, err)
			}
		case *siplib.Response:
			wire.RefusedBy(msg)
			seenAt(msg.Via())
			granted(msg, "a", time.Minute)
			_, _ = new(wire.Authorization).Answer(siplib.NewRequest(siplib.INVITE, siplib.Uri{Host: "a"}), msg)
			if wire.WellFormed(msg) {
				d, err := wire.DialogOfCaller(parseMessage(t, invite).(*siplib.Request), msg, wire.Reach{})
				legible(t, d, err)
			}
		}
	})
}

// legible asserts that the requests of a dialog can be read in one way alone, whatever the far end wrote.
func legible(t *testing.T, d Dialog, err error) {
	t.Helper()
	if err != nil {
		return
	}
	bye, err := d.Request(siplib.BYE)
	if err != nil {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(bye.String(), "\r\n\r\n"), "\r\n") {
		require.False(t, strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }), "%q", line)
	}
	require.Len(t, strings.Fields(bye.StartLine()), 3, "%q", bye.StartLine())
}
