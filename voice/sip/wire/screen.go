package wire

import (
	"bytes"
	"net/netip"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// screen drops what comes from sources that are not welcome before anything is parsed or remembered of it: requests of
// unknown sources, and answers of those whom we asked nothing. Connections were screened when they were accepted.
func (e *Endpoint) screen(from siplib.TransportReadProps, data []byte) ([]byte, error) {
	switch source := AddrPort(from.RemoteAddr); {
	case e.deaf.Load():
		return nil, nil
	case from.Transport != string(UDP):
		return data, nil
	case isResponse(data):
		if e.cfg.Screen != nil && !e.socket.asked.has(source.Addr()) && !e.welcome(source) {
			return nil, nil
		}
	case hasControls(data), !e.welcome(source) && !e.isCalled(source.Addr(), requestUser(data)):
		return nil, nil
	case !e.load.take(source.Addr(), e.isGuest(source), begins(data), time.Now()):
		return nil, nil
	default:
		e.socket.heard.add(source.Addr(), time.Now())
	}
	return data, nil
}

// isCalled reports whether a request from anywhere is for a user that we gave somebody. An answer goes to the address that the
// request bears, whoever wrote it there.
func (e *Endpoint) isCalled(source netip.Addr, user string) bool {
	return e.cfg.Directory.IsOurs(user) && (e.cfg.Answers == nil || e.cfg.Answers(source))
}

// hasControls reports whether the head of a message holds control characters that end no line. sipgo answers some requests
// before anybody else sees them, and writes their lines back.
func hasControls(data []byte) bool {
	head, _, _ := bytes.Cut(data, []byte("\r\n\r\n"))
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\r\n"))
		if bytes.ContainsFunc(line, isControl) {
			return true
		}
		head = rest
	}
	return false
}

// requestUser returns the user part of the URI in a request line, or empty.
func requestUser(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\r\n"))
	_, uri, _ := bytes.Cut(line, []byte(" sip:"))
	user, _, found := bytes.Cut(uri, []byte("@"))
	if !found {
		return ""
	}
	return string(user)
}

// welcome reports whether a source may send requests. The far ends of live legs and our registrars always may, from any port.
func (e *Endpoint) welcome(source netip.AddrPort) bool {
	return e.cfg.Screen == nil || e.cfg.Directory.IsPeer(source) || e.cfg.Screen(source)
}

// isGuest reports whether a source is none of those whom Screen admits.
func (e *Endpoint) isGuest(source netip.AddrPort) bool {
	return e.cfg.Screen != nil && !e.cfg.Screen(source)
}
