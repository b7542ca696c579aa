package gateways

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/sip"
)

const (
	startsPerRound = 200              // registrations begun at once, so that a start is no storm
	findRetry      = 15 * time.Second // after a proxy's name led nowhere, twice as long each time
	longestPause   = time.Hour
	lookUpAfter    = 3 // tries in vain, after which the proxy's name is looked up again
	usualRate      = 50
)

// Connections are the customers' SIP accounts that this process keeps registered. Which they are the rows say, which are
// read again and again; each has a goroutine of its own, and all share the sockets of their gateway.
type Connections struct {
	processID string
	pool      *pgxpool.Pool
	gateways  *Set
	seal      seal.Opener
	guard     *hook.Guard
	logger    *slog.Logger
	reports   *reports
	pace      *pace

	mu       sync.Mutex
	held     map[uuid.UUID]*Registration
	byToken  map[string]*Registration
	stopping bool
	running  sync.WaitGroup
}

// Registration is a connection that is kept registered.
type Registration struct {
	ID     uuid.UUID
	Number string
	wanted int32
	cancel context.CancelFunc
	done   chan struct{} // closed when it is taken back

	pause time.Duration // after the latest failure; zero: there is none since the last success
}

// Connections returns what keeps SIP connections registered over these gateways, none to begin with. processID is the name of
// this process in their rows.
func (l *Set) Connections(processID string, pool *pgxpool.Pool, opener seal.Opener) *Connections {
	return &Connections{
		processID: processID, pool: pool, gateways: l, seal: opener, guard: l.guard, logger: l.logger,
		reports: newReports(processID, pool, l.logger), pace: newPace(cmp.Or(l.registrationsPerSecond, usualRate)),
		held: map[uuid.UUID]*Registration{}, byToken: map[string]*Registration{},
	}
}

// Count returns how many connections are kept registered here.
func (c *Connections) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

// Named is the connection over which a call comes that carries a token.
func (c *Connections) Named(token string) *Registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byToken[token]
}

// Reconcile begins what the rows say this process shall keep registered, anew where they ask for that, and ends the rest.
func (c *Connections) Reconcile(ctx context.Context, in queue.Inserter) error {
	rows, err := dbsqlc.New().SIPConnectionListOwn(ctx, c.pool, &dbsqlc.SIPConnectionListOwnParams{WorkerID: &c.processID})
	if err != nil {
		return fmt.Errorf("list own SIP connections: %w", err)
	}
	c.mu.Lock()
	stopping, starts := c.stopping, c.compare(rows)
	c.mu.Unlock()
	switch {
	case stopping && len(rows) > 0: // claimed just before we stopped
		return c.giveUp(ctx, in)
	case len(starts) == 0:
		return nil
	}
	full, err := dbsqlc.New().SIPConnectionListByID(ctx, c.pool, &dbsqlc.SIPConnectionListByIDParams{Ids: starts})
	if err != nil {
		return fmt.Errorf("list SIP connections: %w", err)
	}
	for _, row := range full {
		c.start(ctx, row)
	}
	return nil
}

// compare ends what is not among the rows and returns what is to be begun.
func (c *Connections) compare(rows []*dbsqlc.SIPConnectionListOwnRow) []uuid.UUID {
	own := make(map[uuid.UUID]bool, len(rows))
	var starts []uuid.UUID
	for _, row := range rows {
		own[row.ID] = true
		if held := c.held[row.ID]; (held == nil || held.wanted != row.Wanted) && len(starts) < startsPerRound {
			starts = append(starts, row.ID)
		}
	}
	for id, held := range c.held {
		if !own[id] {
			held.cancel()
			delete(c.held, id)
		}
	}
	return starts
}

func (c *Connections) start(ctx context.Context, row *dbsqlc.SIPConnectionListByIDRow) {
	connection := &row.SIPConnection
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	next := &Registration{ID: connection.ID, Number: row.Number, wanted: connection.Wanted, cancel: cancel,
		done: make(chan struct{}), pause: failedFor(connection.FailingSince)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		cancel()
		return
	}
	before := c.held[next.ID]
	c.held[next.ID] = next
	c.running.Go(func() {
		defer close(next.done)
		defer cancel()
		if before != nil {
			before.cancel()
			<-before.done
		}
		c.keep(ctx, next, connection)
	})
}

// keep keeps a connection registered until ctx ends, and takes the registration back then.
func (c *Connections) keep(ctx context.Context, own *Registration, row *dbsqlc.SIPConnection) {
	for ctx.Err() == nil {
		if err := c.register(ctx, own, row); err != nil {
			c.logger.WarnContext(ctx, "SIP connection is not registered", "sip_connection_id", own.ID, "error", err)
			c.reports.add(own, sip.RegistrationStatus{State: sip.Failed, Err: err})
			own.pause = min(max(2*own.pause, findRetry), longestPause)
		}
		pause(ctx, own.pause)
	}
}

