//go:build unix

// Command callwright-chaos proves what the product promises of calls: nobody is rung twice, nobody is forgotten, and
// everything is reported once. It runs the built program as an operator does, API and worker processes on a private
// Postgres, places calls through its API, and has processes die, stop and be cut off at chosen steps of those calls. What
// must hold is judged from outside alone: by what was accepted, what arrived at the called numbers and at the webhook
// receiver, and by what Postgres holds at the end.
//
// It knows the public API, SIP packets, and the columns that say how far a call is. It must not know how the product keeps
// its promises.
//
// A transfer is a REFER to the far end, which is the carrier that rings the target: it counts them by call. Callers come in at
// whatever worker, also at one that is cut off or stopped. Pages call with WebRTC, and colleagues listen in on them.
//
// Some faults are approximate. On Linux a process that cannot send to Postgres has nothing acknowledged, so that its TCP user
// timeout counts; one that cannot hear from Postgres has. The lease check cannot be seen from outside: that step is a few
// milliseconds after the claim. Steps seen through a notification are over when the fault comes; claims are made slow to be
// known by the worker, so that faults come before its INVITE. Before the claim, and at the report, the victim is any worker.
// Full disks need root, which alone may mount the file systems that are filled; elsewhere they are left out, and named.
//
// With -rolling nothing fails: every process is replaced by another, one after the other, as an operator does it, and no call and
// no request may suffer. With -upgrade-from they are replaced by those of this version, which migrates the database beside them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	seed     uint64
	duration time.Duration
	settle   time.Duration
	longest  time.Duration
	faults   int
	calls    int
	only     string
	binary   string
	rolling  bool
	from     string
	keep     bool
	begun    time.Time
}

// counts are what progress lines show.
type counts struct{ faults, exits atomic.Int64 }

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "chooses the faults, their steps and lengths, and the calls")
	flag.DurationVar(&o.duration, "duration", 3*time.Minute, "how long calls are placed among faults")
	flag.DurationVar(&o.settle, "settle", 2*time.Minute, "how long everything may go on after the last fault without getting less")
	flag.DurationVar(&o.longest, "longest", time.Minute, "longest pause or partition")
	flag.IntVar(&o.faults, "faults", 0, "faults; default: one every 5 s")
	flag.IntVar(&o.calls, "calls", 0, "calls in that time; default: two a second")
	flag.StringVar(&o.only, "only", "", "only faults whose name has this in it, such as SIGSTOP or partition")
	flag.StringVar(&o.binary, "binary", "", "callwright to run; default: it is built")
	flag.BoolVar(&o.rolling, "rolling", false, "no faults: replace every process, one after the other, and let nobody notice")
	flag.StringVar(&o.from, "upgrade-from", "",
		"no faults: upgrade from this callwright, of the version before, and let nobody notice")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder with logs, files and the database, and print its name")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			"callwright-chaos has processes fail while calls are placed, and checks that none is lost or rings twice.\n"+
				"It ends with one line per invariant, and with status 1 when one is broken. Flags:")
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.faults == 0 {
		o.faults = int(o.duration / (5 * time.Second))
	}
	if o.calls == 0 {
		o.calls = 2 * int(o.duration/time.Second)
	}
	o.begun = time.Now()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "callwright-chaos:", err)
		os.Exit(1)
	}
}

var errBroken = errors.New("invariants are broken")

func run(ctx context.Context, o options) (err error) {
	h := &harness{options: o}
	if h.dir, err = os.MkdirTemp("", "callwright-chaos-"); err != nil {
		return err
	}
	if err := os.Chmod(h.dir, 0o755); err != nil { // Postgres runs as an unprivileged user
		return err
	}
	running, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer stop()
		err = errors.Join(err, h.tearDown(ending), h.clean())
	}()
	if err := h.setUp(running); err != nil {
		return err
	}
	if !o.rolls() {
		h.say("seed %d: %d calls and %d faults in %v", o.seed, o.calls, o.faults, o.duration)
	}
	h.tasks.Go(func() { h.watch(running) })
	h.tasks.Go(func() { h.progress(running) })
	load := h.load
	if o.rolls() {
		load = h.roll
	}
	if err := load(running); err != nil {
		return err
	}
	if err := h.settleDown(running); err != nil {
		return err
	}
	return h.verdict(running)
}

// load places the calls and the faults, and returns when both are over.
func (h *harness) load(ctx context.Context) error {
	until := time.Now().Add(h.duration)
	loading, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	placed := make(chan struct{})
	go func() {
		defer close(placed)
		h.driver.run(ctx, loading, h.calls)
	}()
	h.inject(ctx, until)
	<-placed
	return ctx.Err()
}

// clean removes the folder, unless somebody wants to look at it.
func (h *harness) clean() error {
	if h.keep {
		h.say("kept: %s", h.dir)
		return nil
	}
	return os.RemoveAll(h.dir)
}

// say prints a line with the time since the start.
func (h *harness) say(format string, args ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(h.begun).Seconds(), fmt.Sprintf(format, args...))
}
