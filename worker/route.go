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

// findRoutes returns the SIP connections over which calls leave.
func (p *Phone) findRoutes(ctx context.Context, calls []*dbsqlc.Call) (map[*dbsqlc.Call]*dbsqlc.SIPConnection, error) {
	params := &dbsqlc.SIPConnectionListByNumberParams{}
	for _, call := range calls {
		params.PhoneNumberIds = append(params.PhoneNumberIds, call.PhoneNumberID)
	}
	rows, err := dbsqlc.New().SIPConnectionListByNumber(ctx, p.pool, params)
	if err != nil {
		return nil, fmt.Errorf("find SIP connections of calls: %w", err)
	}
	byNumber := make(map[uuid.UUID]*dbsqlc.SIPConnection, len(rows))
	for _, row := range rows {
		byNumber[row.PhoneNumberID] = row
	}
	found := make(map[*dbsqlc.Call]*dbsqlc.SIPConnection, len(rows))
	for _, call := range calls {
		if connection := byNumber[call.PhoneNumberID]; connection != nil {
			found[call] = connection
		}
	}
	return found, nil
}

var errTestConnection = errors.New("the number's SIP connection was made with a test key and has no real calls")

// route is the INVITE of a call: over the SIP connection of its number, else over the gateway's trunk.
func (p *Phone) route(ctx context.Context, gateway *gateways.Gateway, call *dbsqlc.Call) (sip.Dial, error) {
	if gateway.Simulated {
		return gateway.Dial(call)
	}
	connection, err := p.routes.Do(ctx, call)
	switch {
	case err != nil:
		return sip.Dial{}, errors.Join(errNoRoute, err)
	case connection == nil:
		return gateway.Dial(call)
	case connection.Simulated:
		return sip.Dial{}, errTestConnection
	}
	way, err := p.connections.Route(ctx, connection, false)
	if err != nil {
		return sip.Dial{}, err
	}
	// Registrars know their customers by the account in From; the number is told beside it (RFC 3325).
	return sip.Dial{
		Proxy: way.Proxy, Reach: gateway.CustomerReach(), SRTP: sip.SRTPOptional, Domain: way.Domain, Username: connection.SIPUsername,
		Password: way.Password,
		From:     connection.SIPUsername, FromName: call.PhoneNumber, To: call.ContactPhoneNumber, CallID: *call.SIPCallID,
		Headers: map[string]string{"P-Preferred-Identity": fmt.Sprintf("<sip:%s@%s>", call.PhoneNumber, way.Domain)},
	}, nil
}
