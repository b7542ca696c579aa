package sip

import (
	"bytes"
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

// route says who takes which request.
func (ua *UA) route(server *sipgo.Server) {
	for method, take := range map[siplib.RequestMethod]sipgo.RequestHandler{
		siplib.INVITE:   ua.onInvite,
		siplib.ACK:      ua.onACK,
		siplib.BYE:      ua.onBye,
		siplib.UPDATE:   ua.onOffer,
		siplib.INFO:     ua.onInfo,
		siplib.NOTIFY:   ua.onNotify,
		siplib.REFER:    ua.onRefer,
		siplib.OPTIONS:  ua.onOptions,
		siplib.CANCEL:   ua.onCancel,
		siplib.REGISTER: ua.onRegister,
	} {
		server.OnRequest(method, func(req *siplib.Request, tx siplib.ServerTransaction) {
			if req.CallID() == nil || req.CSeq() == nil || req.From() == nil || req.To() == nil {
				if req.Method != siplib.ACK {
					ua.refuse(req, tx, siplib.StatusBadRequest, "Bad Request")
				}
				return
			}
			take(req, tx)
		})
	}
	server.OnNoRoute(func(req *siplib.Request, tx siplib.ServerTransaction) {
		ua.refuse(req, tx, siplib.StatusMethodNotAllowed, "Method Not Allowed", ua.allow())
	})
}

// openMedia opens a media socket and tells the address that SDP has to name for it to a peer at that host.
func (ua *UA) openMedia(peer string) (*media, netip.AddrPort, error) {
	ports, err := ua.rtp.open()
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	m := newMedia(ports, ua.clocks.quietest())
	m.reportEvery = ua.timers.report
	return m, netip.AddrPortFrom(ua.reached(UDP, ua.seenFrom(peer)).Addr(), ports.rtp.local.Port()), nil
}

// find is the leg that a request belongs to, or nil.
func (ua *UA) find(req *siplib.Request) *Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	l := ua.legs[legKey{req.CallID().Value(), req.To().Params.GetOr("tag", "")}]
	if l == nil || l.dialog.snapshot().RemoteTag != req.From().Params.GetOr("tag", "") {
		return nil
	}
	return l
}

