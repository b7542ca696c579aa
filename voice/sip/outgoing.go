package sip

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// outgoing is an INVITE on its way.
type outgoing struct {
	ua        *UA
	dial      Dial
	media     *rtp.Session
	local     netip.AddrPort // that sound comes to
	offers    *sdp.Negotiation
	proposals []SRTP           // of encryption: what is offered now, and what next where that is refused
	offer     []byte           // the same in every attempt, as an answer to a challenge may cover it
	foretold  *siplib.Response // the latest provisional answer with a body
	auth      wire.Authorization
	tag       string
	sequence  uint32
	shortest  time.Duration // session interval that somebody on the way insists on
	insisted  int           // how often somebody did
	sent      bool
	answered  chan answer     // unbuffered: an answer nobody waits for any more is hung up
	wanted    context.Context // ends when the caller gives up
	quit      context.CancelFunc
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
		ua: ua, dial: d, media: m, local: addr, proposals: d.SRTP.proposals(), tag: siplib.GenerateTagN(16),
		auth:     wire.Authorization{Credentials: wire.Credentials{Username: d.Username, Password: d.Password}},
		answered: make(chan answer),
	}
	if err := c.propose(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	// Dial ends it with its own context; an INVITE under way is seen through to its end.
	c.wanted, c.quit = context.WithCancel(context.Background())
	return c, nil
}

// propose begins the negotiation that the next INVITE opens.
func (c *outgoing) propose() (err error) {
	c.offers = sdp.New(c.local, c.proposals[0].wishes(c.dial.Captions, c.dial.Wideband), c.media.Agree)
	c.offer, err = c.offers.Offer()
	return err
}

// reconsider makes another offer if this refusal may be about encryption. Most who do not encrypt overlook the keys beside the
// plain profile; there are those who take nothing but the encrypted profile, and those who take offence at keys.
func (c *outgoing) reconsider(res *siplib.Response) (another bool, err error) {
	switch res.StatusCode {
	case siplib.StatusNotAcceptableHere, siplib.StatusUnsupportedMediaType, siplib.StatusGlobalNotAcceptable:
	default:
		return false, nil
	}
	if len(c.proposals) == 1 {
		return false, nil
	}
	c.proposals = c.proposals[1:]
	return true, c.propose()
}

// abandoned reports whether the caller gave up, or the user agent closes.
func (c *outgoing) abandoned() bool {
	return c.wanted.Err() != nil || c.ua.ctx.Err() != nil
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

// described returns where the answer to our offer stands: in the 2xx, or with far ends that say it only once, in a provisional
// answer of the same dialog before it.
func (c *outgoing) described(res *siplib.Response) *siplib.Response {
	tag := func(res *siplib.Response) string { return res.To().Params.GetOr("tag", "") }
	if len(res.Body()) == 0 && c.foretold != nil && tag(c.foretold) == tag(res) {
		return c.foretold
	}
	return res
}

// early takes what the called party asks before it answers. Only an answer ends our offer.
func (c *outgoing) early(req *siplib.Request, tx siplib.ServerTransaction) {
	switch {
	case req.Method == siplib.BYE:
		c.ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	case offers(req):
		c.ua.wire.Reply(req, tx, siplib.StatusRequestPending, "Request Pending")
	default:
		c.ua.wire.Accept(req, tx, c.contact())
	}
}
