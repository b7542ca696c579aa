//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// direction is one half of a connection.
type direction int

const (
	toServer direction = iota
	toClient
)

// proxy stands between one process and Postgres. What it holds back it delivers when the partition is over, as TCP does. While
// the way to Postgres is cut its kernel acknowledges nothing, where that can be done. On the way back it acknowledges.
type proxy struct {
	listener *net.TCPListener
	upstream string // unix socket of Postgres
	closed   chan struct{}
	ending   sync.Once
	pumps    sync.WaitGroup

	mu      sync.Mutex
	open    [2]chan struct{} // closed: the direction is open
	refuses bool
	delay   time.Duration // towards the client
	links   map[*link]struct{}
}

// link is one connection of the process and the one to Postgres that belongs to it.
type link struct {
	client *net.TCPConn
	server net.Conn // nil until it is dialed
}

func newProxy(ctx context.Context, upstream string) (*proxy, error) {
	config := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: serverGivesUp / 3,
		Interval: serverGivesUp / 6, Count: 4}}
	config.SetMultipathTCP(false) // it takes no filter
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener.(*net.TCPListener), upstream: upstream, closed: make(chan struct{}), links: map[*link]struct{}{}}
	for i := range p.open {
		p.open[i] = make(chan struct{})
		close(p.open[i])
	}
	p.pumps.Go(p.accept)
	return p, nil
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

// cut holds back what goes in the directions.
func (p *proxy) cut(directions ...direction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range directions {
		select {
		case <-p.open[d]:
			p.open[d] = make(chan struct{})
		default:
		}
		if d == toServer {
			p.setUnheard(true)
		}
	}
}

// setUnheard applies to the connections that there are and to those that are attempted. The caller holds mu.
func (p *proxy) setUnheard(unheard bool) {
	complain(setUnheard(p.listener, unheard))
	for one := range p.links {
		complain(setUnheard(one.client, unheard))
	}
}

// unhearIfCut applies to a connection that was made before the cut and is accepted after it. The caller holds mu.
func (p *proxy) unhearIfCut(one *link) {
	select {
	case <-p.open[toServer]:
	default:
		complain(setUnheard(one.client, true))
	}
}

// complain says what went wrong, unless the socket was closed meanwhile.
func complain(err error) {
	if err != nil && !errors.Is(err, net.ErrClosed) {
		fmt.Fprintln(os.Stderr, "proxy:", err)
	}
}

// refuse resets all connections, and new ones until heal.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = true
	for one := range p.links {
		one.reset()
	}
}

// slow delays what comes from Postgres, so that there is time to act between a commit and the process's knowing of it.
func (p *proxy) slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = false
	for d := range p.open {
		select {
		case <-p.open[d]:
		default:
			close(p.open[d])
			if direction(d) == toServer {
				p.setUnheard(false)
			}
		}
	}
}

// forget ends the connections to Postgres of a host that is gone or cut off, as Postgres's keepalive would: behind the proxy
// its socket is a Unix one, which has none. The host's side stays.
func (p *proxy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for one := range p.links {
		if one.server != nil {
			one.server.Close()
		}
	}
}

// close ends everything.
func (p *proxy) close() { p.ending.Do(p.end) }

func (p *proxy) end() {
	close(p.closed)
	_ = p.listener.Close() // nothing is to be flushed, here and below
	p.mu.Lock()
	for one := range p.links {
		_ = one.client.Close()
		if one.server != nil {
			one.server.Close()
		}
	}
	p.mu.Unlock()
	p.pumps.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.AcceptTCP()
		if err != nil {
			return // closed
		}
		one := &link{client: client}
		p.mu.Lock()
		refused := p.refuses
		if !refused {
			p.links[one] = struct{}{}
			p.unhearIfCut(one)
		}
		p.mu.Unlock()
		if refused {
			one.reset()
			continue
		}
		p.pumps.Go(func() { p.carry(one) })
	}
}

func (p *proxy) carry(one *link) {
	defer func() {
		p.mu.Lock()
		delete(p.links, one)
		p.mu.Unlock()
		_ = one.client.Close()
	}()
	if !p.pass(toServer) || !p.pass(toClient) {
		return
	}
	server, err := new(net.Dialer).Dial("unix", p.upstream)
	if err != nil {
		return // Postgres is away: the client sees its connection end
	}
	p.mu.Lock()
	one.server = server
	p.mu.Unlock()
	defer server.Close()
	select {
	case <-p.closed: // end may have seen a link without a server, or not seen it yet
		return
	default:
	}
	var both sync.WaitGroup
	both.Go(func() { p.pump(one, server, one.client, toServer) })
	both.Go(func() { p.pump(one, one.client, server, toClient) })
	both.Wait()
}

// pump carries one direction. The end of a connection travels as its data does.
func (p *proxy) pump(one *link, to, from net.Conn, d direction) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass(d) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = one.client.Close()
	one.server.Close()
}

// pass waits until the direction is open. It returns false when the proxy is closed.
func (p *proxy) pass(d direction) bool {
	if d == toClient {
		p.mu.Lock()
		delay := p.delay
		p.mu.Unlock()
		if delay > 0 {
			select {
			case <-time.After(delay):
			case <-p.closed:
				return false
			}
		}
	}
	p.mu.Lock()
	open := p.open[d]
	p.mu.Unlock()
	select {
	case <-open:
		return true
	case <-p.closed:
		return false
	}
}

// reset ends the client's side with RST.
func (l *link) reset() {
	_ = l.client.SetLinger(0) // what it cannot reset, it closes
	_ = l.client.Close()
	if l.server != nil {
		l.server.Close()
	}
}
