package sip

import (
	"errors"
	"net/netip"
	"sync"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

var errSameToken = errors.New("another registration has this token")

// registry is with whom a user agent has to do: calls that ring and live, and registrations.
type registry struct {
	calls      sync.WaitGroup // rings, dials and legs; Add only through enter and register
	registered sync.WaitGroup

	mu       sync.Mutex
	draining bool
	refusing bool // calls that come in are refused, others are not
	legs     map[legKey]*Leg
	early    map[legKey]early
	lapsed   map[legKey]lapsed      // INVITEs that nobody waits for any more
	peers    map[netip.Addr]int     // where live legs' requests come from, with how many
	tags     map[string]int         // that calls bear, ringing ones too
	bindings map[string]*registered // by their tokens
}

// registered is a registration as far as messages are recognised by it.
type registered struct {
	token     string // the user part of our Contact
	registrar string // address
	account   wire.Credentials

	// Guarded by the registry's mu:
	source netip.AddrPort // of the registrar's answers
	seen   netip.AddrPort // where the registrar sees us
}

func newRegistry() registry {
	return registry{
		legs: map[legKey]*Leg{}, early: map[legKey]early{}, lapsed: map[legKey]lapsed{}, peers: map[netip.Addr]int{},
		tags: map[string]int{}, bindings: map[string]*registered{},
	}
}

// legKey finds the leg a request belongs to. The tag is ours.
type legKey struct{ callID, tag string }

// enter counts a new call in, unless the user agent is closing.
func (r *registry) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return false
	}
	r.calls.Add(1)
	return true
}

// register makes a leg reachable for requests. The caller's own call still counts, so the leg may join even in a drain.
func (r *registry) register(l *Leg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.Add(1)
	r.legs[l.key] = l
	r.peers[l.peer.Addr()]++
	r.tags[l.key.tag]++
}

// forget is the end of what register began.
func (r *registry) forget(l *Leg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.legs[l.key] != l {
		return
	}
	delete(r.legs, l.key)
	countDown(r.peers, l.peer.Addr())
	countDown(r.tags, l.key.tag)
	r.calls.Done()
}

func countDown[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

func (r *registry) live() []*Leg {
	r.mu.Lock()
	defer r.mu.Unlock()
	legs := make([]*Leg, 0, len(r.legs))
	for _, l := range r.legs {
		legs = append(legs, l)
	}
	return legs
}

// bind makes a registration known, so that calls through it are recognised.
func (r *registry) bind(b *registered) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return media.ErrClosed
	}
	if r.bindings[b.token] != nil {
		return errSameToken
	}
	r.bindings[b.token] = b
	r.registered.Add(1)
	return nil
}

func (r *registry) unbind(b *registered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.bindings, b.token)
	r.registered.Done()
}

// isToken reports whether calls to this user come through one of our registrations.
func (r *registry) isToken(user string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bindings[user] != nil
}

// isOurs reports whether a request URI with this user is one that we gave somebody: as the Contact of a registration, or of a
// call.
func (r *registry) isOurs(user string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bindings[user] != nil || r.tags[user] > 0
}

// accountOf returns what a registrar knows us by that sent a call with this token, for when it asks within that call.
func (r *registry) accountOf(token string) wire.Credentials {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.bindings[token]; b != nil {
		return b.account
	}
	return wire.Credentials{}
}

// seenFrom returns where a host sees us, as far as a registration there has told.
func (r *registry) seenFrom(host string) netip.AddrPort {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bindings {
		if b.seen.IsValid() && (host == wire.HostOf(b.registrar) || host == b.source.Addr().String()) {
			return b.seen
		}
	}
	return netip.AddrPort{}
}

// isPeer reports whether a source is the far end of a live call, or a registrar of ours.
func (r *registry) isPeer(source netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.peers[source.Addr()] > 0 {
		return true
	}
	for _, b := range r.bindings {
		if b.source.IsValid() && b.source.Addr() == source.Addr() {
			return true
		}
	}
	return false
}

// Refuse has calls that come in refused with 503 from now on, and says so to whoever asks by OPTIONS. Live calls go on,
// and others can still be dialed.
func (ua *UA) Refuse() {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.refusing = true
}

// refuses reports whether calls that come in are refused.
func (r *registry) refuses() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusing || r.draining
}

// directory is a registry as an endpoint asks it.
type directory struct{ *registry }

func (d directory) IsOurs(user string) bool             { return d.isOurs(user) }
func (d directory) IsPeer(source netip.AddrPort) bool   { return d.isPeer(source) }
func (d directory) SeenFrom(host string) netip.AddrPort { return d.seenFrom(host) }

// lapsed is an INVITE whose transaction is over without an answer.
type lapsed struct {
	req     *siplib.Request
	account wire.Credentials
	reach   Reach
}

// early takes the requests of a dialog that no call was made of yet (RFC 3261 section 12). Without it they would meet 481,
// at which far ends give the call up.
type early struct {
	remoteTag string // empty: not known, as several may be ringing
	take      func(req *siplib.Request, tx siplib.ServerTransaction)
}
