package dbtest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// Loss is what is lost of a transaction when its connection breaks at the commit.
type Loss int

// Losses.
const (
	Request Loss = iota // the commit does not reach Postgres, and nothing has happened
	Answer              // all has happened, and whoever committed does not learn it
)

// Breaks is a way to a database on which connections break exactly at a commit. It speaks Postgres's protocol (chapter 55
// of the manual) as far as that takes.
type Breaks struct {
	DSN string

	mu     sync.Mutex
	faults []*fault
}

// fault is a break that is to come.
type fault struct {
	loss  Loss
	query string
	done  chan struct{}
}

// Broken begins a way to the database at dsn.
func Broken(tb testing.TB, dsn string) *Breaks {
	tb.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(tb, err)
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	target := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: config.Database,
		RawQuery: "sslmode=disable",
	}
	b := &Breaks{DSN: target.String()}
	var running sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(tb.Context(), networkOf(config), addressOf(config))
			if err != nil {
				_ = near.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, near, far)
			mu.Unlock()
			one := &breakable{all: b, near: near, far: far, prepared: map[string]string{}}
			running.Go(one.requests)
			running.Go(one.answers)
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return b
}

func networkOf(config *pgx.ConnConfig) string {
	network, _ := pgconn.NetworkAddress(config.Host, config.Port)
	return network
}

func addressOf(config *pgx.ConnConfig) string {
	_, address := pgconn.NetworkAddress(config.Host, config.Port)
	return address
}

// At has the connection break at the next commit of a transaction in which the named query ran, or of the query itself where
// it is its own transaction. The name is that of the comment at its head. broken is closed when it has happened.
func (b *Breaks) At(query string, loss Loss) (broken <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := &fault{loss: loss, query: "-- name: " + query + " ", done: make(chan struct{})}
	b.faults = append(b.faults, f)
	return f.done
}

// take returns the fault that is to come of a transaction.
func (b *Breaks) take(transaction []string) *fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.IndexFunc(b.faults, func(f *fault) bool {
		return slices.ContainsFunc(transaction, func(sql string) bool { return strings.HasPrefix(sql, f.query) })
	})
	if at < 0 {
		return nil
	}
	taken := b.faults[at]
	b.faults = slices.Delete(b.faults, at, at+1)
	return taken
}

// breakable is one connection.
type breakable struct {
	all       *Breaks
	near, far net.Conn

	prepared map[string]string // SQL by the name of the statement; of requests alone

	mu          sync.Mutex
	transaction []string // SQL of the statements since it began
	open        bool     // a transaction is
	lost        *fault   // the answer that comes next is
}

func (c *breakable) close() {
	_ = c.near.Close()
	_ = c.far.Close()
}

// requests carries what the client says.
func (c *breakable) requests() {
	defer c.close()
	from := bufio.NewReader(c.near)
	for ok := carry(from, c.far, 0, func(byte, []byte) verdict { return passes }); ok; {
		ok = carry(from, c.far, 1, c.asked)
	}
}

// answers carries what Postgres says.
func (c *breakable) answers() {
	defer c.close()
	from := bufio.NewReader(c.far)
	for carry(from, c.near, 1, c.answered) {
	}
}

// verdict is what becomes of a message.
type verdict int

const (
	passes verdict = iota
	dropped
	breaks // and the connection with it
)

// carry passes one message on as judge says; the startup message has no type. It returns false when the connection ends.
func carry(from io.Reader, to io.Writer, typed int, judge func(kind byte, body []byte) verdict) bool {
	head := make([]byte, typed+4) // the kind, and a length that counts itself
	if _, err := io.ReadFull(from, head); err != nil {
		return false
	}
	body := make([]byte, binary.BigEndian.Uint32(head[typed:])-4)
	if _, err := io.ReadFull(from, body); err != nil {
		return false
	}
	switch judge(head[0], body) {
	case dropped:
		return true
	case breaks:
		return false
	}
	_, err := to.Write(slices.Concat(head, body))
	return err == nil
}

// asked follows the client's messages: Parse, Bind, Query and Sync.
func (c *breakable) asked(kind byte, body []byte) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, rest, _ := strings.Cut(string(body), "\x00")
	switch kind {
	case 'P':
		c.prepared[name], _, _ = strings.Cut(rest, "\x00")
		return passes
	case 'B':
		statement, _, _ := strings.Cut(rest, "\x00")
		c.transaction = append(c.transaction, c.prepared[statement])
		return passes
	case 'Q':
		c.transaction = append(c.transaction, name)
	case 'S':
	default:
		return passes
	}
	if !c.commits() {
		return passes
	}
	switch f := c.all.take(c.transaction); {
	case f == nil:
	case f.loss == Answer:
		c.lost = f
	default:
		close(f.done)
		return breaks
	}
	return passes
}

// commits reports whether the request that was read to its end ends a transaction.
func (c *breakable) commits() bool {
	if len(c.transaction) == 0 {
		return false
	}
	last := strings.ToLower(c.transaction[len(c.transaction)-1])
	return last == "commit" || !c.open && !strings.HasPrefix(last, "begin")
}

// answered follows Postgres's messages, of which ReadyForQuery ends an answer.
func (c *breakable) answered(kind byte, body []byte) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case kind == 'Z' && c.lost != nil:
		close(c.lost.done)
		return breaks
	case c.lost != nil:
		return dropped
	case kind == 'Z':
		if c.open = body[0] != 'I'; !c.open {
			c.transaction = nil
		}
	}
	return passes
}
