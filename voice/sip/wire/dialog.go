package wire

import (
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
	NextHop   string   `json:"next_hop"`         // host:port that requests are sent to
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
	if contact == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.d.Target = contact.Address.String()
}

// DialogOfCaller returns the dialog that a 2xx to our INVITE makes (RFC 3261 section 12.1.2).
func DialogOfCaller(req *siplib.Request, res *siplib.Response) (Dialog, error) {
	target := req.Recipient // for an answer without the Contact that it must have
	if contact := res.Contact(); contact != nil {
		target = contact.Address
	}
	d := Dialog{
		CallID:    req.CallID().Value(),
		LocalURI:  req.From().Address.String(),
		LocalTag:  req.From().Params.GetOr("tag", ""),
		RemoteURI: res.To().Address.String(),
		RemoteTag: res.To().Params.GetOr("tag", ""),
		Target:    target.String(),
		CSeq:      req.CSeq().SeqNo,
		Routes:    HeaderValues(res, "Record-Route"),
	}
	slices.Reverse(d.Routes)
	return d, d.findNextHop(req.Transport(), res.Source(), req.Destination())
}

// DialogOfCallee returns the dialog that our 2xx to an INVITE makes (RFC 3261 section 12.1.1).
func DialogOfCallee(req *siplib.Request, tag string) (Dialog, error) {
	d := Dialog{
		CallID:    req.CallID().Value(),
		LocalURI:  req.To().Address.String(),
		LocalTag:  tag,
		RemoteURI: req.From().Address.String(),
		RemoteTag: req.From().Params.GetOr("tag", ""),
		Target:    req.Contact().Address.String(),
		Routes:    HeaderValues(req, "Record-Route"),
	}
	return d, d.findNextHop(req.Transport(), req.Source(), hostPort(&req.Contact().Address, TransportOf(req)))
}

// findNextHop decides where requests go: to the nearest proxy on the route, else over UDP to where the far end's packets
// come from, because a Contact behind a NAT leads nowhere. Over TCP and TLS that port is the end of one connection,
// which is preferred while it lives (see Address); redial is where another one can be opened.
func (d *Dialog) findNextHop(transport, source, redial string) error {
	if d.Transport = Transport(transport); d.Transport.Reliable() {
		d.Connection, d.NextHop = source, redial
	} else {
		d.Transport, d.NextHop = "", source
	}
	if len(d.Routes) == 0 {
		return nil
	}
	var uri siplib.Uri
	if _, err := siplib.ParseAddressValue(d.Routes[0], &uri, &siplib.HeaderParams{}); err != nil {
		return fmt.Errorf("read record-route: %w", err)
	}
	d.Transport = routeTransport(&uri, d.Transport)
	d.NextHop = hostPort(&uri, d.Transport)
	return nil
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
