package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
)

// Registers implements numbers.Registrant. A process that works no calls could not take those that come in.
func (p *Phone) Registers(simulated bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	gateway := p.gateways.Live
	if simulated {
		gateway = p.gateways.Simulated
	}
	return p.ready && cap(p.places.taken) > 0 && gateway != nil
}

var _ numbers.Registrant = (*Phone)(nil)

// callRoute is how calls from a number leave.
type callRoute struct {
	connection *dbsqlc.SIPConnection // nil: over the trunk
	gone       bool                  // the number was given back since the call was made: not at all
}

// findRoutes returns how calls leave.
func (p *Phone) findRoutes(ctx context.Context, calls []*dbsqlc.Call) (map[*dbsqlc.Call]callRoute, error) {
	params := &dbsqlc.SIPConnectionListRoutesParams{}
	for _, call := range calls {
		params.PhoneNumberIds = append(params.PhoneNumberIds, call.PhoneNumberID)
	}
	rows, err := dbsqlc.New().SIPConnectionListRoutes(ctx, p.pool, params)
	if err != nil {
		return nil, fmt.Errorf("find SIP connections of calls: %w", err)
	}
	byNumber := make(map[uuid.UUID]callRoute, len(rows))
	for _, row := range rows {
		route := callRoute{gone: row.Gone}
		if row.ID != uuid.Nil {
			route.connection = &dbsqlc.SIPConnection{ID: row.ID, PhoneNumberID: row.PhoneNumberID, Simulated: row.Simulated,
				SIPUsername: row.SIPUsername, SIPPassword: row.SIPPassword, SIPProxy: row.SIPProxy, Transfer: row.Transfer}
		}
		byNumber[row.PhoneNumberID] = route
	}
	found := make(map[*dbsqlc.Call]callRoute, len(calls))
	for _, call := range calls {
		found[call] = byNumber[call.PhoneNumberID]
	}
	return found, nil
}

var (
	errTestConnection = errors.New("the number's SIP connection was made with a test key and has no real calls")
	errNumberGone     = errors.New("the phone number that the call was to come from was given back")
)

// route is the INVITE of a call: over the SIP connection of its number, else over the gateway's trunk. A number that went with its
// connection, or back to the carrier, may be somebody else's by now: no call leaves as from it.
func (p *Phone) route(ctx context.Context, gateway *gateways.Gateway, call *dbsqlc.Call) (sip.Dial, error) {
	if gateway.Simulated {
		return gateway.Dial(call)
	}
	leaves, err := p.routes.Do(ctx, call)
	connection := leaves.connection
	switch {
	case err != nil:
		return sip.Dial{}, errors.Join(errNoRoute, err)
	case leaves.gone:
		return sip.Dial{}, errNumberGone
	case connection == nil:
		return gateway.Dial(call)
	case connection.Simulated:
		return sip.Dial{}, errTestConnection
	}
	to, err := p.connections.Route(ctx, connection, false)
	if err != nil {
		return sip.Dial{}, err
	}
	// Registrars know their customers by the account in From; the number is told beside it (RFC 3325).
	return sip.Dial{
		Proxy: to.Proxy, Reach: gateway.CustomerReach(), SRTP: sip.SRTPOptional, Domain: to.Domain,
		Username: connection.SIPUsername, Password: to.Password,
		From: connection.SIPUsername, FromName: call.PhoneNumber, To: call.ContactPhoneNumber, CallID: *call.SIPCallID,
		Headers: map[string]string{"P-Preferred-Identity": fmt.Sprintf("<sip:%s@%s>", call.PhoneNumber, to.Domain)},
	}, nil
}
