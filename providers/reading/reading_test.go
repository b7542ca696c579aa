package reading_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/reading"
)

// TestMain makes the test binary the program that reads a file.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "read" {
		if err := reading.Serve(os.Stdin, os.Stdout, 64<<20, os.Exit, read); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// read does what a parser does that the file has taken over.
func read(file []byte) ([]byte, error) {
	switch string(file) {
	case "loop":
		for {
			runtime.Gosched()
		}
	case "memory":
		var kept [][]byte
		for range 1 << 20 {
			kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
		}
		return bytes.Join(kept, nil), nil
	case "memory at once":
		return bytes.Repeat([]byte{1}, 8<<30), nil
	case "stack":
		return []byte{byte(deep(1))}, nil
	case "panic":
		panic("malformed")
	case "output":
		return make([]byte, 33<<20), nil
	case "escape":
		return []byte(strings.Join(escapes(), " ")), nil
	case "priority":
		return priority()
	case "environment":
		return []byte(strings.Join(os.Environ(), " ")), nil
	}
	return bytes.ToUpper(file), nil
}

func deep(n int) int {
	if n < 0 {
		return n
	}
	return deep(n+1) + n
}

// escapes are the ways out that are open.
func escapes() (open []string) {
	for name, try := range map[string]func() error{
		"dial": func() error {
			conn, err := net.Dial("udp", "127.0.0.1:9")
			if err == nil {
				err = conn.Close()
			}
			return err
		},
		"listen": func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
		"read":   func() error { _, err := os.ReadFile("/etc/passwd"); return err },
		"write":  func() error { return os.WriteFile(os.TempDir()+"/callwright-reading-test", nil, 0o600) },
		"exec":   func() error { return exec.Command("/bin/true").Run() },
	} {
		if err := try(); err == nil {
			open = append(open, name)
		}
	}
	return open
}

func process(t *testing.T, limit time.Duration) *reading.Process {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return reading.New("page", limit, program, "read")
}

func TestProcess(t *testing.T) {
	t.Parallel()
	read, err := process(t, reading.TimeLimit).Read(t.Context(), []byte("hello"))
	require.NoError(t, err)
	require.Equal(t, "HELLO", string(read))
	read, err = process(t, reading.TimeLimit).Read(t.Context(), []byte("environment"))
	require.NoError(t, err)
	require.Equal(t, "GOMAXPROCS=1 GOTRACEBACK=none", string(read))
}

func TestNoWayOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("system calls are filtered on Linux")
	}
	read, err := process(t, reading.TimeLimit).Read(t.Context(), []byte("escape"))
	require.NoError(t, err)
	require.Empty(t, string(read))
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for file, says := range map[string]string{
		"loop": "too long", "memory": "too much memory", "memory at once": "", "stack": "damaged", "panic": "damaged",
		"output": "damaged",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			limit := reading.TimeLimit
			if file == "loop" {
				limit = 500 * time.Millisecond
			}
			_, err := process(t, limit).Read(t.Context(), []byte(file))
			kind, _ := fault.Of(err)
			require.Equal(t, fault.Refused, kind, "%v", err)
			require.ErrorContains(t, err, says)
		})
	}
}

func TestProcessThatDoesNotStart(t *testing.T) {
	t.Parallel()
	_, err := reading.New("page", reading.TimeLimit, "/nowhere/callwright").Read(t.Context(), nil)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind, "%v", err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = process(t, reading.TimeLimit).Read(ended, []byte("loop"))
	require.ErrorIs(t, err, context.Canceled)
}
