package wire

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"sync"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// messageLimit is the largest SIP message sent over UDP, in bytes. RFC 3261 section 18.1.1 would move requests above
// 1,300 bytes to TCP, but answers cannot move, and behind two proxies they are regularly larger. IP fragments them.
const messageLimit = 8192

// setUpLibrary lifts sipgo's limit and silences the logger of its connections, which warn about every connection that
// we close. Both are variables of that package, so this comes before any socket.
var setUpLibrary = sync.OnceFunc(func() {
	siplib.UDPMTUSize = messageLimit + 200
	siplib.SetDefaultLogger(slog.New(slog.DiscardHandler))
})

// acceptPause is how long a socket rests after an error that passes.
const acceptPause = 50 * time.Millisecond

// socket tells when sipgo has begun to read it: from then on requests may be sent through it. It outlives errors that
// pass, at which sipgo would stop reading for good, and knows whom we asked something and who asks us.
type socket struct {
	*net.UDPConn
	log     *slog.Logger
	reading chan struct{}
	once    sync.Once
	asked   recent // whom we sent requests to
	heard   recent // whose requests we take
	leaving outbound
	refuse  func(what, address string) error
}

func newSocket(conn *net.UDPConn, log *slog.Logger, refuse func(what, address string) error) *socket {
	return &socket{
		UDPConn: conn, log: log, reading: make(chan struct{}), refuse: refuse,
		asked: recent{at: map[netip.Addr]time.Time{}}, heard: recent{at: map[netip.Addr]time.Time{}},
		leaving: outbound{by: map[string]leaving{}},
	}
}

// ReadFrom is called by sipgo only after it has made the socket known to its senders.
func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	s.once.Do(func() { close(s.reading) })
	for {
		n, from, err := s.UDPConn.ReadFrom(b)
		if err == nil || errors.Is(err, net.ErrClosed) {
			return n, from, err
		}
		s.log.Error("sip socket was not read", "error", err)
		time.Sleep(acceptPause)
	}
}

// WriteTo is how sipgo sends a message: requests go where was decided, and answers to who asked. A repetition without its
// permit is lost, as on any network.
func (s *socket) WriteTo(b []byte, to net.Addr) (int, error) {
	at := AddrPort(to)
	if isResponse(b) {
		if !s.heard.has(at.Addr()) {
			return 0, s.refuse("answer", at.String())
		}
		return s.UDPConn.WriteTo(b, to)
	}
	leaving, found := s.leaving.find(b)
	switch {
	case !found || leaving.to != at:
		return 0, s.refuse("request", at.String())
	case rings(b) && !leaving.permitted():
		return len(b), nil
	}
	s.asked.add(at.Addr(), time.Now())
	return s.UDPConn.WriteTo(b, to)
}

const (
	recentFor  = time.Hour // longer than any request waits for its answer
	recentRoom = 1024      // addresses kept before old ones are looked for
)

// recent is with whom we had to do of late. It is swept when it has doubled, so that it stays as small as that is.
type recent struct {
	mu    sync.Mutex
	at    map[netip.Addr]time.Time
	sweep int
}

func (a *recent) add(ip netip.Addr, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.at[ip]; !known && len(a.at) >= max(a.sweep, recentRoom) {
		maps.DeleteFunc(a.at, func(_ netip.Addr, at time.Time) bool { return now.Sub(at) > recentFor })
		a.sweep = 2 * len(a.at)
	}
	a.at[ip] = now
}

func (a *recent) has(ip netip.Addr) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, found := a.at[ip]
	return found
}

func isResponse(data []byte) bool { return bytes.HasPrefix(data, []byte("SIP/2.0 ")) }

// quietLogger gives sipgo a logger whose lines are for debugging only. They quote whole messages, which is callers'
// data, so their attributes go under pii.
func quietLogger(log *slog.Logger) *slog.Logger {
	return slog.New(debugHandler{log.Handler()}).WithGroup("pii")
}

type debugHandler struct{ slog.Handler }

func (h debugHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.Handler.Enabled(ctx, slog.LevelDebug)
}

func (h debugHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return h.Handler.Handle(ctx, r)
}

func (h debugHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return debugHandler{h.Handler.WithAttrs(attrs)}
}

func (h debugHandler) WithGroup(name string) slog.Handler {
	return debugHandler{h.Handler.WithGroup(name)}
}
