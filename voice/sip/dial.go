package sip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/google/uuid"
)

const allowed = "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY"

// Dial describes an outbound call.
type Dial struct {
	Proxy              string            // host:port to send to; without a port the one that is usual for the transport
	Transport          Transport         // empty: UDP
	SIPS               bool              // call a sips URI, which asks for TLS on every hop; it implies TLS on the first
	Domain             string            // host part of the To and From URIs; empty: the host of Proxy
	From, To           string            // user parts (E.164)
	FromName           string            // display name
	Username, Password string            // answer to digest challenges
	CallID             string            // empty: random; set by callers that store it before the INVITE leaves
	Headers            map[string]string // more headers for the INVITE
	Captions           bool              // offer audio/t140c (RFC 4351) beside G.711
	SRTP               SRTP              // encryption of the media

	Progress func(code int, reason string) // called for each provisional answer
	Sent     func()                        // called when the INVITE was handed to the network
}

// Dial places a call and returns when it is answered. A refusal is a *Refused. When ctx ends first, Dial returns its
// error at once; the INVITE is cancelled behind it, and an answer that crosses the CANCEL is hung up.
func (ua *UA) Dial(ctx context.Context, d Dial) (*Leg, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.enter() {
		return nil, fmt.Errorf("dial: %w", ErrClosed)
	}
	call, err := ua.newOutgoing(d)
	if err != nil {
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.spawn(call.run) {
		call.quit()
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", errors.Join(ErrClosed, call.media.close()))
	}
	select {
	case answer := <-call.answered:
		if answer.err != nil {
			return nil, fmt.Errorf("dial: %w", answer.err)
		}
		return answer.leg, nil
	case <-ctx.Done():
		call.quit()
		return nil, fmt.Errorf("dial: %w", ctx.Err())
	}
}

// check keeps what others wrote from becoming headers of its own.
func (d *Dial) check() error {
	fields := []string{d.Proxy, d.Domain, d.From, d.To, d.FromName, d.Username, d.CallID}
	for name, value := range d.Headers {
		fields = append(fields, name, value)
	}
	for _, field := range fields {
		if strings.ContainsFunc(field, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return errors.New("a field holds control characters")
		}
	}
	for _, user := range []string{d.From, d.To} {
		if strings.ContainsAny(user, " <>@\";") {
			return errors.New("a number holds characters that no number has")
		}
	}
	if d.Proxy == "" || d.To == "" {
		return errors.New("proxy and number are required")
	}
	if d.SIPS && d.Transport != "" && d.Transport != TLS {
		return fmt.Errorf("sips does not go over %s", d.Transport)
	}
	return errors.Join(d.Transport.check(), d.SRTP.check())
}

// complete fills in what the caller left open.
func (d *Dial) complete() {
	if d.CallID == "" {
		d.CallID = uuid.NewString()
	}
	if d.SIPS {
		d.Transport = TLS
	}
	d.Transport = d.Transport.orUDP()
	if d.Domain == "" {
		d.Domain = hostOf(d.Proxy)
	}
	d.Proxy = withPort(d.Proxy, d.Transport)
}

// hostOf is an address without its port, if it has one.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// withPort is an address with the usual port if it names none.
func withPort(address string, transport Transport) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), strconv.Itoa(transport.defaultPort()))
}

func (d *Dial) scheme() string {
	if d.SIPS {
		return "sips"
	}
	return "sip"
}

// outgoing is an INVITE on its way.
type outgoing struct {
	ua       *UA
	dial     Dial
	media    *media
	local    localSDP
	keys     keyring
	auth     authorization
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
	m, addr, err := ua.openMedia(hostOf(d.Proxy))
	if err != nil {
		return nil, err
	}
	c := &outgoing{
		ua: ua, dial: d, media: m, local: newOffer(addr, d.Captions), tag: siplib.GenerateTagN(16),
		auth:     authorization{credentials: credentials{d.Username, d.Password}},
		answered: make(chan answer),
	}
	if d.SRTP != SRTPOff { // an optional key stands beside the plain profile, where those who do not know it overlook it
		c.local.crypto, c.local.secure = &crypto{1, c.keys.ownKey()}, d.SRTP == SRTPRequired
	}
	c.wanted, c.quit = context.WithCancel(context.Background())
	return c, nil
}

// run sees the INVITE through to its end, whether or not anybody still waits for it.
func (c *outgoing) run() {
	defer c.ua.calls.Done()
	defer c.quit()
	leg, err := c.attempt()
	if c.ua.ctx.Err() != nil { // answered or not, this call may not live
		err = errors.Join(ErrClosed, err)
		if leg != nil {
			leg.abort(ErrClosed)
			leg = nil
		}
	}
	if err != nil {
		err = errors.Join(err, c.media.close())
	}
	select {
	case c.answered <- answer{leg, err}:
	case <-c.wanted.Done():
		if leg != nil {
			leg.abort(nil)
		}
	}
}