// failedFor returns the pause that a connection has come to which failed for so long: pauses double, so that the latest is as
// long as all before it. A process that takes the connection over goes on there.
func failedFor(since *time.Time) time.Duration {
	if since == nil {
		return 0
	}
	return min(max(time.Since(*since), 0), longestPause)
}

// register returns nil when ctx ended, or when the proxy's name has to be looked up again.
func (c *Connections) register(ctx context.Context, own *Registration, row *dbsqlc.SIPConnection) error {
	way, err := c.Route(ctx, row, row.Simulated)
	if err != nil {
		return err
	}
	token := rand.Text()
	c.mu.Lock()
	c.byToken[token] = own
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.byToken, token)
	}()
	ctx, again := context.WithCancel(ctx)
	defer again()
	vain := 0
	err = way.Gateway.UA.Register(ctx, sip.Registration{
		Registrar: way.Proxy, Domain: way.Domain, Username: row.SIPUsername, Password: way.Password, Token: token,
		Pause: own.pause, LongestPause: longestPause, Admit: c.pace.wait,
		Status: func(status sip.RegistrationStatus) {
			c.reports.add(own, status)
			switch status.State {
			case sip.Registered:
				own.pause = 0
			case sip.Failed:
				own.pause = status.RetryIn
			}
			switch {
			case status.State == sip.Registered:
				vain = 0
				c.logger.InfoContext(ctx, "SIP connection is registered", "sip_connection_id", own.ID, "until", status.Until)
			case status.State == sip.Unregistered:
				c.logger.InfoContext(ctx, "SIP connection is taken back", "sip_connection_id", own.ID, "error", status.Err)
			case status.State == sip.Failed && (status.Code == 408 || status.Code == 503):
				if vain++; vain == lookUpAfter {
					again()
				}
			}
		},
	})
	if ctx.Err() != nil {
		return nil // a registration that could not be taken back lapses by itself
	}
	return err
}

// Route is how a connection is reached from here.
type Route struct {
	Gateway  *Gateway
	Proxy    string // its address now
	Domain   string
	Password string
}

// Route finds the address of a connection's proxy, which a customer gave: only such are used as the guard allows. On the
// simulated network every proxy is that network.
func (c *Connections) Route(ctx context.Context, row *dbsqlc.SIPConnection, simulated bool) (*Route, error) {
	password, err := c.seal.Open(row.SIPPassword, numbers.SIPPasswordContext(row.ID))
	if err != nil {
		return nil, fmt.Errorf("open SIP password: %w", err)
	}
	host, port, err := net.SplitHostPort(row.SIPProxy)
	if err != nil {
		host, port = row.SIPProxy, "5060"
	}
	found := &Route{Gateway: c.gateways.Live, Domain: host, Password: password}
	if simulated {
		found.Gateway = c.gateways.Simulated
	}
	switch {
	case found.Gateway == nil:
		return nil, errors.New("this worker has no SIP gateway")
	case simulated:
		found.Proxy = found.Gateway.Trunk.Proxy
		return found, nil
	}
	host = strings.Trim(host, "[]")
	if found.Proxy, err = c.Look(ctx, found.Gateway, net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	return found, found.Gateway.checkProxy(host, found.Proxy)
}

// Look finds the address of a host that a customer named, as far as the guard allows it.
func (c *Connections) Look(ctx context.Context, on *Gateway, address string) (string, error) {
	network := "udp6"
	if on.UA.Addr().Addr().Is4() {
		network = "udp4"
	}
	conn, err := c.guard.Dialer().DialContext(ctx, network, address) // sends nothing
	if lookUp, ok := errors.AsType[*net.DNSError](err); ok {         // which says more than customers need to know
		return "", fmt.Errorf("look up SIP proxy %s: %s", lookUp.Name, lookUp.Err)
	}
	if err != nil {
		return "", fmt.Errorf("find SIP proxy: %w", err)
	}
	return conn.RemoteAddr().String(), conn.Close()
}

// Leave takes all registrations back and gives the connections to other processes.
func (c *Connections) Leave(ctx context.Context, in queue.Inserter) error {
	c.mu.Lock()
	c.stopping = true
	for _, held := range c.held {
		held.cancel()
	}
	c.mu.Unlock()
	c.running.Wait()
	return c.giveUp(ctx, in)
}

// Close writes how the registrations stand and ends. Leave is called before.
func (c *Connections) Close() { c.reports.close() }

func (c *Connections) giveUp(ctx context.Context, in queue.Inserter) error {
	return db.InTx(ctx, c.pool, func(tx pgx.Tx) error { return numbers.GiveUpSIPConnections(ctx, tx, in, c.processID) })
}
