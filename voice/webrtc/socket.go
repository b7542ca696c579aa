package webrtc

import (
	"errors"
	"log/slog"
	"net"
	"time"
)

const readPause = 50 * time.Millisecond

// socket outlives errors that pass, at which pion would stop reading it for good.
type socket struct {
	*net.UDPConn
	log *slog.Logger
}

// ReadFrom implements net.PacketConn.
func (s socket) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := s.UDPConn.ReadFrom(b)
		if err == nil || errors.Is(err, net.ErrClosed) {
			return n, from, err
		}
		s.log.Error("socket of web calls was not read", "error", err)
		time.Sleep(readPause)
	}
}
