//go:build unix

package main

import (
	"context"
	"syscall"
	"time"
)

const (
	longestRefuse = 20 * time.Second // of what all processes share: connections and disk
	serverGivesUp = 12 * time.Second // as Postgres does with clients that acknowledge nothing, when they asked it to
	goneAtMost    = 6                // processes that lie stopped; the oldest are killed, unseen by anybody
)

// fault is something that goes wrong. run returns when it is over.
type fault struct {
	name   string
	run    func(ctx context.Context, h *harness, victim *process, length time.Duration)
	shared bool // it befalls what all processes share: its victim only says when
}

const (
	fullFiles    = "full disk for files"
	fullPostgres = "full disk for Postgres"
)

var faults = []fault{
	{name: "SIGKILL", run: killed},
	{name: "SIGSTOP", run: stopped},
	{name: "silent partition", run: partition(toServer, toClient)},
	{name: "partition to Postgres", run: partition(toServer)},
	{name: "partition from Postgres", run: partition(toClient)},
	{name: "partition with reset", run: resets},
	{name: "killed connections", run: terminated},
	{name: "Postgres restarted", run: restarted, shared: true},
	{name: "host gone", run: vanished},
	{name: fullFiles, run: filesFull, shared: true},
	{name: fullPostgres, run: postgresFull, shared: true},
	{name: "few connections", run: connectionsTaken, shared: true},
}

func killed(ctx context.Context, h *harness, victim *process, _ time.Duration) {
	h.lose("SIGKILL", victim)
	victim.kill()
	h.replace(ctx, victim, time.Second)
}

func (h *harness) lose(name string, victim *process) {
	if !victim.worker {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.losses = append(h.losses, loss{fault: name, pid: victim.pid(), at: time.Now()})
}

func stopped(ctx context.Context, _ *harness, victim *process, length time.Duration) {
	victim.signal(syscall.SIGSTOP)
	sleep(ctx, length)
	victim.signal(syscall.SIGCONT)
}

func partition(directions ...direction) func(context.Context, *harness, *process, time.Duration) {
	return func(ctx context.Context, _ *harness, victim *process, length time.Duration) {
		victim.proxy.cut(directions...)
		sleep(ctx, min(length, serverGivesUp))
		if length > serverGivesUp {
			victim.proxy.forget()
			sleep(ctx, length-serverGivesUp)
		}
		victim.proxy.heal()
	}
}

func resets(ctx context.Context, _ *harness, victim *process, length time.Duration) {
	victim.proxy.refuse()
	sleep(ctx, length)
	victim.proxy.heal()
}

// terminated ends the connections of the victim; of all processes when the length is odd.
func terminated(ctx context.Context, h *harness, victim *process, length time.Duration) {
	name := victim.slot
	if length.Milliseconds()%2 == 1 {
		name = ""
	}
	if err := h.postgres.terminate(ctx, name); err != nil && ctx.Err() == nil {
		h.say("killed connections: %v", err)
	}
}

func restarted(ctx context.Context, h *harness, _ *process, length time.Duration) {
	if err := h.postgres.restart(ctx, length/30); err != nil { // at most two seconds
		h.say("Postgres restarted: %v", err)
	}
}

// vanished leaves the process stopped behind a silent partition for good. Nothing tells Postgres for a long time, and
// another host takes its place.
func vanished(ctx context.Context, h *harness, victim *process, _ time.Duration) {
	victim.expect()
	h.lose("host gone", victim)
	victim.proxy.cut(toServer, toClient)
	victim.signal(syscall.SIGSTOP)
	h.mu.Lock()
	h.gone = append(h.gone, victim)
	var oldest *process
	if len(h.gone) > goneAtMost {
		oldest, h.gone = h.gone[0], h.gone[1:]
	}
	h.mu.Unlock()
	if oldest != nil {
		oldest.kill()
	}
	h.tasks.Go(func() {
		sleep(ctx, serverGivesUp)
		victim.proxy.forget()
	})
	h.replace(ctx, victim, time.Second)
}

func filesFull(ctx context.Context, h *harness, _ *process, length time.Duration) {
	h.fill(ctx, h.filesDisk, length)
}

// postgresFull has Postgres fail what needs space. Once it cannot write its log it ends, and is started again when there is
// space.
func postgresFull(ctx context.Context, h *harness, _ *process, length time.Duration) {
	h.fill(ctx, h.postgresDisk, length)
	if err := h.postgres.revive(ctx); err != nil && ctx.Err() == nil {
		h.say("full disk: Postgres does not come back: %v", err)
	}
}

func (h *harness) fill(ctx context.Context, full *disk, length time.Duration) {
	if err := full.fill(); err != nil {
		h.say("full disk: %v", err)
	}
	sleep(ctx, min(length, longestRefuse))
	if err := full.free(); err != nil {
		h.say("full disk: %v", err)
	}
}

// possible reports whether this machine allows the fault.
func (h *harness) possible(one fault) bool {
	return (one.name != fullFiles || h.filesDisk != nil) && (one.name != fullPostgres || h.postgresDisk != nil)
}

func connectionsTaken(ctx context.Context, h *harness, _ *process, length time.Duration) {
	h.postgres.hog(ctx, min(length, longestRefuse))
}
