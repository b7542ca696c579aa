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

// A customer goes the same way with each SDK: assistant, contacts, a call, its events as a stream and as webhooks, mistakes. Each
// has an account, because an account has one assistant at the shared number.
func TestJourneys(t *testing.T) {
	t.Parallel()
	if *program == "" {
		t.Skip("-callwright does not name the program")
	}
	settings := startDev(t)
	t.Run("Go", func(t *testing.T) {
		t.Parallel()
		run(t, "go", newCustomer(t, settings), "go", "test", "-count=1", "-run", "^TestJourney$", ".")
	})
	t.Run("Python", func(t *testing.T) {
		t.Parallel()
		run(t, "python", newCustomer(t, settings), peertest.Require(t, "python3-httpx"), "-B", "-m", "tests.journey")
	})
	t.Run("TypeScript", func(t *testing.T) {
		t.Parallel()
		if _, err := os.Stat("typescript/build"); err != nil {
			t.Skip("sdk/typescript is not built: npm run test")
		}
		run(t, "typescript", newCustomer(t, settings), "node", "build/test/journey.js")
	})
}

// newCustomer makes an account, and returns the environment that says where the product is and its key.
func newCustomer(t *testing.T, settings string) (environment []string) {
	t.Helper()
	email := strings.ReplaceAll(strings.ToLower(t.Name()), "/", ".") + "@example.com"
	run(t, ".", nil, *program, "account", "create", email, "--env-file", settings)
	made := run(t, ".", nil, *program, "key", "create", email, "--test", "--env-file", settings)
	_, text, found := strings.Cut(made, "\nkey  ")
	require.True(t, found, made)
	key, _, _ := strings.Cut(text, "\n")
	return []string{"CALLWRIGHT_API_KEY=" + key, "CALLWRIGHT_URL=" + readURL(t, settings)}
}

// run runs a command in a folder, which must succeed, and returns what it prints.
func run(t *testing.T, folder string, environment []string, name string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// startDev runs the whole product and returns the path of its settings.
func startDev(t *testing.T) (settings string) {
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
	return filepath.Join(dir, "dev.env")
}

// readURL returns where the product is, by its settings.
func readURL(t *testing.T, settings string) string {
	t.Helper()
	text, err := os.ReadFile(settings)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if url, found := strings.CutPrefix(strings.TrimSpace(line), "CALLWRIGHT_URL="); found {
			return strings.Trim(url, "'")
		}
	}
	require.Fail(t, "no CALLWRIGHT_URL", "%s", text)
	return ""
}
