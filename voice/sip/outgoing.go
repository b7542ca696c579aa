package sip

import (
	"context"
	"errors"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// outgoing is an INVITE on its way.
type outgoing struct {
	ua       *UA
	dial     Dial
	media    *rtp.Session
	offers   *sdp.Negotiation
	offer    []byte           // the same in every attempt, as an answer to a challenge may cover it
	foretold *siplib.Response // the latest provisional answer with a body
	auth     wire.Authorization
	tag      string
	sequence uint32
	shortest time.Duration // session interval that somebody on the way insists on
	sent     bool
	answered chan answer     // unbuffered: an answer nobody waits for any more is hung up
	wanted   context.Context // ends when the caller gives up
	quit     context.CancelFunc
}

type answer struct {
	leg *Leg
	err error
}

func (ua *UA) newOutgoing(d Dial) (*outgoing, error) {
	d.complete()
	m, addr, err := ua.openMedia(wire.HostOf(d.Proxy))
	if err != nil {
		return nil, err
	}
	c := &outgoing{
		ua: ua, dial: d, media: m, offers: sdp.New(addr, d.SRTP.wishes(d.Captions), m.Agree), tag: siplib.GenerateTagN(16),
		auth:     wire.Authorization{Credentials: wire.Credentials{Username: d.Username, Password: d.Password}},
		answered: make(chan answer),
	}
	if c.offer, err = c.offers.Offer(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	c.wanted, c.quit = context.WithCancel(context.Background())
	return c, nil
}

// run sees the INVITE through to its end, whether or not anybody still waits for it.
func (c *outgoing) run() {
	defer c.ua.calls.Done()
	defer c.quit()
	ended := c.ua.awaitEarly(legKey{c.dial.CallID, c.tag}, early{"", c.early})
	defer ended()
	leg, err := c.attempt()
	if c.ua.ctx.Err() != nil { // answered or not, this call may not live
		err = errors.Join(media.ErrClosed, err)
		if leg != nil {
			leg.abort(media.ErrClosed)
			leg = nil
		}
	}
	if err != nil {
		err = errors.Join(err, c.media.Close())
	}
	select {
	case c.answered <- answer{leg, err}:
	case <-c.wanted.Done():
		if leg != nil {
			leg.abort(nil)
		}
	}
}

// attempt sends the INVITE, and again with wire.Credentials as long as that is what is missing.
func (c *outgoing) attempt() (*Leg, error) {
	if err := c.await(); err != nil {
		return nil, err
	}
	for {
		done, err := c.invite()
		if err != nil {
			return nil, err
		}
		if done.Res.IsSuccess() {
			return c.connect(done)
		}
		if c.sessionTooShort(done.Res) && !c.abandoned() {
			continue
		}
		again, err := c.auth.Answer(done.Req, done.Res)
		if err != nil {
			return nil, errors.Join(wire.RefusedBy(done.Res), err)
		}
		if !again || c.abandoned() {
			return nil, wire.RefusedBy(done.Res)
		}
	}
}

// await waits for the moment at which the INVITE may leave.
func (c *outgoing) await() error {
	wait := time.Until(c.dial.NotBefore)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.wanted.Done():
		return context.Canceled
	case <-c.ua.ctx.Done():
		return media.ErrClosed
	}
}

// sessionTooShort takes the interval that a 422 insists on; it is false for other answers, and for one that asks for
// less than it got.
func (c *outgoing) sessionTooShort(res *siplib.Response) bool {
	if res.StatusCode != statusSessionTooSmall {
		return false
	}
	before := max(c.shortest, c.ua.cfg.SessionExpires)
	c.shortest = seconds(res.GetHeader("Min-SE"))
	return c.shortest > before
}

// abandoned tells whether the caller gave up, or the user agent closes.
func (c *outgoing) abandoned() bool {
	return c.wanted.Err() != nil || c.ua.ctx.Err() != nil
}

// invite sends one INVITE and waits for its final answer.
func (c *outgoing) invite() (*wire.Exchanged, error) {
	req := c.request()
	ctx, stop := context.WithCancel(c.wanted) // which only opening a connection heeds
	defer context.AfterFunc(c.ua.ctx, stop)()
	defer stop()
	tx, err := c.ua.wire.Transact(ctx, req)
	if err != nil {
		return nil, errors.Join(&Refused{Code: siplib.StatusServiceUnavailable, Reason: "Transport Error"}, err)
	}
	if !c.sent && c.dial.Sent != nil {
		c.dial.Sent()
	}
	c.sent = true
	res, err := c.ring(req, tx)
	if err != nil {
		tx.Terminate()
		c.ua.lapse(lapsed{req, c.auth.Credentials})
		return nil, err
	}
	return &wire.Exchanged{Req: req, Res: res, Tx: tx}, nil
}

// request builds the INVITE, one sequence number after the one before.
func (c *outgoing) request() *siplib.Request {
	c.sequence++
	to := siplib.Uri{Scheme: c.dial.scheme(), User: c.dial.To, Host: c.dial.Domain}
	req := siplib.NewRequest(siplib.INVITE, to)
	from := &siplib.FromHeader{
		DisplayName: strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(c.dial.FromName),
		Address:     siplib.Uri{Scheme: c.dial.scheme(), User: c.dial.From, Host: c.dial.Domain},
	}
	from.Params.Add("tag", c.tag)
	callID, hops := siplib.CallIDHeader(c.dial.CallID), siplib.MaxForwardsHeader(70)
	for _, h := range []siplib.Header{
		from, &siplib.ToHeader{Address: to}, &callID, &siplib.CSeqHeader{SeqNo: c.sequence, MethodName: siplib.INVITE}, &hops,
		c.contact(), c.ua.allow(), siplib.NewHeader("User-Agent", wire.UserAgent),
	} {
		req.AppendHeader(h)
	}
	askSession(req, max(c.ua.cfg.SessionExpires, c.shortest), c.shortest)
	for name, value := range c.dial.Headers {
		req.AppendHeader(siplib.NewHeader(name, value))
	}
	c.auth.Apply(req)
	setSDP(req, c.offer)
	req.SetTransport(string(c.dial.Transport))
	req.SetDestination(c.dial.Proxy)
	return req
}

func (c *outgoing) contact() *siplib.ContactHeader {
	return c.ua.wire.Contact(c.tag, c.dial.Proxy, c.dial.Transport, c.dial.SIPS)
}

// described is where the answer to our offer stands: in the 2xx, or with far ends that say it only once, in a provisional
// answer of the same dialog before it.
func (c *outgoing) described(res *siplib.Response) *siplib.Response {
	tag := func(res *siplib.Response) string { return res.To().Params.GetOr("tag", "") }
	if len(res.Body()) == 0 && c.foretold != nil && tag(c.foretold) == tag(res) {
		return c.foretold
	}
	return res
}

// connect makes a leg of a 2xx.
func (c *outgoing) connect(done *wire.Exchanged) (*Leg, error) {
	d, err := wire.DialogOfCaller(done.Req, done.Res)
	if err != nil {
		return nil, err
	}
	leg := c.ua.newLeg(d, c.media, c.offers, done.Res.Source())
	leg.account = c.auth.Credentials
	leg.updates.Store(listed(done.Res, string(siplib.UPDATE), "Allow"))
	c.ua.register(leg)
	err = leg.confirm(done)
	if err == nil {
		err = leg.takeAnswerIn(c.described(done.Res))
	}
	if err != nil {
		leg.abort(err)
		return nil, errors.Join(&Refused{Code: siplib.StatusNotAcceptableHere, Reason: "Not Acceptable Here"}, err)
	}
	leg.takeSession(done.Res)
	leg.media.Start()
	return leg, nil
}
