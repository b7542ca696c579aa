package wire

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	siplib "github.com/emiago/sipgo/sip"
)

// Dialog is all that another process needs to end a call after the one that made it died. It can be stored as JSON.
type Dialog struct {
	CallID    string   `json:"call_id"`
	LocalURI  string   `json:"local_uri"`
	LocalTag  string   `json:"local_tag"`
	RemoteURI string   `json:"remote_uri"`
	RemoteTag string   `json:"remote_tag"`
	Target    string   `json:"target"`           // request URI: the far end's Contact
	NextHop   string   `json:"next_hop"`         // host:port that requests are sent to: within the call's Reach
	Routes    []string `json:"routes,omitempty"` // Route header values, nearest first
	CSeq      uint32   `json:"cseq"`             // of our latest request

	Transport  Transport `json:"transport,omitempty"`  // empty: UDP
	Connection string    `json:"connection,omitempty"` // far address of the TCP or TLS connection that made the dialog
}

// LiveDialog is a live one, whose sequence number grows and whose target may move.
type LiveDialog struct {
	mu sync.Mutex
	d  Dialog
}

// NewLiveDialog returns a dialog that goes on from d.
func NewLiveDialog(d Dialog) *LiveDialog { return &LiveDialog{d: d} }

// Snapshot returns the dialog as it is now.
func (d *LiveDialog) Snapshot() Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	copied := d.d
	copied.Routes = slices.Clone(d.d.Routes)
	return copied
}

// next claims the sequence number of a new request.
func (d *LiveDialog) next() Dialog {
	d.mu.Lock()
	d.d.CSeq++
	d.mu.Unlock()
	return d.Snapshot()
}

// Retarget follows a Contact that the far end changed. Where there is no proxy in between, the next hop stays the
// address that packets really come from.
func (d *LiveDialog) Retarget(contact *siplib.ContactHeader) {
	if contact == nil || checkTarget(&contact.Address) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.d.Target = contact.Address.String()
}

// DialogOfCaller returns the dialog that a 2xx to our INVITE makes (RFC 3261 section 12.1.2). Its requests go where the INVITE
// went, and as far as reach allows, where the far end has them go. With an error, which is of what the far end named, the
// dialog still serves to end the call.
func DialogOfCaller(req *siplib.Request, res *siplib.Response, reach Reach) (Dialog, error) {
	target := req.Recipient // for an answer without the Contact that it must have
	routes, err := routeSet(res)
	if contact := res.Contact(); contact != nil {
		if invalid := checkTarget(&contact.Address); invalid != nil {
			err = errors.Join(err, invalid)
		} else {
			target = contact.Address
		}
	}
	d := Dialog{
		CallID:    req.CallID().Value(),
		LocalURI:  req.From().Address.String(),
		LocalTag:  req.From().Params.GetOr("tag", ""),
		RemoteURI: res.To().Address.String(),
		RemoteTag: res.To().Params.GetOr("tag", ""),
		Target:    target.String(),
		CSeq:      req.CSeq().SeqNo,
		Routes:    routes,
	}
	slices.Reverse(d.Routes)
	d.findNextHop(hops{transport: req.Transport(), source: res.Source(), home: req.Destination()}, reach)
	return d, err
}

// DialogOfCallee returns the dialog that our 2xx to an INVITE makes (RFC 3261 section 12.1.1). Its requests go where the INVITE
// came from, and as far as reach allows, where the far end has them go.
func DialogOfCallee(req *siplib.Request, tag string, reach Reach) (Dialog, error) {
	if err := Check(req); err != nil {
		return Dialog{}, err
	}
	routes, err := routeSet(req)
	d := Dialog{
		CallID:    req.CallID().Value(),
		LocalURI:  req.To().Address.String(),
		LocalTag:  tag,
		RemoteURI: req.From().Address.String(),
		RemoteTag: req.From().Params.GetOr("tag", ""),
		Target:    req.Contact().Address.String(),
		Routes:    routes,
	}
	contact := hostPort(&req.Contact().Address, TransportOf(req))
	d.findNextHop(hops{transport: req.Transport(), source: req.Source(), home: req.Source(), contact: contact}, reach)
	return d, err
}

