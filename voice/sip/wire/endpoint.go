package wire

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

// UserAgent is what we call ourselves.
const UserAgent = "callwright"

// Config is what an endpoint needs to know about its place in the network.
type Config struct {
	Listen   string       // address and UDP port; port 0 picks a free one
	TCP      string       // address and port for TCP; empty: none is accepted
	TLS      TLSConfig    // for TLS
	PublicIP netip.Addr   // that others reach us at; zero: the listen address
	Logger   *slog.Logger // must be set
	// who may send requests beside those whom Directory knows; nil: anyone
	Screen func(source netip.AddrPort) bool
	// who may send requests to users that Directory knows; nil: anyone
	Answers   func(source netip.Addr) bool
	Directory Directory                       // of those who have to do with us
	Late      func(response *siplib.Response) // takes answers that no transaction waits for
	// told of the final answer to each request of Exchange; nil: none came
	Received func(method siplib.RequestMethod, final *siplib.Response)
}

// Directory knows with whom we have calls and registrations.
type Directory interface {
	IsOurs(user string) bool             // reports whether a request URI with this user is one that we gave somebody
	IsPeer(source netip.AddrPort) bool   // reports whether a source is a far end of a call, or a registrar of ours
	SeenFrom(host string) netip.AddrPort // returns where a host sees us, as far as a registrar there has told
}

// Endpoint is our end of SIP on one UDP socket and, where asked for, one that accepts TCP and one that accepts TLS.
type Endpoint struct {
	cfg       Config
	log       *slog.Logger
	public    netip.AddrPort // what others reach us at over UDP
	agent     *sipgo.UserAgent
	clients   map[Transport]*sipgo.Client
	socket    *socket
	listeners map[Transport]net.Listener // for TCP and TLS
	ports     map[Transport]uint16       // that others reach us at, where we listen
	serving   sync.WaitGroup             // ends when no socket is read any more

	load load

	gate    sync.RWMutex   // held for reading while something is sent or spawned
	stopped bool           // nothing may be sent or spawned any more
	tasks   sync.WaitGroup // goroutines that serve calls or tidy up behind them
	deaf    atomic.Bool    // nothing is read any more
	refused atomic.Uint64  // messages and connections that nobody decided on
}

// Addr returns the address of the UDP socket.
func (e *Endpoint) Addr() netip.AddrPort { return AddrPort(e.socket.LocalAddr()) }
