package wire

import (
	"bytes"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

// A request over UDP is remembered for half a minute (RFC 3261, timers H and J), and whoever writes sources that are not its own
// sends thousands a second. So many are taken in that time, and as many again that go on with something: a caller repeats itself,
// and by then there may be room.
const (
	loadSpan  = 32 * time.Second
	maxLoad   = 32 << 10
	maxLoadOf = 1 << 10 // of a guest
)

// load is how many requests over UDP were taken in this span, by their sources.
type load struct {
	log *slog.Logger

	mu    sync.Mutex
	since time.Time
	all   int
	of    map[netip.Addr]int
	told  bool // that some were dropped
}

// take counts a request, and returns false when it has to be dropped.
func (l *load) take(source netip.Addr, guest, begins bool, now time.Time) bool {
	most, mostOf := maxLoad, maxLoadOf
	if !begins {
		most, mostOf = 2*most, 2*mostOf
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) >= loadSpan {
		l.since, l.all, l.of, l.told = now, 0, map[netip.Addr]int{}, false
	}
	if l.all >= most || guest && l.of[source] >= mostOf {
		if !l.told {
			l.log.Warn("sip requests are dropped, as too many came", "taken", l.all, "pii.source", source, "of_source", l.of[source])
		}
		l.told = true
		return false
	}
	l.all++
	l.of[source]++
	return true
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
