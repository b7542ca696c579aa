package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/sip/siptest"
)

// pgbouncer runs PgBouncer, which nobody here wrote, in transaction mode before the database at dsn, and returns the URL
// under which clients reach it. Three connections serve them all, so that a session is another one all the time.
func pgbouncer(t *testing.T, dsn string) string {
	t.Helper()
	path := peertest.Require(t, "pgbouncer")
	target, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	port := siptest.FreePort(t)
	server := fmt.Sprintf("host=%s port=%d user=%s", target.Host, target.Port, target.User)
	if target.Password != "" {
		server += fmt.Sprintf(" password='%s'", target.Password)
	}
	config := fmt.Sprintf(`[databases]
%s = %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
default_pool_size = 3
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
`, target.Database, server, port)
	if os.Geteuid() == 0 { // as which it does not run; the socket of the tests' Postgres belongs to the same user
		config += "user = " + unprivileged(t) + "\n"
	}
	file := filepath.Join(openDir(t), "pgbouncer.ini")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o644))
	siptest.Start(t, syscall.SIGINT, path, file)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	}, 10*time.Second, 5*time.Millisecond)
	return (&url.URL{Scheme: "postgres", User: url.User(target.User), Host: address, Path: target.Database,
		RawQuery: "sslmode=disable"}).String()
}

// unprivileged is the user as whom db/embedded runs Postgres for root.
func unprivileged(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"postgres", "nobody"} {
		if _, err := user.Lookup(name); err == nil {
			return name
		}
	}
	t.Fatal("this machine has no user postgres or nobody")
	return ""
}

// TestPooler runs the API behind PgBouncer in transaction mode, beside a worker that is not.
func TestPooler(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	pooled := pgbouncer(t, dsn)
	p := startPlatformBehind(t, dsn, pooled, true)
	p.startWorker()
	p.api.waitFor(`passes no notifications on`)

	stream := p.stream()
	callID := p.direct("+31612345601") // busy
	p.server.waitReport(t, callID)
	require.Equal(t, "busy", p.get(callID).Status)
	for scanner := bufio.NewScanner(stream.Body); ; {
		require.True(t, scanner.Scan(), "the stream wakes without notifications: %v", scanner.Err())
		if scanner.Text() == "event: end-of-call-report" {
			break
		}
	}

	// Many clients on few sessions: here a named prepared statement is one that exists already, or does not.
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			for j := range 15 {
				for _, path := range []string{"/v1/calls?limit=1", "/v1/assistants", "/v1/phone-numbers", "/v1/events?limit=2",
					"/v1/user/webhook"} {
					if code, answer := p.try(http.MethodGet, path, nil); code != http.StatusOK {
						t.Errorf("%s: %d: %s", path, code, answer)
					}
				}
				body := map[string]any{"phone_number": fmt.Sprintf("+316%08d", 100*i+j), "full_name": "Anna"}
				if code, answer := p.try(http.MethodPost, "/v1/contacts", body); code != http.StatusCreated {
					t.Errorf("contact: %d: %s", code, answer)
				}
			}
		})
	}
	clients.Wait()
	p.api.stop()
	output, status := runOnce(t, append(p.env, "DATABASE_URL="+pooled), "account", "create", "second@example.com")
	require.Zero(t, status, output)
}

// TestPoolerRefused: who needs a session of its own does not start behind a pooler.
func TestPoolerRefused(t *testing.T) {
	t.Parallel()

	env := []string{"DATABASE_URL=" + pgbouncer(t, dbtest.DSN(t)), "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_MAIL=none"}
	for _, command := range []string{"worker", "migrate"} {
		output, status := runOnce(t, env, command)
		require.Equal(t, 1, status, output)
		require.Regexp(t, `^callwright: --database-url: [^\n]*PgBouncer[^\n]*Postgres itself\n$`, output)
	}
}

// TestConnections counts what a busy worker and the API take by default.
func TestConnections(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	p.env = append(p.env, "PGAPPNAME=worker")
	p.startWorker()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			for range 10 {
				body := map[string]any{"assistant_id": p.assistantID, "contact_phone_number": "+31612345601"}
				if code, answer := p.try(http.MethodPost, "/v1/calls/direct", body); code != http.StatusCreated {
					t.Errorf("%d: %s", code, answer)
				}
			}
		})
	}
	placed := make(chan struct{})
	go func() {
		defer close(placed)
		clients.Wait()
	}()
	var workers, others int
	for busy := true; busy; {
		var worker, other int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE application_name LIKE 'worker %'),
			count(*) FILTER (WHERE application_name NOT LIKE 'worker %' AND pid <> pg_backend_pid())
			FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`).Scan(&worker, &other))
		workers, others = max(workers, worker), max(others, other)
		select {
		case <-placed:
			busy = false
		case <-time.After(5 * time.Millisecond):
		}
	}
	require.Positive(t, workers)
	require.LessOrEqual(t, workers, 12)
	require.LessOrEqual(t, others, 10, "of the API")
	t.Logf("at most %d connections of the worker, %d of the API", workers, others)
}

// stream opens the account's event stream.
func (p *platform) stream() *http.Response {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	p.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/events/stream", nil)
	require.NoError(p.t, err)
	request.Header.Set("Authorization", "Bearer "+p.key)
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	return response
}
