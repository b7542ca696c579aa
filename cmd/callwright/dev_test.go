package main

import (
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startDev starts dev in a folder and returns a customer with its key, once it serves.
func startDev(t *testing.T, dir string) (*process, *client) {
	t.Helper()
	p := start(t, nil, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
	url := p.waitFor(`serving at (http://\S+)`)
	settings, err := readDevSettings(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	require.Equal(t, url, settings.URL)
	return p, &client{t: t, url: url, key: settings.APIKey}
}

// TestDevAmongOthers has clients use the account while the first call runs, and a second dev come to the same folder.
func TestDevAmongOthers(t *testing.T) {
	t.Parallel()
	long(t)

	// Whoever runs the tests may ignore SIGHUP, as nohup does, and what they start would too.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(handled) })
	dir := openDir(t)
	p, customer := startDev(t, dir)
	p.waitFor(`call +placed`)

	// Somebody else's events go to a server that is away, and lie between those of the first call.
	customer.call(http.MethodPut, "/v1/user/webhook", map[string]any{"url": "http://127.0.0.1:1/",
		"events": []string{"status-update"}}, http.StatusOK, nil)
	settings, err := readDevSettings(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	for range 20 {
		call := map[string]any{"assistant_id": settings.AssistantID, "contact_phone_number": "+31612345603"}
		customer.call(http.MethodPost, "/v1/calls/direct", call, http.StatusCreated, nil)
	}

	before, err := os.ReadFile(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	output, status := runOnce(t, nil, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "process "+strconv.Itoa(p.cmd.Process.Pid)+", at "+customer.url)
	require.Contains(t, output, "--data-dir")
	after, err := os.ReadFile(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the second one changes nothing")

	p.waitFor(`Ctrl-C ends it`)
	text, _ := p.output.read()
	require.Regexp(t,
		`queued\n(.*\n)*.*call +in-progress\n(.*\n)*.*assistant +Hello.*\n(.*\n)*.*call +completed\n.*report +completed`, text)
	require.NotContains(t, text, "did not complete")
	var assistant struct{ Server *struct{ URL string } }
	customer.call(http.MethodGet, "/v1/assistants/"+settings.AssistantID, nil, http.StatusOK, &assistant)
	require.Nil(t, assistant.Server, "the account's own server gets what comes after")

	// A terminal that closes says so more than once.
	p.signal(syscall.SIGHUP)
	p.waitFor(`worker +stopping`)
	p.signal(syscall.SIGHUP)
	p.wait()
}

// TestDevKilled kills dev at random times during its start and its first call. The next start works at once, and goes on
// serving when its own first call fails.
func TestDevKilled(t *testing.T) {
	t.Parallel()
	long(t)

	dir := openDir(t)
	for range 3 {
		p := start(t, nil, "dev", "--data-dir="+dir, "--listen=127.0.0.1:0")
		delay := rand.N(4 * time.Second)
		t.Logf("killed after %v", delay)
		select {
		case <-p.exited:
			t.Fatalf("dev ended by itself: %v", p.err)
		case <-time.After(delay):
		}
		p.kill()
	}
	p, customer := startDev(t, dir)
	p.waitFor(`call +in-progress`)
	var calls struct {
		Data []struct {
			ID string `json:"call_id"`
		}
	}
	customer.call(http.MethodGet, "/v1/calls?limit=1", nil, http.StatusOK, &calls)
	settings, err := readDevSettings(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	customer.call(http.MethodPatch, "/v1/assistants/"+settings.AssistantID, map[string]any{"server": nil}, http.StatusOK, nil)
	customer.call(http.MethodPost, "/v1/calls/"+calls.Data[0].ID+"/end", nil, http.StatusAccepted, nil)
	p.waitFor(`the first call did not complete: it is completed, but its report did not arrive at http://\S+; serving goes on`)
	p.waitFor(`Ctrl-C ends it`)
	customer.call(http.MethodGet, "/v1/assistants", nil, http.StatusOK, nil)
	p.stop()
}
