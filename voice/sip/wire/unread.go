package wire

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// Every message is answered in a goroutine of its own, so whoever sends requests and reads no answer would have them pile up
// without end, and hold up the end of the endpoint. Carriers have hundreds of calls on a connection, which are written at once.
const (
	writeLimit = 10 * time.Second // for one message
	maxWriting = 512              // messages that wait for a connection to take them
)

var errUnread = errors.New("the far end does not read what it is sent")

// readers are connections whose far ends have to read.
type readers struct{ net.Listener }

// Accept implements net.Listener.
func (l readers) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &readConn{Conn: conn}, nil
}

// readConn closes when too much waits to be written, and when a write fails: the rest of a message would be read as another one.
type readConn struct {
	net.Conn
	writing atomic.Int32
}

// Write implements net.Conn.
func (c *readConn) Write(b []byte) (int, error) {
	defer c.writing.Add(-1)
	if c.writing.Add(1) > maxWriting {
		_ = c.Close() // so do those that wait
		return 0, errUnread
	}
	n, err := c.Conn.Write(b)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}
