package sip

import (
	siplib "github.com/emiago/sipgo/sip"
)

const soonAgain = "1" // seconds, told to those whose request came before the answer it has to wait for

// early takes the requests of a dialog that no call was made of yet (RFC 3261 section 12). Without it they would meet 481,
// at which far ends give the call up.
type early struct {
	remoteTag string // empty: not known, as several may be ringing
	take      func(req *siplib.Request, tx siplib.ServerTransaction)
}

// awaitEarly has take handle the requests of a dialog that rings, until the end of the call's beginning.
func (ua *UA) awaitEarly(key legKey, e early) (end func()) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.early[key] = e
	ua.tags[key.tag]++
	return func() {
		ua.mu.Lock()
		defer ua.mu.Unlock()
		delete(ua.early, key)
		countDown(ua.tags, key.tag)
	}
}

// findEarly is who takes a request of a dialog that rings, or nil.
func (ua *UA) findEarly(req *siplib.Request) func(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	e, found := ua.early[legKey{req.CallID().Value(), req.To().Params.GetOr("tag", "")}]
	if !found || e.remoteTag != "" && e.remoteTag != req.From().Params.GetOr("tag", "") {
		return nil
	}
	return e.take
}

// early takes what a caller asks before the call is answered: BYE is its other way to give up, and an offer has to wait
// for the answer to the one before (RFC 3311 section 5.2).
func (in *Inbound) early(req *siplib.Request, tx siplib.ServerTransaction) {
	switch {
	case req.Method == siplib.BYE:
		in.ua.wire.Accept(req, tx)
		if in.giveUp() {
			in.ua.wire.Respond(in.tx, in.response(siplib.StatusRequestTerminated, "Request Terminated"))
			in.leave()
		}
	case req.Method == siplib.REFER:
		in.ua.wire.Reply(req, tx, siplib.StatusTemporarilyUnavailable, "Temporarily Unavailable")
	case offers(req):
		in.ua.wire.Reply(req, tx, siplib.StatusInternalServerError, "Server Internal Error", siplib.NewHeader("Retry-After", soonAgain))
	default:
		in.ua.wire.Accept(req, tx, in.contact())
	}
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

// offers tells whether a request begins an offer or asks for one.
func offers(req *siplib.Request) bool {
	return req.Method == siplib.INVITE || req.Method == siplib.UPDATE && len(req.Body()) > 0
}
