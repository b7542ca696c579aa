package sip

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"

	siplib "github.com/emiago/sipgo/sip"
)

// messageLimit is the largest SIP message sent over UDP, in bytes. RFC 3261 section 18.1.1 would move requests above
// 1,300 bytes to TCP, but answers cannot move, and behind two proxies they are regularly larger. IP fragments them.
const messageLimit = 8192

// raiseMessageLimit lifts sipgo's limit, which is a variable of that package, before any socket uses it.
var raiseMessageLimit = sync.OnceFunc(func() { siplib.UDPMTUSize = messageLimit + 200 })

// socket tells when sipgo has begun to read it: from then on requests may be sent through it.
type socket struct {
	*net.UDPConn
	reading chan struct{}
	once    sync.Once
}

func newSocket(conn *net.UDPConn) *socket {
	return &socket{UDPConn: conn, reading: make(chan struct{})}
}

// ReadFrom is called by sipgo only after it has made the socket known to its senders.
func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	s.once.Do(func() { close(s.reading) })
	return s.UDPConn.ReadFrom(b)
}

// screen drops requests from sources that are not welcome before anything is parsed. Responses pass, since they are
// matched with what we asked. Connections were screened when they were accepted.
func (ua *UA) screen(from siplib.TransportReadProps, data []byte) ([]byte, error) {
	if ua.cfg.Screen == nil || from.Transport != string(UDP) || bytes.HasPrefix(data, []byte("SIP/2.0 ")) {
		return data, nil
	}
	if ua.welcome(addrPort(from.RemoteAddr)) {
		return data, nil
	}
	return nil, nil
}

// welcome tells whether a source may send requests. The far ends of live legs always may.
func (ua *UA) welcome(source netip.AddrPort) bool {
	return ua.cfg.Screen == nil || ua.isPeer(source) || ua.cfg.Screen(source)
}

func (ua *UA) isPeer(source netip.AddrPort) bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.peers[source] > 0
}

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
