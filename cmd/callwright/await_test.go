package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestStartBeforePostgres starts an API process and a worker that find nobody at the address of Postgres: they wait, and serve
// when it is there, also when it goes away again at any step of the start. What Postgres refuses, they do not wait for.
func TestStartBeforePostgres(t *testing.T) {
	t.Parallel()

	dsn, arrive := latePostgres(t, dbtest.DSN(t))
	env := []string{
		"CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_OPERATOR_PASSWORD=operator-password", "CALLWRIGHT_MAIL=log",
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_NOTICE=0s", "DATABASE_URL=" + dsn,
	}
	api := start(t, env, "api", "--listen=127.0.0.1:0")
	worker := start(t, env, "worker")
	for _, p := range []*process{api, worker} {
		p.waitFor(`"waiting for the database"`)
	}
	arrive()
	serving := api.waitFor(`"serving","address":"([^"]+)"`)
	worker.waitFor(`"working"`)
	resp, err := http.Get("http://" + serving + "/readyz")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	api.stop()
	worker.stop()

	never, _ := latePostgres(t, dsn)
	asked := start(t, append(env, "DATABASE_URL="+never), "worker")
	asked.waitFor(`"waiting for the database"`)
	asked.stop()

	breaks := brittlePostgres(t, dsn, "seal_key_holder", "INTO process_lease", "river_queue")
	unlucky := start(t, append(env, "DATABASE_URL="+breaks), "worker")
	unlucky.waitFor(`"working"`)
	unlucky.stop()

	wrong, err := url.Parse(dsn)
	require.NoError(t, err)
	wrong.Path = "/nobody-made-this"
	output, status := runOnce(t, append(env, "DATABASE_URL="+wrong.String()), "api", "--listen=127.0.0.1:0")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "does not exist")
}

// latePostgres is a way to the server of dsn that ends each connection at once, until arrive is called. What goes to the server
// goes through the filters.
func latePostgres(t *testing.T, dsn string, filters ...func(io.Writer) io.Writer) (late string, arrive func()) {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	var here atomic.Bool
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go forward(client, config, here.Load(), filters)
		}
	}()
	address := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path:     config.Database,
		RawQuery: "sslmode=disable"}
	return address.String(), func() { here.Store(true) }
}

// brittlePostgres is a way to the server of dsn on which the first statement with each of the words breaks its connection.
func brittlePostgres(t *testing.T, dsn string, words ...string) string {
	t.Helper()
	way := &brittle{words: words}
	url, arrive := latePostgres(t, dsn, way.over)
	arrive()
	t.Cleanup(func() { require.Empty(t, way.words, "nobody said that") })
	return url
}

// brittle breaks what goes to Postgres.
type brittle struct {
	mu    sync.Mutex
	words []string
}

var errBroken = errors.New("broken on purpose")

func (b *brittle) over(to io.Writer) io.Writer {
	return writerFunc(func(statement []byte) (int, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, word := range b.words {
			if bytes.Contains(statement, []byte(word)) {
				b.words = slices.Delete(b.words, i, i+1)
				return 0, errBroken
			}
		}
		return to.Write(statement)
	})
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// forward carries a connection to the server of config, or ends it.
func forward(client net.Conn, config *pgx.ConnConfig, here bool, filters []func(io.Writer) io.Writer) {
	defer client.Close()
	if !here {
		return
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	server, err := net.Dial(network, address)
	if err != nil {
		return // the test is over
	}
	defer server.Close()
	var to io.Writer = server
	for _, filter := range filters {
		to = filter(to)
	}
	go func() {
		_, _ = io.Copy(to, client) // its end is the connection's
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}