// findOrRefuse refuses requests that belong to no leg with 481.
func (ua *UA) findOrRefuse(req *siplib.Request, tx siplib.ServerTransaction) *Leg {
	l := ua.find(req)
	if l == nil {
		ua.refuse(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	}
	return l
}

func (ua *UA) refuse(req *siplib.Request, tx siplib.ServerTransaction, code int, reason string, headers ...siplib.Header) {
	res := siplib.NewResponseFromRequest(req, code, reason, nil)
	for _, h := range headers {
		res.AppendHeader(h)
	}
	ua.respond(tx, res)
}

func (ua *UA) accept(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.respond(tx, siplib.NewResponseFromRequest(req, siplib.StatusOK, "OK", nil))
}

// respond sends a final answer that nothing else depends on.
func (ua *UA) respond(tx siplib.ServerTransaction, res *siplib.Response) {
	if err := tx.Respond(res); err != nil {
		ua.log.Debug("answer was not sent", "code", res.StatusCode, "error", err)
	}
}

func (ua *UA) onACK(req *siplib.Request, _ siplib.ServerTransaction) {
	if l := ua.find(req); l != nil {
		l.acks.arrived(req)
	}
}

func (ua *UA) onBye(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l != nil {
		l.remoteBye(func() { ua.accept(req, tx) })
	}
}

// onOffer takes re-INVITE and UPDATE: hold, resume, another address or codec, a session refresh.
func (ua *UA) onOffer(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	late := req.Method == siplib.INVITE && len(req.Body()) == 0
	var body []byte
	var err error
	switch {
	case late:
		body, err = l.lateOffer()
	case len(req.Body()) > 0:
		body, err = l.takeOffer(req.Body(), req.CSeq().SeqNo)
	}
	switch {
	case errors.Is(err, errGlare):
		ua.refuse(req, tx, siplib.StatusRequestPending, "Request Pending")
		return
	case err != nil:
		ua.refuse(req, tx, siplib.StatusNotAcceptableHere, "Not Acceptable Here")
		return
	}
	l.dialog.retarget(req.Contact())
	res := siplib.NewResponseFromRequest(req, siplib.StatusOK, "OK", nil)
	res.AppendHeader(l.contact())
	l.answerSession(req, res)
	if body != nil {
		setSDP(res, body)
	}
	if req.Method != siplib.INVITE {
		ua.respond(tx, res)
		return
	}
	ua.answerReinvite(l, req, tx, res, late)
}

// answerReinvite sends the 200 until it is acknowledged. A call whose ACK never comes is broken and ends.
func (ua *UA) answerReinvite(l *Leg, req *siplib.Request, tx siplib.ServerTransaction, res *siplib.Response, late bool) {
	acked := l.acks.expect(req.CSeq().SeqNo)
	if err := tx.Respond(res); err != nil {
		ua.log.Debug("re-invite was not answered", "error", err)
		return
	}
	ack, err := ua.insist(tx, res, l, acked)
	if err == nil && late {
		err = l.takeAnswer(ack.Body())
	}
	if err != nil {
		l.abort(err)
	}
}

// onInfo takes keys that travel outside of RTP.
func (ua *UA) onInfo(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	ua.accept(req, tx)
	kind := req.GetHeader("Content-Type")
	if kind == nil || l.ended() {
		return
	}
	if key := infoKey(kind.Value(), req.Body()); key != 0 {
		l.media.inbox.key(key)
	}
}

// infoKey reads the two ways in which INFO names a key: dtmf-relay with its Signal line, and the bare key.
func infoKey(kind string, body []byte) byte {
	var value string
	switch kind, _, _ = strings.Cut(strings.ToLower(kind), ";"); strings.TrimSpace(kind) {
	case "application/dtmf-relay":
		for line := range strings.Lines(string(body)) {
			if name, signal, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(name), "signal") {
				value = signal
			}
		}
	case "application/dtmf":
		value = string(body)
	}
	value = strings.ToUpper(strings.TrimSpace(value))
	if len(value) == 1 && strings.Contains(eventKeys, value) {
		return value[0]
	}
	return 0
}

// onNotify takes news of a transfer (RFC 3515 section 2.4.5).
func (ua *UA) onNotify(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	ua.accept(req, tx)
	if code := sipfragCode(req.Body()); code > 0 {
		select {
		case l.referred <- code:
		default: // nobody transfers
		}
	}
}

// sipfragCode reads the status line of a message/sipfrag body, or 0.
func sipfragCode(body []byte) int {
	fields := bytes.Fields(body)
	if len(fields) < 2 || string(fields[0]) != "SIP/2.0" {
		return 0
	}
	code, err := strconv.Atoi(string(fields[1]))
	if err != nil || code < 100 || code > 699 {
		return 0
	}
	return code
}

// onOptions answers whether a new call would be taken (RFC 3261 section 11.2).
func (ua *UA) onOptions(req *siplib.Request, tx siplib.ServerTransaction) {
	if ua.isDraining() {
		ua.refuse(req, tx, siplib.StatusServiceUnavailable, "Service Unavailable", siplib.NewHeader("Retry-After", drainRetryAfter))
		return
	}
	res := siplib.NewResponseFromRequest(req, siplib.StatusOK, "OK", nil)
	res.AppendHeader(ua.allow())
	res.AppendHeader(siplib.NewHeader("Accept", "application/sdp"))
	ua.respond(tx, res)
}

// strayResponse sees answers to what is over: repetitions, mostly.
func (ua *UA) strayResponse(res *siplib.Response) {
	ua.log.Debug("stray sip response", "code", res.StatusCode)
}

// onCancel sees only CANCELs without an INVITE to cancel.
func (ua *UA) onCancel(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.refuse(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
}