// hops are the addresses to which the requests of a dialog might go.
type hops struct {
	transport string
	source    string // of the far end's message
	home      string // the proxy that the call goes by
	contact   string // where another connection can be opened; empty: at home
}

// findNextHop decides where requests go: to the nearest proxy on the route, else over UDP to where the far end's packets
// come from, because a Contact behind a NAT leads nowhere. Over TCP and TLS that port is the end of one connection,
// which is preferred while it lives (see Address).
func (d *Dialog) findNextHop(h hops, reach Reach) {
	d.NextHop = h.home
	if d.Transport = Transport(h.transport); d.Transport.Reliable() {
		d.Connection = h.source
		if h.contact != "" {
			d.NextHop, _ = reach.choose(h.contact, h.home, d.Transport)
		}
	} else {
		d.Transport = ""
		d.NextHop, _ = reach.choose(h.source, h.home, d.Transport)
	}
	var uri siplib.Uri
	if len(d.Routes) == 0 {
		return
	}
	if _, err := siplib.ParseAddressValue(d.Routes[0], &uri, &siplib.HeaderParams{}); err != nil {
		return // it was read before, and made of what was read
	}
	transport := routeTransport(&uri, d.Transport)
	if hop, chosen := reach.choose(hostPort(&uri, transport), h.home, transport); chosen {
		d.Transport, d.NextHop = transport, hop
	}
}

// routeTransport returns the transport that a route asks for, or the one in use where it asks for none we have.
func routeTransport(uri *siplib.Uri, current Transport) Transport {
	if uri.IsEncrypted() {
		return TLS
	}
	switch asked := Transport(strings.ToUpper(uri.UriParams.GetOr("transport", ""))); asked {
	case UDP:
		return ""
	case TCP, TLS:
		return asked
	}
	return current
}

// hostPort returns the address in a URI.
func hostPort(uri *siplib.Uri, transport Transport) string {
	port := uri.Port
	if port == 0 {
		port = transport.defaultPort()
	}
	return net.JoinHostPort(strings.Trim(uri.Host, "[]"), strconv.Itoa(port))
}

// Request builds a request inside the dialog, with the sequence number the dialog has now.
func (d *Dialog) Request(method siplib.RequestMethod) (*siplib.Request, error) {
	var target, local, remote siplib.Uri
	for uri, text := range map[*siplib.Uri]string{&target: d.Target, &local: d.LocalURI, &remote: d.RemoteURI} {
		if err := siplib.ParseUri(text, uri); err != nil {
			return nil, fmt.Errorf("read dialog uri: %w", err)
		}
	}
	routes, err := d.route(&target)
	if err != nil {
		return nil, err
	}
	req := siplib.NewRequest(method, target)
	for _, route := range routes {
		req.AppendHeader(siplib.NewHeader("Route", route))
	}
	from := &siplib.FromHeader{Address: local}
	from.Params.Add("tag", d.LocalTag)
	to := &siplib.ToHeader{Address: remote}
	if d.RemoteTag != "" {
		to.Params.Add("tag", d.RemoteTag)
	}
	callID, hops := siplib.CallIDHeader(d.CallID), siplib.MaxForwardsHeader(70)
	for _, h := range []siplib.Header{from, to, &callID, &siplib.CSeqHeader{SeqNo: d.CSeq, MethodName: method}, &hops} {
		req.AppendHeader(h)
	}
	req.SetTransport(string(d.Transport.OrUDP()))
	req.SetDestination(d.NextHop)
	return req, nil
}

// route returns the Route headers of a request to the target. A nearest proxy of the old kind takes the target's place, which
// goes last then (RFC 3261 section 12.2.1.1).
func (d *Dialog) route(target *siplib.Uri) ([]string, error) {
	if len(d.Routes) == 0 {
		return nil, nil
	}
	var nearest siplib.Uri
	if _, err := siplib.ParseAddressValue(d.Routes[0], &nearest, &siplib.HeaderParams{}); err != nil {
		return nil, fmt.Errorf("read route: %w", err)
	}
	if nearest.UriParams.Has("lr") {
		return d.Routes, nil
	}
	routes := append(slices.Clone(d.Routes[1:]), "<"+target.String()+">")
	*target = nearest
	return routes, nil
}
