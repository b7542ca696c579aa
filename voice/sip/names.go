package sip

import "github.com/callwright/callwright/voice/sip/wire"

// The names of voice/sip/wire that users of this package need: its face is here.
type (
	Transport = wire.Transport // how SIP messages travel to the next hop
	TLSConfig = wire.TLSConfig // what SIP over TLS needs
	Dialog    = wire.Dialog    // what another process needs to end a call
	Refused   = wire.Refused   // the final answer of a far end that did not take a call
)

// The transports of a user agent. UDP is always there, and the others can always open connections.
const (
	UDP = wire.UDP
	TCP = wire.TCP
	TLS = wire.TLS
)
