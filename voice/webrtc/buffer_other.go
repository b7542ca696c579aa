//go:build !unix

package webrtc

import (
	"fmt"
	"net"
)

// sizeBuffer asks for a receive buffer of ReceiveBuffer. What was granted cannot be read here.
func sizeBuffer(conn *net.UDPConn) (granted int, err error) {
	if err := conn.SetReadBuffer(ReceiveBuffer); err != nil {
		return 0, fmt.Errorf("size socket: %w", err)
	}
	return ReceiveBuffer, nil
}
