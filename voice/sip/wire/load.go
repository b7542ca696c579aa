package wire

import (
	"bytes"
	"log/slog"
	"net/netip"
	"sync"

	siplib "github.com/emiago/sipgo/sip"
)

// A request over UDP is remembered for half a minute (RFC 3261, timers H and J), and whoever writes sources that are not its own
// sends thousands a second. What begins something is dropped when so many are remembered, what goes on has as much room again: a
// caller repeats itself, and by then there may be room.
const (
	maxRemembered   = 16 << 10
	maxRememberedOf = 1 << 10 // of a guest
)

// load is what is remembered of requests over UDP, by their sources.
type load struct {
	log *slog.Logger

	mu   sync.Mutex
	all  int
	of   map[netip.Addr]int
	full bool // something was dropped since there was room
}

// hasRoom reports whether there is room for a request.
func (l *load) hasRoom(source netip.Addr, guest, begins bool) bool {
	most, mostOf := maxRemembered, maxRememberedOf
	if !begins {
		most, mostOf = 2*most, 2*mostOf
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all < most && (!guest || l.of[source] < mostOf) {
		return true
	}
	if !l.full {
		l.log.Warn("sip requests are dropped, as too many came", "remembered", l.all, "pii.source", source, "of_source", l.of[source])
	}
	l.full = true
	return false
}

// add counts a request until its transaction is over.
func (l *load) add(source netip.Addr, tx siplib.ServerTransaction) {
	l.change(source, 1)
	if !tx.OnTerminate(func(string, error) { l.change(source, -1) }) {
		l.change(source, -1)
	}
}

func (l *load) change(source netip.Addr, by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all += by
	if l.of[source] += by; l.of[source] == 0 {
		delete(l.of, source)
	}
	l.full = l.full && l.all > maxRememberedOf
}

// Remember counts a request, until its transaction is over, among those for which there is room.
func (e *Endpoint) Remember(req *siplib.Request, tx siplib.ServerTransaction) {
	source, err := netip.ParseAddrPort(req.Source())
	if err == nil && !TransportOf(req).Reliable() { // over those nothing is remembered
		e.load.add(source.Addr().Unmap(), tx)
	}
}

// begins reports whether a request belongs to nothing that there is yet: it names no dialog, and cancels nothing.
func begins(data []byte) bool {
	head, _, _ := bytes.Cut(data, []byte("\r\n\r\n"))
	if bytes.HasPrefix(head, []byte(cancelling)) {
		return false
	}
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if name = bytes.TrimSpace(name); bytes.EqualFold(name, []byte("To")) || bytes.EqualFold(name, []byte("t")) {
			return !bytes.Contains(bytes.ToLower(value), []byte(";tag="))
		}
	}
	return true
}
