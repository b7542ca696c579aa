package sip

import (
	"net/netip"

	"github.com/callwright/callwright/voice/media"
)

// enter counts a new call in, unless the user agent is closing.
func (ua *UA) enter() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.draining {
		return false
	}
	ua.calls.Add(1)
	return true
}

// register makes a leg reachable for requests. The caller's own call still counts, so the leg may join even in a drain.
func (ua *UA) register(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.calls.Add(1)
	ua.legs[l.key] = l
	ua.peers[l.peer.Addr()]++
	ua.tags[l.key.tag]++
}

// forget is the end of what register began.
func (ua *UA) forget(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.legs[l.key] != l {
		return
	}
	delete(ua.legs, l.key)
	countDown(ua.peers, l.peer.Addr())
	countDown(ua.tags, l.key.tag)
	ua.calls.Done()
}

func countDown[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

func (ua *UA) live() []*Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	legs := make([]*Leg, 0, len(ua.legs))
	for _, l := range ua.legs {
		legs = append(legs, l)
	}
	return legs
}

// bind makes a registration known, so that calls through it are recognised.
func (ua *UA) bind(b *binding) error {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.draining {
		return media.ErrClosed
	}
	if ua.bindings[b.Token] != nil {
		return errSameToken
	}
	ua.bindings[b.Token] = b
	ua.registered.Add(1)
	return nil
}

func (ua *UA) unbind(b *binding) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	delete(ua.bindings, b.Token)
	ua.registered.Done()
}

// isToken tells whether calls to this user come through one of our registrations.
func (ua *UA) isToken(user string) bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.bindings[user] != nil
}

// isOurs tells whether a request URI with this user is one that we gave somebody: as the Contact of a registration, or of a
// call.
func (ua *UA) isOurs(user string) bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.bindings[user] != nil || ua.tags[user] > 0
}

// accountOf is what a registrar knows us by that sent a call with this token, for when it asks within that call.
func (ua *UA) accountOf(token string) credentials {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if b := ua.bindings[token]; b != nil {
		return b.account
	}
	return credentials{}
}

// seenFrom is where a host sees us, as far as a registration there has told.
func (ua *UA) seenFrom(host string) netip.AddrPort {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	for _, b := range ua.bindings {
		if b.seen.IsValid() && (host == hostOf(b.Registrar) || host == b.source.Addr().String()) {
			return b.seen
		}
	}
	return netip.AddrPort{}
}

// Refuse has calls that come in refused with 503 from now on, and says so to whoever asks by OPTIONS. Live calls go on,
// and others can still be dialed.
func (ua *UA) Refuse() {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.refusing = true
}

// refuses tells whether calls that come in are refused.
func (ua *UA) refuses() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.refusing || ua.draining
}
