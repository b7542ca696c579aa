//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"
)

// start starts the process of a slot on a proxy of its own, and starts another one when it ends by itself.
func (h *harness) start(ctx context.Context, program, slot string, worker bool) error {
	proxy, err := newProxy(ctx, h.postgres.socket)
	if err != nil {
		return err
	}
	p := &process{slot: slot, worker: worker, runs: program, proxy: proxy, exited: make(chan struct{})}
	if err := h.admit(ctx, p); err != nil {
		proxy.close()
		return err
	}
	h.tasks.Go(func() { h.tend(ctx, p) })
	return nil
}

// admit launches the process, unless the harness is stopping.
func (h *harness) admit(ctx context.Context, p *process) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	p.url = "http://" + address
	args := []string{"api", "--listen=" + address}
	if p.worker {
		if p.sip, err = freeUDPPort(ctx); err != nil {
			return err
		}
		args = []string{"worker", fmt.Sprintf("--sip-listen=127.0.0.1:%d", p.sip), "--metrics-listen=" + address,
			"--web-listen=127.0.0.1:0"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return context.Canceled
	}
	h.made++
	p.name = fmt.Sprintf("%s.%d", p.slot, h.made)
	env := append([]string{"DATABASE_URL=" + h.postgres.through(p.proxy.port(), "chaos-"+p.slot)}, h.env...)
	if p.cmd, p.log, err = launch(ctx, p.runs, env, args, filepath.Join(h.logsDir(), p.name+".log")); err != nil {
		return err
	}
	h.processes[p.slot] = p
	h.launched = append(h.launched, p)
	return nil
}

// tend waits for the end of the process. An operator's supervisor starts another one when it ends by itself.
func (h *harness) tend(ctx context.Context, p *process) {
	err := p.cmd.Wait()
	close(p.exited)
	p.log.Close()
	p.proxy.close()
	if p.wasExpected() || ctx.Err() != nil {
		return
	}
	h.done.exits.Add(1)
	h.say("%s ended by itself: %v", p.name, err)
	h.replace(ctx, p, time.Second)
}

// replace starts the successor of a process in its slot.
func (h *harness) replace(ctx context.Context, p *process, after time.Duration) {
	sleep(ctx, after)
	if ctx.Err() != nil {
		return
	}
	if err := h.start(ctx, p.runs, p.slot, p.worker); err != nil && !errors.Is(err, context.Canceled) {
		h.say("%s does not start: %v", p.slot, err)
	}
}

// healthy are the processes of a kind that no fault is on.
func (h *harness) healthy(worker bool) []*process {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*process
	for _, p := range h.processes {
		if p.worker == worker && p.healthy() {
			found = append(found, p)
		}
	}
	return found
}
