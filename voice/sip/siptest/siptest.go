// Package siptest runs the programs that tests talk to: it finds ports for them, waits for them and ends them. It has far ends
// too that keep to no rule. It knows programs that others wrote; it must not know any SIP of our own.
package siptest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	firstPort, lastPort = 20000, 31999 // below those that the kernel hands out
	portsTogether       = 8
	portTries           = 64
	boundWait           = 20 * time.Second
)

// given counts the calls of FreePort.
var given atomic.Int32

// FreePort returns the first of eight ports of 127.0.0.1 that nothing uses. It is given once in a process, and processes begin
// at different ones, so that no other test takes them before the program does that they are for.
func FreePort(tb testing.TB) int {
	tb.Helper()
	for range portTries {
		port := firstPort + (os.Getpid()*portsTogether+int(given.Add(1))*portsTogether)%(lastPort-firstPort-portsTogether)
		if free(tb, "udp4", port) && free(tb, "udp4", port+1) && free(tb, "tcp4", port) && free(tb, "tcp4", port+1) {
			return port
		}
	}
	require.FailNow(tb, "no port is free")
	return 0
}

func free(tb testing.TB, network string, port int) bool {
	tb.Helper()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	var config net.ListenConfig
	if network == "tcp4" {
		listener, err := config.Listen(tb.Context(), network, address)
		return err == nil && listener.Close() == nil
	}
	conn, err := config.ListenPacket(tb.Context(), network, address)
	return err == nil && conn.Close() == nil
}

// AwaitBound waits until a program has bound a port of 127.0.0.1; network is tcp or udp. It looks the kernel's list up, as
// trying to bind the port would get into the program's way. Where there is no such list, what is sent too early is sent
// again.
func AwaitBound(tb testing.TB, network string, port int) {
	tb.Helper()
	local := fmt.Appendf(nil, " 0100007F:%04X ", port)
	require.Eventually(tb, func() bool {
		sockets, err := os.ReadFile("/proc/net/" + network)
		return err != nil || bytes.Contains(sockets, local)
	}, boundWait, 5*time.Millisecond)
}
