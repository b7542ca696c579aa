package wire

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// Every message is answered in a goroutine of its own, so whoever sends requests and reads no answer would have them pile up
// without end, and hold up the end of the endpoint. A carrier has thousands of calls on a connection, which may all end at once.
const (
	writeLimit   = 10 * time.Second // for one message
	maxWriting   = 8192             // messages that wait for a connection to take them
	maxWritingOf = 512              // for that of a guest
)

var errUnread = errors.New("the far end does not read what it is sent")

// readers are connections whose far ends have to read.
type readers struct {
	net.Listener
	isGuest func(source netip.AddrPort) bool
}

// Accept implements net.Listener.
func (l readers) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	most := maxWriting
	if l.isGuest(AddrPort(conn.RemoteAddr())) {
		most = maxWritingOf
	}
	return &readConn{Conn: conn, most: int32(most)}, nil
}

// readConn closes when too much waits to be written, and when a write fails: the rest of a message would be read as another one.
type readConn struct {
	net.Conn
	most    int32
	writing atomic.Int32
}

// Write implements net.Conn.
func (c *readConn) Write(b []byte) (int, error) {
	defer c.writing.Add(-1)
	if c.writing.Add(1) > c.most {
		_ = c.Close() // so do those that wait
		return 0, errUnread
	}
	n, err := c.Conn.Write(b)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}
