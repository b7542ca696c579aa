package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestStartBeforePostgres starts an API process and a worker that find nobody at the address of Postgres: they wait, and serve
// when it is there. What Postgres refuses, they do not wait for.
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

	wrong, err := url.Parse(dsn)
	require.NoError(t, err)
	wrong.Path = "/nobody-made-this"
	output, status := runOnce(t, append(env, "DATABASE_URL="+wrong.String()), "api", "--listen=127.0.0.1:0")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "does not exist")
}

// latePostgres is a way to the server of dsn that ends each connection at once, until arrive is called.
func latePostgres(t *testing.T, dsn string) (late string, arrive func()) {
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
			go forward(client, config, here.Load())
		}
	}()
	address := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path:     config.Database,
		RawQuery: "sslmode=disable"}
	return address.String(), func() { here.Store(true) }
}

// forward carries a connection to the server of config, or ends it.
func forward(client net.Conn, config *pgx.ConnConfig, here bool) {
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
	go func() {
		_, _ = io.Copy(server, client) // its end is the connection's
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}
