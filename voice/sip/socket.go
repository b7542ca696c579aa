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

// setUpLibrary lifts sipgo's limit and silences the logger of its connections, which warn about every connection that
// we close. Both are variables of that package, so this comes before any socket.
var setUpLibrary = sync.OnceFunc(func() {
	siplib.UDPMTUSize = messageLimit + 200
	siplib.SetDefaultLogger(slog.New(slog.DiscardHandler))
})

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
	if ua.welcome(addrPort(from.RemoteAddr)) || ua.isToken(requestUser(data)) {
		return data, nil
	}
	return nil, nil
}

// requestUser is the user part of the URI in a request line, or empty.
func requestUser(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\r\n"))
	_, uri, _ := bytes.Cut(line, []byte(" sip:"))
	user, _, found := bytes.Cut(uri, []byte("@"))
	if !found {
		return ""
	}
	return string(user)
}

// welcome tells whether a source may send requests. The far ends of live legs and our registrars always may.
func (ua *UA) welcome(source netip.AddrPort) bool {
	return ua.cfg.Screen == nil || ua.isPeer(source) || ua.cfg.Screen(source)
}

func (ua *UA) isPeer(source netip.AddrPort) bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.peers[source] > 0 {
		return true
	}
	for _, b := range ua.bindings {
		if b.source.IsValid() && b.source.Addr() == source.Addr() {
			return true
		}
	}
	return false
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
