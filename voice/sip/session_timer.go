package sip

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// Session timers (RFC 4028) end calls whose far end died without a word, in our books and in those of every proxy on
// the way: one side refreshes the call before an interval is over, and the other hangs up when no refresh comes.
const (
	defaultSession = 30 * time.Minute
	minSession     = 90 * time.Second // the shortest interval that section 4 lets anybody ask for
	sessionMargin  = 32 * time.Second // a watcher hangs up this much before the end of the interval, section 10
)

// ErrSessionExpired ends a leg whose far end neither refreshed the call nor took our refresh.
var ErrSessionExpired = errors.New("the far end stopped confirming the call")

const statusSessionTooSmall = 422

// Refreshers, as seen from the request that names one: its sender and its receiver.
const (
	refresherUAC = "uac"
	refresherUAS = "uas"
)

// sessionTerms is what a Session-Expires header says.
type sessionTerms struct {
	interval  time.Duration
	refresher string // empty: left to the other side
}

func (s sessionTerms) header() siplib.Header {
	value := strconv.Itoa(int(s.interval.Seconds()))
	if s.refresher != "" {
		value += ";refresher=" + s.refresher
	}
	return siplib.NewHeader("Session-Expires", value)
}

// readSession reads the terms in a message; ok is false where there are none.
func readSession(msg siplib.Message) (terms sessionTerms, ok bool) {
	values := slices.Concat(msg.GetHeaders("Session-Expires"), msg.GetHeaders("x")) // its compact form
	if len(values) == 0 {
		return sessionTerms{}, false
	}
	fields := strings.Split(values[0].Value(), ";")
	terms.interval = parseSeconds(fields[0])
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(field)), "=")
		value = strings.TrimSpace(value)
		if strings.TrimSpace(name) == "refresher" && (value == refresherUAC || value == refresherUAS) {
			terms.refresher = value
		}
	}
	return terms, terms.interval > 0
}

// supportsTimer reports whether the sender of a message knows session timers.
func supportsTimer(msg siplib.Message) bool {
	return listed(msg, "timer", "Supported", "k", "Require")
}

// tooShort refuses a request for an interval that nobody may ask for (RFC 4028 section 9), unless it is the one agreed on.
func (ua *UA) tooShort(req *siplib.Request, tx siplib.ServerTransaction, agreed time.Duration) bool {
	terms, asked := readSession(req)
	if !asked || terms.interval >= ua.timers.session || agreed > 0 && terms.interval >= agreed || !supportsTimer(req) {
		return false
	}
	least := siplib.NewHeader("Min-SE", strconv.Itoa(int(ua.timers.session.Seconds())))
	ua.wire.Reply(req, tx, statusSessionTooSmall, "Session Interval Too Small", least)
	return true
}

// askSession puts our terms into a request: we are the ones to refresh.
func askSession(req *siplib.Request, interval, shortest time.Duration) {
	req.AppendHeader(siplib.NewHeader("Supported", "timer"))
	if interval <= 0 {
		return
	}
	req.AppendHeader(sessionTerms{interval, refresherUAC}.header())
	if shortest > 0 {
		req.AppendHeader(siplib.NewHeader("Min-SE", strconv.Itoa(int(shortest.Seconds()))))
	}
}

// sessionTimer is the clock of a session; it stands still where no timer was agreed on.
type sessionTimer struct {
	mu       sync.Mutex
	timer    *time.Timer
	interval time.Duration
	expires  time.Time
	over     bool
}

// set runs act after a while, in place of what was set before.
func (s *sessionTimer) set(after time.Duration, act func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	if !s.over {
		s.timer = time.AfterFunc(after, act)
	}
}

// agree notes a new interval, which begins now.
func (s *sessionTimer) agree(interval time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interval, s.expires = interval, time.Now().Add(interval)
}

// stop ends the timer of this interval.
func (s *sessionTimer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.interval = 0
}

// close stops the timer for good.
func (s *sessionTimer) close() {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

func (s *sessionTimer) state() (interval, left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interval, time.Until(s.expires)
}
