//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/embedded"
)

const (
	maxConnections = "150"
	deadAfter      = 2 * time.Second // a server that nobody can connect to
	reviveLimit    = time.Minute
)

// postgres is the private server, and our own way into it past all proxies.
type postgres struct {
	config embedded.Config
	dsn    string
	socket string
	pool   *pgxpool.Pool

	mu     sync.Mutex
	server *embedded.Server
}

func startPostgres(ctx context.Context, dir string) (*postgres, error) {
	p := &postgres{config: embedded.Config{Dir: dir, Settings: map[string]string{
		"max_connections": maxConnections, "max_wal_size": "128MB", "fsync": "off", // it is killed, not the machine
	}}}
	server, err := embedded.Start(ctx, p.config)
	if err != nil {
		return nil, err
	}
	p.server, p.dsn = server, server.DSN()
	parsed, err := url.Parse(p.dsn)
	if err != nil {
		return nil, fmt.Errorf("read address of Postgres: %w", err)
	}
	p.socket = filepath.Join(parsed.Query().Get("host"), ".s.PGSQL."+parsed.Query().Get("port"))
	config, err := pgxpool.ParseConfig(p.dsn)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = 4, 4
	if p.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	return p, nil
}

// through is the DSN of a process whose proxy has the port.
func (p *postgres) through(port int, name string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/callwright?sslmode=disable&application_name=%s", port, name)
}

// restart ends the server without a checkpoint and starts it again after the pause.
func (p *postgres) restart(ctx context.Context, pause time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, cancel := context.WithCancel(ctx)
	cancel() // at once, which Stop reports as its error
	if err := p.server.Stop(at); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("stop Postgres: %w", err)
	}
	sleep(ctx, pause)
	server, err := embedded.Start(context.WithoutCancel(ctx), p.config)
	if err != nil {
		return fmt.Errorf("start Postgres again: %w", err)
	}
	p.server = server
	return nil
}

// revive waits until the server serves again after a fault, as an operator does, and starts it when it has given up.
func (p *postgres) revive(ctx context.Context) error {
	var err error
	for begun := time.Now(); ctx.Err() == nil && time.Since(begun) < reviveLimit; sleep(ctx, 200*time.Millisecond) {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, p.dsn); err == nil {
			return conn.Close(ctx)
		}
		_, answered := errors.AsType[*pgconn.PgError](err) // it recovers, or has no connection to spare
		if !answered && time.Since(begun) > deadAfter {
			return p.restart(ctx, 0)
		}
	}
	return err
}

func (p *postgres) close(ctx context.Context) error {
	p.pool.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.server.Stop(ctx)
}

// terminate ends the connections of one process, or of all when name is empty.
func (p *postgres) terminate(ctx context.Context, name string) error {
	_, err := p.pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND application_name LIKE $1`, "chaos-"+name+"%")
	return err
}

// hog takes all connections that are left, and gives them back after the time.
func (p *postgres) hog(ctx context.Context, hold time.Duration) (taken int) {
	var conns []*pgx.Conn
	for until := time.Now().Add(hold); time.Now().Before(until) && ctx.Err() == nil; {
		conn, err := pgx.Connect(ctx, p.dsn)
		if err != nil { // there are no more: a process may let one go
			sleep(ctx, 20*time.Millisecond)
			continue
		}
		conns = append(conns, conn)
	}
	for _, conn := range conns {
		_ = conn.Close(context.WithoutCancel(ctx)) // it may have been killed
	}
	return len(conns)
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
