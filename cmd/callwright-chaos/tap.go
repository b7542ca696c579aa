//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// tap is the SIP address that workers send calls to. It notes each INVITE transaction and passes the packets on to the
// far end, from a socket for each worker. It reads the packets itself: what it counts depends on no SIP code of ours.
type tap struct {
	front    *net.UDPConn
	far      netip.AddrPort
	onInvite func(ring) // called before the INVITE is passed on
	running  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	sources map[netip.AddrPort]*net.UDPConn
	seen    map[[2]string]bool
	rings   []ring
}

func newTap(ctx context.Context, far netip.AddrPort, onInvite func(ring)) (*tap, error) {
	conn, err := new(net.ListenConfig).ListenPacket(ctx, "udp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tap{front: conn.(*net.UDPConn), far: far, onInvite: onInvite, sources: map[netip.AddrPort]*net.UDPConn{},
		seen: map[[2]string]bool{}}
	t.running.Go(t.forward)
	return t, nil
}

func (t *tap) address() string { return t.front.LocalAddr().String() }

// noted are the INVITE transactions so far.
func (t *tap) noted() []ring {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]ring(nil), t.rings...)
}

func (t *tap) close() {
	t.mu.Lock()
	t.closed = true
	for _, conn := range t.sources {
		_ = conn.Close() // nothing is to be flushed
	}
	t.mu.Unlock()
	_ = t.front.Close() // nothing is to be flushed
	t.running.Wait()
}

func (t *tap) forward() {
	buffer := make([]byte, 64<<10)
	for {
		n, from, err := t.front.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a worker is gone: ICMP said so
		}
		t.note(buffer[:n], from)
		conn, err := t.source(from)
		if err != nil {
			continue // closed, or no socket is left: the worker sends the packet again
		}
		_, _ = conn.Write(buffer[:n]) // a lost packet is sent again
	}
}

// source is the socket that stands for a worker at the far end.
func (t *tap) source(worker netip.AddrPort) (*net.UDPConn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if conn := t.sources[worker]; conn != nil {
		return conn, nil
	}
	if t.closed {
		return nil, net.ErrClosed
	}
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(t.far))
	if err != nil {
		return nil, err
	}
	t.sources[worker] = conn
	t.running.Go(func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := conn.Read(buffer)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				_, _ = t.front.WriteToUDPAddrPort(buffer[:n], worker) // a lost packet is sent again
			}
		}
	})
	return conn, nil
}

func (t *tap) note(packet []byte, from netip.AddrPort) {
	one, ok := parseInvite(packet)
	if !ok {
		return
	}
	one.From = from.Port()
	id := [2]string{one.CallID, one.Branch}
	t.mu.Lock()
	again := t.seen[id]
	if !again {
		t.seen[id] = true
		t.rings = append(t.rings, one)
	}
	t.mu.Unlock()
	if !again {
		t.onInvite(one)
	}
}

// parseInvite reads an INVITE that begins a call.
func parseInvite(packet []byte) (ring, bool) {
	head, _, _ := bytes.Cut(packet, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	target, ok := strings.CutPrefix(lines[0], "INVITE sip:")
	if !ok {
		return ring{}, false
	}
	one := ring{At: time.Now()}
	one.Number, _, _ = strings.Cut(target, "@")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "call-id", "i":
			one.CallID = value
		case "via", "v":
			if _, branch, found := strings.Cut(value, "branch="); found && one.Branch == "" {
				one.Branch, _, _ = strings.Cut(branch, ";")
			}
		case "to", "t":
			if strings.Contains(value, ";tag=") {
				return ring{}, false // within a call
			}
		}
	}
	return one, true
}
