package worker

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

// connections are the customers' SIP accounts that this process keeps registered. Which they are the rows say, which are
// read again and again; each has a goroutine of its own, and all share the sockets of their gateway.
type connections struct {
	processID string
	pool      *pgxpool.Pool
	gateways  *gateways
	seal      seal.Opener
	guard     *hook.Guard
	logger    *slog.Logger
	reports   *reports
	pace      *pace

	mu       sync.Mutex
	held     map[uuid.UUID]*registration
	byToken  map[string]*registration
	stopping bool
	running  sync.WaitGroup
}

// registration is a connection that is kept registered.
type registration struct {
	id     uuid.UUID
	number string
	wanted int32
	cancel context.CancelFunc
	done   chan struct{} // closed when it is taken back

	pause time.Duration // after the latest failure; zero: there is none since the last success
}

func newConnections(processID string, cfg Config, gateways *gateways) *connections {
	return &connections{
		processID: processID, pool: cfg.Pool, gateways: gateways, seal: cfg.Seal, guard: cfg.Hook.Guard(), logger: cfg.Logger,
		reports: newReports(processID, cfg.Pool, cfg.Logger), pace: newPace(cmp.Or(cfg.Phone.RegistrationsPerSecond, usualRate)),
		held: map[uuid.UUID]*registration{}, byToken: map[string]*registration{},
	}
}

// count returns how many connections are kept registered here.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

// named is the connection over which a call comes that carries a token.
func (c *connections) named(token string) *registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byToken[token]
}

// reconcile begins what the rows say this process shall keep registered, anew where they ask for that, and ends the rest.
func (c *connections) reconcile(ctx context.Context, in queue.Inserter) error {
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
func (c *connections) compare(rows []*dbsqlc.SIPConnectionListOwnRow) []uuid.UUID {
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

func (c *connections) start(ctx context.Context, row *dbsqlc.SIPConnectionListByIDRow) {
	connection := &row.SIPConnection
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	next := &registration{id: connection.ID, number: row.Number, wanted: connection.Wanted, cancel: cancel,
		done: make(chan struct{}), pause: failedFor(connection.FailingSince)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		cancel()
		return
	}
	before := c.held[next.id]
	c.held[next.id] = next
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
func (c *connections) keep(ctx context.Context, own *registration, row *dbsqlc.SIPConnection) {
	for ctx.Err() == nil {
		if err := c.register(ctx, own, row); err != nil {
			c.logger.WarnContext(ctx, "SIP connection is not registered", "sip_connection_id", own.id, "error", err)
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

// pace spaces what a process sends, whatever number of goroutines send it.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func newPace(perSecond int) *pace { return &pace{every: time.Second / time.Duration(perSecond)} }

// wait returns when it is the caller's turn, or ctx ends.
func (p *pace) wait(ctx context.Context) {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = turn.Add(p.every)
	p.mu.Unlock()
	pause(ctx, turn.Sub(now))
}

// register returns nil when ctx ended, or when the proxy's name has to be looked up again.
func (c *connections) register(ctx context.Context, own *registration, row *dbsqlc.SIPConnection) error {
	way, err := c.route(ctx, row, row.Simulated)
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
	err = way.gateway.ua.Register(ctx, sip.Registration{
		Registrar: way.proxy, Domain: way.domain, Username: row.SIPUsername, Password: way.password, Token: token,
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
				c.logger.InfoContext(ctx, "SIP connection is registered", "sip_connection_id", own.id, "until", status.Until)
			case status.State == sip.Unregistered:
				c.logger.InfoContext(ctx, "SIP connection is taken back", "sip_connection_id", own.id, "error", status.Err)
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

// route is how a connection is reached from here.
type route struct {
	gateway  *gateway
	proxy    string // its address now
	domain   string
	password string
}

// route finds the address of a connection's proxy, which a customer gave: only such are used as the guard allows. On the
// simulated network every proxy is that network.
func (c *connections) route(ctx context.Context, row *dbsqlc.SIPConnection, simulated bool) (*route, error) {
	password, err := c.seal.Open(row.SIPPassword, numbers.SIPPasswordContext(row.ID))
	if err != nil {
		return nil, fmt.Errorf("open SIP password: %w", err)
	}
	host, port, err := net.SplitHostPort(row.SIPProxy)
	if err != nil {
		host, port = row.SIPProxy, "5060"
	}
	found := &route{gateway: c.gateways.live, domain: host, password: password}
	if simulated {
		found.gateway = c.gateways.simulated
	}
	switch {
	case found.gateway == nil:
		return nil, errors.New("this worker has no SIP gateway")
	case simulated:
		found.proxy = found.gateway.trunk.Proxy
		return found, nil
	}
	host = strings.Trim(host, "[]")
	if found.proxy, err = c.look(ctx, found.gateway, net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	return found, found.gateway.checkProxy(host, found.proxy)
}

// look finds the address of a host that a customer named, as far as the guard allows it.
func (c *connections) look(ctx context.Context, on *gateway, address string) (string, error) {
	network := "udp6"
	if on.ua.Addr().Addr().Is4() {
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

// leave takes all registrations back and gives the connections to other processes.
func (c *connections) leave(ctx context.Context, in queue.Inserter) error {
	c.mu.Lock()
	c.stopping = true
	for _, held := range c.held {
		held.cancel()
	}
	c.mu.Unlock()
	c.running.Wait()
	return c.giveUp(ctx, in)
}

func (c *connections) giveUp(ctx context.Context, in queue.Inserter) error {
	return db.InTx(ctx, c.pool, func(tx pgx.Tx) error { return numbers.GiveUpSIPConnections(ctx, tx, in, c.processID) })
}
