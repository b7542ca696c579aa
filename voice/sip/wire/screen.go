package wire

import (
	"bytes"
	"net/netip"

	siplib "github.com/emiago/sipgo/sip"
)

// screen drops what comes from sources that are not welcome before anything is parsed or remembered of it: requests of
// unknown sources, and answers of those whom we asked nothing. Connections were screened when they were accepted.
func (e *Endpoint) screen(from siplib.TransportReadProps, data []byte) ([]byte, error) {
	if e.cfg.Screen == nil || from.Transport != string(UDP) {
		return data, nil
	}
	source, answer := AddrPort(from.RemoteAddr), isResponse(data)
	if answer && e.socket.asked.has(source.Addr()) || !answer && e.cfg.Directory.IsOurs(requestUser(data)) || e.welcome(source) {
		return data, nil
	}
	return nil, nil
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
