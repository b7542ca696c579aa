package clamd_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/scan/clamd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve is a daemon that finds EICAR, and responds as clamd(8) says. An empty response closes the connection instead.
func serve(t *testing.T, network, address, response string) (string, <-chan string) {
	t.Helper()
	listener, err := net.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	got := make(chan string, 16)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			content := read(conn)
			got <- content
			switch {
			case response != "":
				io.WriteString(conn, response)
			case strings.Contains(content, "EICAR"):
				io.WriteString(conn, "stream: Eicar-Test-Signature FOUND\x00")
			default:
				io.WriteString(conn, "stream: OK\x00")
			}
			conn.Close()
		}
	}()
	return listener.Addr().String(), got
}

func read(conn net.Conn) string {
	command := make([]byte, len("zINSTREAM\x00"))
	if _, err := io.ReadFull(conn, command); err != nil || string(command) != "zINSTREAM\x00" {
		return "bad command"
	}
	var content strings.Builder
	for {
		var size uint32
		if binary.Read(conn, binary.BigEndian, &size) != nil || size == 0 {
			return content.String()
		}
		io.CopyN(&content, conn, int64(size))
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	address, got := serve(t, "tcp", "127.0.0.1:0", "")
	socket, _ := serve(t, "unix", filepath.Join(t.TempDir(), "clamd"), "")
	large := strings.Repeat("0123456789", 20_000)
	for _, content := range []string{"", "one", large} {
		require.NoError(t, clamd.New(address).Scan(t.Context(), strings.NewReader(content)))
		require.Equal(t, content, <-got)
	}
	for _, scanner := range []string{address, socket} {
		err := clamd.New(scanner).Scan(t.Context(), strings.NewReader("this is EICAR"))
		var found *fault.Error
		require.ErrorAs(t, err, &found)
		require.Equal(t, fault.Refused, found.Kind)
		require.Equal(t, "The file contains Eicar-Test-Signature.", found.Message)
	}
}

func TestTroubles(t *testing.T) {
	t.Parallel()
	for _, response := range []string{"INSTREAM size limit exceeded. ERROR\x00", "what?\x00", "\x00"} {
		address, _ := serve(t, "tcp", "127.0.0.1:0", response)
		kind, _ := fault.Of(clamd.New(address).Scan(t.Context(), strings.NewReader("x")))
		require.Equal(t, fault.Unavailable, kind, response)
	}
	kind, _ := fault.Of(clamd.New("127.0.0.1:1").Scan(t.Context(), strings.NewReader("x")))
	require.Equal(t, fault.Unavailable, kind)
	broken := errors.New("the source broke")
	address, _ := serve(t, "tcp", "127.0.0.1:0", "")
	err := clamd.New(address).Scan(t.Context(), iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	_, isFault := fault.Of(err)
	require.False(t, isFault)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, clamd.New(address).Scan(ctx, strings.NewReader("x")), context.Canceled)
}
