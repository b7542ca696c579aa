//go:build unix

package main

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestPausedWorkerRingsNobodyTwice stops a worker, as a suspended machine would be, when it has claimed scheduled calls. Others
// dial those whose INVITE had not left. When the worker wakes it dials none of them, also not those that it was about to.
func TestPausedWorkerRingsNobodyTwice(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, false)
	outside := startCarrier(t, nil)
	paused := p.startWorker(outside.overCarrier()...)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))

	numbers := []string{"+31612345001", "+31612346001", "+31612347001", "+31612348001"}
	at := time.Now().Add(4 * time.Second)
	for _, number := range numbers {
		var contact struct {
			ID string `json:"contact_id"`
		}
		p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": number}, http.StatusCreated, &contact)
		p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{
			"assistant_id": p.assistantID, "contact_id": contact.ID, "scheduled_time": at,
			"retry": map[string]any{"on": []string{"failed"}, "max_attempts": 2, "delay_seconds": 0},
		}, http.StatusCreated, nil)
	}
	count := func(where string) (n int) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM call WHERE "+where).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return count("status = 'dialing'") > 0 }, time.Minute, time.Millisecond)
	paused.signal(syscall.SIGSTOP)
	survivor := p.startWorker(outside.overCarrier()...)
	require.Eventually(t, func() bool { return count("ended_at IS NOT NULL") == len(numbers) }, time.Minute, 50*time.Millisecond)
	paused.signal(syscall.SIGCONT)
	paused.waitFor(`(taken for dead)`)
	after := p.direct("+31612349001")
	p.waitStatus(after, "busy")
	paused.stop()
	require.Equal(t, len(numbers)+1, count("true"), "no retry is for a call that may have rung")
	for _, number := range numbers {
		require.LessOrEqual(t, outside.times(number), 1, "%s was rung twice", number)
	}
	require.Zero(t, count("status = 'failed' AND ended_reason <> 'worker-lost'"))
	survivor.stop()
}

// TestConversationOutlivesItsConnections ends all connections of a worker to Postgres, again and again: its conversation goes on.
func TestConversationOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, false)
	outside := startCarrier(t, nil)
	worker, other := p.startWorker(outside.overCarrier()...), p.startWorker(outside.overCarrier()...)
	call := p.direct("+31612345606")
	p.waitStatus(call, "in-progress")
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	renewals := func() (n int) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT min(renewals) FROM process_lease WHERE ended_at IS NULL").Scan(&n))
		return n
	}
	for range 3 {
		_, err := conn.Exec(t.Context(),
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		require.NoError(t, err)
		before := renewals()
		require.Eventually(t, func() bool { return renewals() > before }, time.Minute, 20*time.Millisecond)
	}
	var status string // the connections of the API were killed too
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT status FROM call WHERE id = $1", call).Scan(&status))
	require.Equal(t, "in-progress", status)
	require.Equal(t, 1, outside.times("+31612345606"))
	worker.stop()
	other.stop()
}

// TestWorkerCutOff has the way from a worker to Postgres go silent, as where a switch fails. It hangs up before others act on
// its call, which is reported once, and works again when the way is back.
func TestWorkerCutOff(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, false)
	outside := startCarrier(t, nil)
	way := startCut(t, dsn)
	env := p.env
	p.env = append(slices.Clip(env), "DATABASE_URL="+way.dsn)
	cut := p.startWorker(outside.overCarrier()...)
	p.env = env
	talking := p.direct("+31612345606")
	p.waitStatus(talking, "in-progress") // there is no other worker yet
	survivor := p.startWorker(outside.overCarrier()...)
	way.setSilent(true)
	hungUp := func() bool {
		for _, call := range outside.Calls() {
			if call.To == "+31612345606" && !call.EndedAt.IsZero() {
				return true
			}
		}
		return false
	}
	cut.waitFor(`(process lease has run out)`)
	require.Eventually(t, hungUp, time.Minute, 50*time.Millisecond)
	lost := p.waitStatus(talking, "failed")
	require.Equal(t, "worker-lost", lost.EndedReason)
	way.setSilent(false)
	cut.waitFor(`(taken for dead)`)
	survivor.stop()
	after := p.direct("+31612345601")
	p.waitStatus(after, "busy")
	require.Equal(t, 1, outside.times("+31612345606"))
	p.server.waitReport(t, talking)
	cut.stop()
}

// silence is a way to Postgres that can go silent: connections stay, and nothing passes.
type silence struct {
	dsn string

	mu     sync.Mutex
	silent bool
	change *sync.Cond
	conns  []net.Conn
}

func startCut(t *testing.T, dsn string) *silence {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &silence{}
	s.change = sync.NewCond(&s.mu)
	target := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: config.Database,
		RawQuery: "sslmode=disable",
	}
	s.dsn = target.String()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial(network, address)
			if err != nil {
				_ = near.Close()
				continue
			}
			s.mu.Lock()
			s.conns = append(s.conns, near, far)
			s.mu.Unlock()
			running.Go(func() { s.pass(near, far) })
			running.Go(func() { s.pass(far, near) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.setSilent(false)
		s.mu.Lock()
		for _, conn := range s.conns {
			_ = conn.Close()
		}
		s.mu.Unlock()
		running.Wait()
	})
	return s
}

func (s *silence) setSilent(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
	s.change.Broadcast()
}

// pass copies what comes, also that a side has closed, when there is no silence.
func (s *silence) pass(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		s.mu.Lock()
		for s.silent {
			s.change.Wait()
		}
		s.mu.Unlock()
		if _, writing := to.Write(buffer[:n]); err != nil || writing != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}
