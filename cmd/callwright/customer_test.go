package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
)

// developersServer takes forwarded events whose signature is right.
type developersServer struct {
	t       *testing.T
	secret  chan string // of the machine
	reports chan string // ids of calls whose report came
}

func (s *developersServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	secret := <-s.secret
	s.secret <- secret
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err == nil {
		err = verifier.Verify(body, r.Header)
	}
	var event struct {
		Message struct {
			Type string
			Call struct{ ID string }
		}
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		s.t.Errorf("forwarded event: %v: %s", err, body)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Message.Type == "end-of-call-report" {
		s.reports <- event.Message.Call.ID
	}
}

// TestCustomersCommands is a developer's first hour with real processes: keep a key, look around, call somebody and follow the
// conversation while its events arrive at a server on this machine, and have an agent do the same.
func TestCustomersCommands(t *testing.T) {
	t.Parallel()
	long(t)

	dir := openDir(t)
	p, customer := startDev(t, dir)
	p.waitFor(`call +placed`)
	settings, err := readDevSettings(filepath.Join(dir, "dev.env"))
	require.NoError(t, err)
	home := []string{"XDG_CONFIG_HOME=" + t.TempDir()}
	output, status := runOnce(t, append(home, "CALLWRIGHT_API="+customer.url, "CALLWRIGHT_API_KEY="+customer.key), "login")
	require.Zero(t, status, output)
	output, status = runOnce(t, nil, "user", "get", "--env-file="+filepath.Join(dir, "dev.env"))
	require.Zero(t, status, "dev.env names the server and the key: %s", output)
	require.Contains(t, output, devAccountEmail)

	server := &developersServer{t: t, secret: make(chan string, 1), reports: make(chan string, 10)}
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	listening := start(t, home, "webhooks", "listen", "--after=0", "--forward="+served.URL)
	server.secret <- listening.waitFor(`signed with (whsec_\S+)`)

	followed, status := runOnce(t, home, "call", devCallee, "--assistant="+settings.AssistantID, "--follow", `--custom-data={"order": 7}`)
	require.Zero(t, status, followed)
	require.Regexp(t, `in-progress\n(.*\n)*.*assistant +Hello.*\n(.*\n)*.*completed after \d+ s`, followed)
	_, rest, _ := strings.Cut(followed, "callwright calls get ")
	id, _, _ := strings.Cut(rest, ")")
	for reported := ""; reported != id; {
		select {
		case reported = <-server.reports:
		case <-time.After(90 * time.Second):
			require.Fail(t, "the report is not forwarded", "%s of %s", reported, id)
		}
	}
	listening.waitFor(`end-of-call-report +` + id)
	listening.stop()
	output, status = runOnce(t, home, "calls", "get", id)
	require.Zero(t, status, output)
	require.Regexp(t, `call_status +completed`, output)

	askAgents(t, home, customer, id)
	p.stop()
	output, status = runOnce(t, home, "user", "get")
	require.Equal(t, 3, status, output)
	require.Contains(t, output, "does not respond")
}

// askAgents has agents look at a call, over each transport.
func askAgents(t *testing.T, env []string, customer *client, call string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	program := exec.Command(path, "mcp")
	program.Env = append(env, "PATH="+os.Getenv("PATH"))
	program.Stderr = os.Stderr
	web := &mcp.StreamableClientTransport{Endpoint: customer.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(customer.key)}}
	for _, transport := range []mcp.Transport{&mcp.CommandTransport{Command: program}, web} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		require.NoError(t, err)
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "follow_call",
			Arguments: map[string]any{"call_id": call}})
		require.NoError(t, err)
		text, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		require.False(t, result.IsError, "%s", text)
		require.Contains(t, string(text), `"ended":true`)
		require.Contains(t, string(text), "transcript")
		require.NoError(t, session.Close())
	}
}

// bearer adds a key to every request.
type bearer string

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(request)
}
