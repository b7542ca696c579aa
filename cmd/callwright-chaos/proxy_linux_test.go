package main

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestCutAcknowledgesNothing holds that a process behind a cut proxy meets its TCP user timeout.
func TestCutAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "server")
	server, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	defer server.Close()
	cut, err := newProxy(t.Context(), path)
	require.NoError(t, err)
	defer cut.close()
	dialer := net.Dialer{Control: func(_, _ string, conn syscall.RawConn) (err error) {
		failed := conn.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 100) })
		require.NoError(t, failed)
		return err
	}}
	client, err := dialer.DialContext(t.Context(), "tcp", cut.listener.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	far, err := server.Accept()
	require.NoError(t, err)
	defer far.Close()

	send := func() error {
		_, err := client.Write([]byte("x"))
		return err
	}
	require.NoError(t, send())
	_, err = far.Read(make([]byte, 1))
	require.NoError(t, err)

	cut.cut(toServer)
	require.NoError(t, send())
	require.NoError(t, client.SetReadDeadline(time.Now().Add(30*time.Second)))
	_, err = client.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ETIMEDOUT)
	cut.heal()
	again, err := dialer.DialContext(t.Context(), "tcp", cut.listener.Addr().String())
	require.NoError(t, err, "healed")
	require.NoError(t, again.Close())
}

// TestFullDisk holds that a filled disk takes nothing, and takes something once every fault has freed it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d, err := newDisk(folder, 1<<20)
	if err != nil {
		t.Skip(err)
	}
	defer func() { require.NoError(t, d.close()) }()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), make([]byte, 1<<16), 0o600))
	require.NoError(t, d.fill())
	require.NoError(t, d.fill())
	full := func() {
		t.Helper()
		require.ErrorIs(t, os.WriteFile(filepath.Join(folder, "more"), make([]byte, 1<<16), 0o600), syscall.ENOSPC)
	}
	full()
	require.NoError(t, d.free())
	full()
	require.NoError(t, d.free())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "more"), make([]byte, 1<<16), 0o600))
}
