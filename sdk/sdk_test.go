// Package sdk_test runs what tests the SDKs against the product: their journeys, and the tests of the one in Python. The tests of
// the others are run by the tools of their languages.
package sdk_test

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
)

var program = flag.String("callwright", "", "the callwright program")

const patience = 2 * time.Minute

func TestPython(t *testing.T) {
	t.Parallel()
	run(t, "python", nil, peertest.Require(t, "python3-httpx"), "-B", "-m", "unittest", "discover", "-t", ".", "-s", "tests")
}

// A customer goes the same way with each SDK: assistant, contacts, a call, its events as a stream and as webhooks, mistakes.
func TestJourneys(t *testing.T) {
	if *program == "" {
		t.Skip("-callwright does not name the program")
	}
	environment := startDev(t)
	t.Run("Go", func(t *testing.T) {
		run(t, "go", environment, "go", "test", "-count=1", "-run", "^TestJourney$", ".")
	})
	t.Run("Python", func(t *testing.T) {
		run(t, "python", environment, peertest.Require(t, "python3-httpx"), "-B", "-m", "tests.journey")
	})
	t.Run("TypeScript", func(t *testing.T) {
		if _, err := os.Stat("typescript/build"); err != nil {
			t.Skip("sdk/typescript is not built: npm run test")
		}
		run(t, "typescript", environment, "node", "build/test/journey.js")
	})
}

// run runs a command in a folder, which must succeed.
func run(t *testing.T, folder string, environment []string, name string, arguments ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// startDev runs the whole product and returns the environment that says where it is, with the key to it.
func startDev(t *testing.T) (environment []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sdk-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) // the user that Postgres runs as goes in
	dev := exec.Command(*program, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
	dev.Stderr = os.Stderr
	output, err := dev.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, dev.Start())
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "Ctrl-C ends it") { // its own first call, which uses the shared number, is over
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, dev.Process.Signal(syscall.SIGINT))
		<-ended
		require.NoError(t, dev.Wait())
	})
	select {
	case <-ready:
	case <-ended:
		require.Fail(t, "dev ended before it was ready")
	case <-time.After(patience):
		require.Fail(t, "dev is not ready")
	}
	return readSettings(t, filepath.Join(dir, "dev.env"))
}

// readSettings returns the address and the key of a file of settings.
func readSettings(t *testing.T, path string) (environment []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name == "CALLWRIGHT_URL" || name == "CALLWRIGHT_API_KEY" {
			environment = append(environment, name+"="+strings.Trim(value, "'"))
		}
	}
	require.Len(t, environment, 2)
	return environment
}
