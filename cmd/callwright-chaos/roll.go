//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	dwells       = 6 // parts of the duration that an upgrade stays as it is between two steps
	drainLimit   = 90 * time.Second
	chaosDrain   = 2 * time.Second // calls are cut short when a process ends
	startLimit   = time.Minute
	migrateTries = 5
)

// rolls reports whether processes are replaced, and none fails.
func (o *options) rolls() bool { return o.rolling || o.from != "" }

// drain is how long a worker lets its calls go on: to their end, where nobody may notice.
func (o *options) drain() time.Duration {
	if o.rolls() {
		return drainLimit - 10*time.Second
	}
	return chaosDrain
}

// roll replaces processes while calls are placed.
func (h *harness) roll(ctx context.Context) error {
	h.receiver.heal()
	loading, stop := context.WithCancel(ctx)
	defer stop()
	placed := make(chan struct{})
	go func() {
		defer close(placed)
		h.driver.chatter(ctx, loading)
		h.driver.run(ctx, loading, math.MaxInt)
	}()
	change := h.restartAll
	if h.next != "" {
		change = h.upgrade
	}
	err := change(ctx)
	stop()
	<-placed
	return errors.Join(err, ctx.Err())
}

// restartAll replaces every process by another of its program, again and again until the time is over.
func (h *harness) restartAll(ctx context.Context) error {
	slots := []string{"api-1", "worker-1", "api-2", "worker-2"}
	for begun := time.Now(); time.Since(begun) < h.duration; {
		for _, slot := range slots {
			if err := h.renew(ctx, slot, h.program); err != nil {
				return err
			}
			h.dwell(ctx)
		}
	}
	return nil
}

// upgrade goes from a deployment of the version before, on its schema, to one of the next.
func (h *harness) upgrade(ctx context.Context) error {
	before, next := h.program, h.next
	renew := func(slot, program string) func(context.Context) error {
		return func(ctx context.Context) error { return h.renew(ctx, slot, program) }
	}
	stay := func(ctx context.Context) error {
		h.dwell(ctx)
		return ctx.Err()
	}
	for _, step := range []struct {
		says string
		do   func(context.Context) error
	}{
		{"the version before, on its schema", stay},
		{"the next version refuses that schema", h.tooEarly},
		{"migrate --dry-run", h.dryRun},
		{"migrate", h.migrate},
		{"the day is over in which the version before may come back", h.dayIsOver},
		{"the version before, on the next schema", stay},
		{"the first API process is replaced", renew("api-1", next)},
		{"the first worker is replaced", renew("worker-1", next)},
		{"both versions", stay},
		{"a worker of the version before starts on the next schema", renew("worker-2", before)},
		{"an API process of the version before starts on the next schema", renew("api-2", before)},
		{"both versions", stay},
		{"the last worker is replaced", renew("worker-2", next)},
		{"the last API process is replaced", renew("api-2", next)},
		{"the next version alone", stay},
		{"its own processes are replaced", renew("worker-1", next)},
		{"both of them", renew("api-1", next)},
		{"the next version alone", stay},
	} {
		h.phase(step.says)
		h.say("%s", step.says)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.says, err)
		}
	}
	return nil
}

func (h *harness) dwell(ctx context.Context) { sleep(ctx, h.duration/dwells) }

// tooEarly holds that a process of the next version does not start on the schema of the version before, and says what to do.
func (h *harness) tooEarly(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	output, err := h.operateAs(ctx, h.next, "api", "--listen=127.0.0.1:0")
	if err == nil || !strings.Contains(output, "callwright migrate") {
		return fmt.Errorf("it does not say what to do: %w: %s", err, output)
	}
	return nil
}

// dryRun holds that it names what migrate does next, by its status too.
func (h *harness) dryRun(ctx context.Context) error {
	output, err := h.operateAs(ctx, h.next, "migrate", "--dry-run")
	failed, is := errors.AsType[*exec.ExitError](err)
	if !is || failed.ExitCode() != 3 || !strings.Contains(output, standIn) {
		return fmt.Errorf("it does not say what is to be done: %w: %s", err, output)
	}
	return nil
}

// migrate does what an operator is told: again, when a lock was not to be had.
func (h *harness) migrate(ctx context.Context) error {
	for try := 1; ; try++ {
		_, err := h.operateAs(ctx, h.next, "migrate")
		if err == nil || try == migrateTries || !strings.Contains(err.Error(), "run `callwright migrate` again") {
			return err
		}
		h.say("migrate again: %v", err)
	}
}

// dayIsOver has processes of the next version write what the version before cannot read as soon as that one is gone: see db.Form.
func (h *harness) dayIsOver(ctx context.Context) error {
	_, err := h.postgres.pool.Exec(ctx, "UPDATE stored_form SET written_from = now()")
	return err
}

// renew asks the process of a slot to end, waits until it has, and starts another there.
func (h *harness) renew(ctx context.Context, slot, program string) error {
	p := h.find(func(p *process) bool { return p.slot == slot })
	if p == nil {
		return fmt.Errorf("nothing runs as %s", slot)
	}
	begun := time.Now()
	p.expect()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(drainLimit):
		return fmt.Errorf("%s does not end", p.name)
	case <-ctx.Done():
		return ctx.Err()
	}
	if status := p.cmd.ProcessState; !status.Success() {
		return fmt.Errorf("%s ended: %v", p.name, status)
	}
	h.say("%s has drained in %v", p.name, time.Since(begun).Round(time.Millisecond))
	if err := h.start(ctx, program, slot, p.worker); err != nil {
		return err
	}
	return h.awaitReady(ctx, slot)
}

// awaitReady waits until the process of a slot says that it is ready.
func (h *harness) awaitReady(ctx context.Context, slot string) error {
	p := h.find(func(p *process) bool { return p.slot == slot })
	var err error
	for begun := time.Now(); time.Since(begun) < startLimit && ctx.Err() == nil; sleep(ctx, tryEvery) {
		if err = probe(ctx, p); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s does not get ready: %w", p.name, errors.Join(err, ctx.Err()))
}

// healthyOrLeaving are the API processes that run, those among them that were asked to end too.
func (h *harness) healthyOrLeaving() []*process {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*process
	for _, p := range h.processes {
		if !p.worker && p.running() {
			found = append(found, p)
		}
	}
	return found
}

const (
	chatters    = 4
	chatterPace = 20 * time.Millisecond
)

// chatter makes many small requests beside the calls: one that is sent to a process as it leaves is found among many alone.
func (d *driver) chatter(ctx, loading context.Context) {
	for i := range chatters {
		d.requests.Go(func() {
			for j := 0; loading.Err() == nil; j++ {
				sleep(loading, chatterPace)
				method, path, body := http.MethodGet, "/v1/calls?limit=1", any(nil)
				if j%2 == 0 {
					method, path, body = http.MethodPost, "/v1/contacts", map[string]any{"phone_number": fmt.Sprintf("+3163%d%06d", i, j)}
				}
				if err := d.do(ctx, method, path, "", body, nil); err != nil {
					d.h.say("%s %s: %v", method, path, err)
				}
			}
		})
	}
}
