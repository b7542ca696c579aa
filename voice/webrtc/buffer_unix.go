//go:build unix

package webrtc

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// sizeBuffer asks for a receive buffer of ReceiveBuffer and returns what the kernel has granted.
func sizeBuffer(conn *net.UDPConn) (granted int, err error) {
	if err := conn.SetReadBuffer(ReceiveBuffer); err != nil {
		return 0, fmt.Errorf("size socket: %w", err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("read size of socket: %w", err)
	}
	var failure error
	err = raw.Control(func(fd uintptr) {
		granted, failure = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
	})
	if err = errors.Join(err, failure); err != nil {
		return 0, fmt.Errorf("read size of socket: %w", err)
	}
	return granted, nil
}
