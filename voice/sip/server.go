package sip

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
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
			if ua.proper(req, tx) {
				take(req, tx)
			}
		})
	}
	server.OnNoRoute(func(req *siplib.Request, tx siplib.ServerTransaction) {
		ua.wire.Reply(req, tx, siplib.StatusMethodNotAllowed, "Method Not Allowed", ua.allow())
	})
}

// proper refuses what nobody has to understand, for its form or for an extension that it insists on (RFC 3261 section 8.2).
func (ua *UA) proper(req *siplib.Request, tx siplib.ServerTransaction) bool {
	required := slices.DeleteFunc(wire.HeaderValues(req, "Require"), func(option string) bool { return option == "timer" })
	switch {
	case req.CallID() != nil && req.CSeq() != nil && req.From() != nil && req.To() != nil &&
		(len(required) == 0 || req.Method == siplib.ACK || req.Method == siplib.CANCEL):
		return true
	case req.Method == siplib.ACK: // which nothing answers
	case len(required) > 0:
		ua.wire.Reply(req, tx, siplib.StatusBadExtension, "Bad Extension", siplib.NewHeader("Unsupported", strings.Join(required, ", ")))
	default:
		ua.wire.Reply(req, tx, siplib.StatusBadRequest, "Bad Request")
	}
	return false
}

// openMedia opens media sockets and returns the address that SDP has to name for them to a peer at that host.
func (ua *UA) openMedia(peer string) (*rtp.Session, netip.AddrPort, error) {
	m, err := ua.rtp.Open()
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	if ip, err := netip.ParseAddr(peer); err == nil { // a carrier given by its name is trusted
		m.From(ip)
	}
	return m, netip.AddrPortFrom(ua.wire.Reached(UDP, ua.seenFrom(peer)).Addr(), m.Local().Port()), nil
}

// find is the leg that a request belongs to, or nil.
func (ua *UA) find(req *siplib.Request) *Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	l := ua.legs[legKey{req.CallID().Value(), req.To().Params.GetOr("tag", "")}]
	if l == nil || l.dialog.Snapshot().RemoteTag != req.From().Params.GetOr("tag", "") {
		return nil
	}
	return l
}

// findOrRefuse is the leg that a request belongs to. It answers those of a call that still rings, and refuses others
// with 481.
func (ua *UA) findOrRefuse(req *siplib.Request, tx siplib.ServerTransaction) *Leg {
	l := ua.find(req)
	if l != nil {
		return l
	}
	if take := ua.findEarly(req); take != nil {
		take(req, tx)
	} else {
		ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	}
	return nil
}

func (ua *UA) onACK(req *siplib.Request, _ siplib.ServerTransaction) {
	if l := ua.find(req); l != nil {
		l.acks.arrived(req)
	}
}

func (ua *UA) onBye(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l != nil {
		l.remoteBye(func() { ua.wire.Accept(req, tx) })
	}
}

// onOffer takes re-INVITE and UPDATE: hold, resume, another address or codec, a session refresh.
func (ua *UA) onOffer(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	if agreed, _ := l.session.state(); ua.tooShort(req, tx, agreed) {
		return
	}
	offer, err := sessionIn(req)
	late := req.Method == siplib.INVITE && len(offer) == 0
	var body []byte
	switch {
	case err != nil:
	case l.ended(): // our BYE crosses it
		err = errOver
	case late:
		body, err = l.offers.Offer()
	case len(offer) > 0:
		body, err = l.offers.Answer(offer, req.CSeq().SeqNo)
	}
	if err != nil {
		ua.refuseOffer(req, tx, err)
		return
	}
	l.dialog.Retarget(req.Contact())
	res := siplib.NewResponseFromRequest(req, siplib.StatusOK, "OK", nil)
	res.AppendHeader(l.contact())
	l.answerSession(req, res)
	if body != nil {
		setSDP(res, body)
	}
	if req.Method != siplib.INVITE {
		ua.wire.Respond(tx, res)
		return
	}
	ua.answerReinvite(l, req, tx, res, late)
}

// refuseOffer says why an offer was not taken. The call goes on as before.
func (ua *UA) refuseOffer(req *siplib.Request, tx siplib.ServerTransaction, err error) {
	switch {
	case errors.Is(err, sdp.ErrGlare):
		ua.wire.Reply(req, tx, siplib.StatusRequestPending, "Request Pending")
	case errors.Is(err, sdp.ErrOutdated): // RFC 3261 section 12.2.2
		ua.wire.Reply(req, tx, siplib.StatusInternalServerError, "Server Internal Error")
	case errors.Is(err, errOver):
		ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	case errors.Is(err, errForeignBody):
		ua.wire.Reply(req, tx, siplib.StatusUnsupportedMediaType, "Unsupported Media Type", siplib.NewHeader("Accept", sdp.MediaType))
	default:
		ua.wire.Reply(req, tx, siplib.StatusNotAcceptableHere, "Not Acceptable Here")
	}
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
		err = l.takeAnswerIn(ack)
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
	ua.wire.Accept(req, tx)
	kind := req.GetHeader("Content-Type")
	if kind == nil || l.ended() {
		return
	}
	if key := infoKey(kind.Value(), req.Body()); key != 0 {
		l.media.DeliverKey(key)
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
	if len(value) == 1 && strings.Contains(media.EventKeys, value) {
		return value[0]
	}
	if code, err := strconv.ParseUint(value, 10, 8); err == nil && code >= 10 && int(code) < len(media.EventKeys) {
		return media.EventKeys[code] // as some write * and #
	}
	return 0
}

// onNotify takes news of a transfer (RFC 3515 section 2.4.5).
func (ua *UA) onNotify(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	ua.wire.Accept(req, tx)
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

// onOptions answers whether a new call would be taken (RFC 3261 section 11.2), or inside a call, whether it still lives.
func (ua *UA) onOptions(req *siplib.Request, tx siplib.ServerTransaction) {
	switch inside := req.To().Params.Has("tag"); {
	case inside && ua.findOrRefuse(req, tx) == nil:
	case !inside && ua.refuses():
		ua.wire.Reply(req, tx, siplib.StatusServiceUnavailable, "Service Unavailable", siplib.NewHeader("Retry-After", drainRetryAfter))
	default:
		ua.wire.Accept(req, tx, ua.allow(), siplib.NewHeader("Accept", sdp.MediaType))
	}
}

// onCancel sees only CANCELs without an INVITE to cancel.
func (ua *UA) onCancel(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
}
