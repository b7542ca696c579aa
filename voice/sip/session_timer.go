package sip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
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
		if value = strings.TrimSpace(value); strings.TrimSpace(name) == "refresher" && (value == refresherUAC || value == refresherUAS) {
			terms.refresher = value
		}
	}
	return terms, terms.interval > 0
}

// supportsTimer tells whether the sender of a message knows session timers.
func supportsTimer(msg siplib.Message) bool {
	return listed(msg, "timer", "Supported", "k", "Require")
}

// listed tells whether one of these headers lists a word.
func listed(msg siplib.Message, word string, headers ...string) bool {
	for _, name := range headers {
		if slices.ContainsFunc(wire.HeaderValues(msg, name), func(v string) bool { return strings.EqualFold(v, word) }) {
			return true
		}
	}
	return false
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

// answerSession puts the terms of a request into its answer and keeps to them. Whoever asked for a timer refreshes,
// unless it named us or cannot (RFC 4028 table 2). Who asks for none refreshes no more, and has to be waited for no more.
func (l *Leg) answerSession(req *siplib.Request, res *siplib.Response) {
	terms, ok := readSession(req)
	if !ok {
		l.session.stop()
		return
	}
	supported := supportsTimer(req)
	switch {
	case !supported: // a proxy asked for it
		terms.refresher = refresherUAS
	case terms.refresher == "":
		terms.refresher = refresherUAC
	}
	res.AppendHeader(terms.header())
	if supported {
		res.AppendHeader(siplib.NewHeader("Require", "timer"))
	}
	l.keepSession(terms.interval, terms.refresher == refresherUAS)
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

// takeSession keeps to the terms in an answer to a request of ours. Without any there is no timer.
func (l *Leg) takeSession(res *siplib.Response) {
	if terms, ok := readSession(res); ok {
		l.keepSession(terms.interval, terms.refresher != refresherUAS)
	} else {
		l.session.stop()
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

// keepSession begins a new interval in which we refresh, or watch the far end refreshing.
func (l *Leg) keepSession(interval time.Duration, ours bool) {
	l.session.agree(interval)
	if ours {
		l.session.set(interval/2, func() { l.ua.wire.Spawn(l.refreshSession) })
		return
	}
	l.session.set(interval-min(sessionMargin, interval/3), func() {
		l.ua.wire.Spawn(func() { l.abort(ErrSessionExpired) })
	})
}

// refreshSession tells the far end that we are still there. A refresh that fails for a passing reason is tried again
// before the interval is over.
func (l *Leg) refreshSession() {
	interval, left := l.session.state()
	ctx, cancel := context.WithTimeout(l.remoteEnd, l.ua.timers.timeout())
	defer cancel()
	err := l.refresh(ctx, interval)
	var refused *Refused
	switch {
	case err == nil || l.ended():
	case errors.As(err, &refused) && refused.Code != siplib.StatusCallTransactionDoesNotExists &&
		refused.Code != siplib.StatusRequestTimeout && left > interval/8:
		l.session.set(left/4, func() { l.ua.wire.Spawn(l.refreshSession) })
	case errors.Is(err, sdp.ErrGlare) && left > interval/8: // another offer is doing it for us
		l.session.set(left/4, func() { l.ua.wire.Spawn(l.refreshSession) })
	default:
		l.abort(errors.Join(ErrSessionExpired, err))
	}
}

// refresh sends an UPDATE, or to a far end that knows none our description once more.
func (l *Leg) refresh(ctx context.Context, interval time.Duration) error {
	if !l.updates.Load() {
		return l.reoffer(ctx)
	}
	done, err := l.exchange(ctx, siplib.UPDATE, func(req *siplib.Request) {
		req.AppendHeader(l.contact())
		askSession(req, interval, 0)
	})
	if err != nil {
		return fmt.Errorf("refresh session: %w", err)
	}
	switch code := done.Res.StatusCode; {
	case done.Res.IsSuccess():
		l.takeSession(done.Res)
		return nil
	case code == siplib.StatusMethodNotAllowed || code == siplib.StatusNotImplemented: // by somebody on the way
		l.updates.Store(false)
		return l.refresh(ctx, interval)
	}
	return fmt.Errorf("refresh session: %w", wire.RefusedBy(done.Res))
}
