package sip

import (
	siplib "github.com/emiago/sipgo/sip"
)

const soonAgain = "1" // seconds, told to those whose request came too early, or while there was no room

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

// findEarly returns who takes a request of a dialog that rings, or nil.
func (ua *UA) findEarly(req *siplib.Request) func(req *siplib.Request, tx siplib.ServerTransaction) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	e, found := ua.early[legKey{req.CallID().Value(), req.To().Params.GetOr("tag", "")}]
	if !found || e.remoteTag != "" && e.remoteTag != req.From().Params.GetOr("tag", "") {
		return nil
	}
	return e.take
}

// offers reports whether a request begins an offer or asks for one.
func offers(req *siplib.Request) bool {
	return req.Method == siplib.INVITE || req.Method == siplib.UPDATE && len(req.Body()) > 0
}

// find returns the leg that a request belongs to, or nil.
func (ua *UA) find(req *siplib.Request) *Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	l := ua.legs[legKey{req.CallID().Value(), req.To().Params.GetOr("tag", "")}]
	if l == nil || l.dialog.Snapshot().RemoteTag != req.From().Params.GetOr("tag", "") {
		return nil
	}
	return l
}

// findOrRefuse returns the leg that a request belongs to. It answers those of a call that still rings, and refuses others
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
