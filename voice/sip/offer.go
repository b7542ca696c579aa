package sip

import (
	"errors"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
)

// onOffer takes re-INVITE and UPDATE: hold, resume, another address or codec, a session refresh.
func (ua *UA) onOffer(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	if agreed, _ := l.session.state(); ua.tooShort(req, tx, agreed) {
		return
	}
	var acked <-chan *siplib.Request
	if req.Method == siplib.INVITE {
		if acked = l.acks.expect(req.CSeq().SeqNo); acked == nil {
			ua.refuseOffer(req, tx, errUnacked)
			return
		}
	}
	body, late, err := l.answerTo(req)
	if err != nil {
		if acked != nil {
			l.acks.forget(req.CSeq().SeqNo)
		}
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
	ua.answerReinvite(l, tx, res, acked, late)
}

// answerTo returns the description that belongs into the 200 to a request; late: it is our offer, which the ACK answers.
func (l *Leg) answerTo(req *siplib.Request) (body []byte, late bool, err error) {
	offer, err := sessionIn(req)
	late = req.Method == siplib.INVITE && len(offer) == 0
	switch {
	case err != nil:
	case l.ended(): // our BYE crosses it
		err = errOver
	case late:
		body, err = l.offers.Offer()
	case len(offer) > 0:
		body, err = l.offers.Answer(offer, req.CSeq().SeqNo)
	}
	return body, late, err
}

// refuseOffer says why an offer was not taken. The call goes on as before.
func (ua *UA) refuseOffer(req *siplib.Request, tx siplib.ServerTransaction, err error) {
	switch {
	case errors.Is(err, sdp.ErrGlare):
		ua.wire.Reply(req, tx, siplib.StatusRequestPending, "Request Pending")
	case errors.Is(err, sdp.ErrOutdated): // RFC 3261 section 12.2.2
		ua.wire.Reply(req, tx, siplib.StatusInternalServerError, "Server Internal Error")
	case errors.Is(err, errUnacked): // RFC 3261 section 14.2
		ua.wire.Reply(req, tx, siplib.StatusInternalServerError, "Server Internal Error", siplib.NewHeader("Retry-After", soonAgain))
	case errors.Is(err, errOver):
		ua.wire.Reply(req, tx, siplib.StatusCallTransactionDoesNotExists, "Call/Transaction Does Not Exist")
	case errors.Is(err, errForeignBody):
		ua.wire.Reply(req, tx, siplib.StatusUnsupportedMediaType, "Unsupported Media Type", siplib.NewHeader("Accept", sdp.MediaType))
	default:
		ua.wire.Reply(req, tx, siplib.StatusNotAcceptableHere, "Not Acceptable Here")
	}
}

// answerReinvite sends the 200 until it is acknowledged. A call whose ACK never comes is broken and ends.
func (ua *UA) answerReinvite(
	l *Leg, tx siplib.ServerTransaction, res *siplib.Response, acked <-chan *siplib.Request, late bool,
) {
	if err := tx.Respond(res); err != nil {
		l.acks.forget(res.CSeq().SeqNo)
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
