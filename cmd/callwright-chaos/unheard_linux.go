package main

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// setUnheard has the kernel drop what arrives at the socket before TCP sees it: nothing is acknowledged, and no connection
// is made. What is sent from it still leaves.
func setUnheard(socket syscall.Conn, unheard bool) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if !unheard {
			failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0)
			return
		}
		nothing := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing})
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("set socket filter: %w", err)
	}
	return nil
}
