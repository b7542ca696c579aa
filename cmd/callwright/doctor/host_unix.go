//go:build linux || darwin

package doctor

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// freeSpace returns the bytes and the files that there is room for.
func freeSpace(folder string) (bytes, files uint64, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, 0, fmt.Errorf("read free space: %w", err)
	}
	return stat.Bavail * uint64(stat.Bsize), stat.Ffree, nil
}

// handleLimit returns how many files this process may have open.
func handleLimit() (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read limit of file handles: %w", err)
	}
	return min(limit.Cur, 1<<40), nil
}

// receiveBuffer returns how much of what it asks for the kernel gives a UDP socket.
func receiveBuffer(asked int) (int, error) {
	conn, err := net.ListenUDP("udp", nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }() // nothing was sent
	if err := conn.SetReadBuffer(asked); err != nil {
		return 0, err
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var got int
	var failed error
	err = raw.Control(func(fd uintptr) { got, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) })
	if err == nil {
		err = failed
	}
	return got / kernelShare, err
}