// attempt sends the INVITE, and again with credentials as long as that is what is missing.
func (c *outgoing) attempt() (*Leg, error) {
	for {
		done, err := c.invite()
		if err != nil {
			return nil, err
		}
		if done.res.IsSuccess() {
			return c.connect(done)
		}
		if c.sessionTooShort(done.res) && !c.abandoned() {
			continue
		}
		again, err := c.auth.answer(done.req, done.res)
		if err != nil {
			return nil, errors.Join(refusedBy(done.res), err)
		}
		if !again || c.abandoned() {
			return nil, refusedBy(done.res)
		}
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
func (c *outgoing) invite() (*exchanged, error) {
	req := c.request()
	ctx, stop := context.WithCancel(c.wanted) // which only opening a connection heeds
	defer context.AfterFunc(c.ua.ctx, stop)()
	defer stop()
	tx, err := c.ua.transact(ctx, req)
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
		return nil, err
	}
	return &exchanged{req, res, tx}, nil
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
		c.ua.contact(c.dial.Proxy, c.dial.Transport, c.dial.SIPS), siplib.NewHeader("Allow", allowed), siplib.NewHeader("User-Agent", userAgent),
	} {
		req.AppendHeader(h)
	}
	askSession(req, max(c.ua.cfg.SessionExpires, c.shortest), c.shortest)
	for name, value := range c.dial.Headers {
		req.AppendHeader(siplib.NewHeader(name, value))
	}
	c.auth.apply(req)
	c.local.version++
	setSDP(req, c.local.marshal())
	req.SetTransport(string(c.dial.Transport))
	req.SetDestination(c.dial.Proxy)
	return req
}

// ring waits for the final answer. Once the caller has given up it sends CANCEL, as soon as a provisional answer
// allows that (RFC 3261 section 9.1), and takes whatever final answer comes then.
func (c *outgoing) ring(req *siplib.Request, tx siplib.ClientTransaction) (*siplib.Response, error) {
	quit, closing := c.wanted.Done(), c.ua.ctx.Done()
	ringing, cancelled := false, false
	var giveUp <-chan time.Time
	cancel := func() {
		if ringing && !cancelled {
			cancelled = true
			giveUp = time.After(c.ua.timers.timeout())
			c.ua.spawn(func() { c.ua.cancel(req) })
		}
	}
	for {
		select {
		case res := <-tx.Responses():
			if !res.IsProvisional() {
				return res, nil
			}
			ringing = true
			if c.abandoned() {
				cancel()
			} else if c.dial.Progress != nil {
				c.dial.Progress(res.StatusCode, res.Reason)
			}
		case <-quit:
			quit = nil
			cancel()
		case <-closing:
			closing = nil
			cancel()
			if !ringing { // nothing ever came, and we cannot stay to see whether something will
				giveUp = time.After(2 * c.ua.timers.t1)
			}
		case <-giveUp:
			return nil, &Refused{Code: siplib.StatusRequestTerminated, Reason: "Cancelled"}
		case <-tx.Done():
			return nil, noAnswer(endOf(tx))
		}
	}
}

// noAnswer translates a transaction that ended without an answer (RFC 3261 section 8.1.3.1).
func noAnswer(err error) error {
	if errors.Is(err, siplib.ErrTransactionTimeout) {
		return errors.Join(&Refused{Code: siplib.StatusRequestTimeout, Reason: "No Answer"}, err)
	}
	return errors.Join(&Refused{Code: siplib.StatusServiceUnavailable, Reason: "Transport Error"}, err)
}

// cancel sends CANCEL for an INVITE (RFC 3261 section 9.1).
func (ua *UA) cancel(invite *siplib.Request) {
	req := siplib.NewRequest(siplib.CANCEL, invite.Recipient)
	hops := siplib.MaxForwardsHeader(70)
	for _, h := range []siplib.Header{
		invite.Via().Clone(), siplib.HeaderClone(invite.From()), siplib.HeaderClone(invite.To()),
		siplib.HeaderClone(invite.CallID()), &siplib.CSeqHeader{SeqNo: invite.CSeq().SeqNo, MethodName: siplib.CANCEL}, &hops,
	} {
		req.AppendHeader(h)
	}
	req.SetTransport(invite.Transport())
	req.SetDestination(invite.Destination())
	ctx, stop := context.WithTimeout(context.Background(), ua.timers.timeout())
	defer stop()
	tx, err := ua.transact(ctx, req)
	if err == nil {
		defer tx.Terminate()
		_, err = finalResponse(ctx, tx)
	}
	if err != nil {
		ua.log.Debug("CANCEL was not confirmed", "error", err)
	}
}

// connect makes a leg of a 2xx.
func (c *outgoing) connect(done *exchanged) (*Leg, error) {
	d, err := dialogOfCaller(done.req, done.res)
	if err != nil {
		return nil, err
	}
	leg := c.ua.newLeg(d, c.media, c.local, done.res.Source())
	leg.account = c.auth.credentials
	leg.updates.Store(listed(done.res, string(siplib.UPDATE), "Allow"))
	leg.offers.srtp, leg.offers.keys = c.dial.SRTP, c.keys
	c.ua.register(leg)
	err = leg.confirm(done)
	if err == nil {
		err = leg.takeAnswer(done.res.Body())
	}
	if err != nil {
		leg.abort(err)
		return nil, errors.Join(&Refused{Code: siplib.StatusNotAcceptableHere, Reason: "Not Acceptable Here"}, err)
	}
	leg.takeSession(done.res)
	leg.media.start()
	return leg, nil
}
