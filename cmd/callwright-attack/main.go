//go:build unix

// Command callwright-attack sends the product what nobody should send it: an API and a worker process on a private Postgres get
// requests made from the OpenAPI document by seed, valid ones and hostile ones, from two accounts that also try each other's ids,
// and the worker gets mutated SIP messages. An answer that is a failure of ours or not as the document says, a process that ends,
// and a log that tells of a panic fail the attack.
//
// It knows the public API, SIP and the operator's commands. It sends nothing to other machines: the keys are test keys, and every
// name that the requests hold is one that leads nowhere.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/callwright/callwright/voice/sip/fuzz"
)

// options are the flags.
type options struct {
	seed     uint64
	requests int
	limit    time.Duration
	clients  int
	sip      int
	binary   string
	keep     bool
	begun    time.Time
}

func main() {
	o := options{begun: time.Now()}
	flag.Uint64Var(&o.seed, "seed", 1, "what the requests follow from, with the answers")
	flag.IntVar(&o.requests, "requests", 1_000_000, "how many requests to send")
	flag.DurationVar(&o.limit, "for", 2*time.Minute, "how long to send them at most")
	flag.IntVar(&o.clients, "clients", 4, "how many send at once, half of them for each account")
	flag.IntVar(&o.sip, "sip", 5000, "how many mutated SIP messages to send after that")
	flag.StringVar(&o.binary, "binary", "", "callwright to run; default: it is built")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder with logs, files and the database, and print its name")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			"callwright-attack sends real processes hostile requests. It ends with a line for each operation and a verdict,\n"+
				"and with status 1 when something broke. Flags:")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "callwright-attack: %.8000s\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	h := &harness{options: o}
	if h.dir, err = os.MkdirTemp("", "callwright-attack-"); err != nil {
		return err
	}
	if err := os.Chmod(h.dir, 0o755); err != nil { // Postgres runs as an unprivileged user
		return err
	}
	defer func() {
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer stop()
		err = errors.Join(err, h.tearDown(ending))
	}()
	if err := h.setUp(ctx); err != nil {
		return err
	}
	h.say("seed %d: %d requests, in %v at most", o.seed, o.requests, o.limit)
	if err := h.attackAPI(ctx); err != nil {
		return err
	}
	if err := h.attackSIP(ctx); err != nil {
		return err
	}
	return h.verdict()
}

// attackSIP sends the worker mutated messages; it has to answer what is well-formed all the while.
func (h *harness) attackSIP(ctx context.Context) error {
	if h.options.sip == 0 {
		return nil
	}
	report, err := fuzz.Run(ctx, fuzz.Config{Seed: h.seed, Messages: h.options.sip, Target: h.sip})
	if err != nil {
		return fmt.Errorf("attack SIP: %w", err)
	}
	h.say("SIP: %+v", report)
	return nil
}

// say prints a line with the time since the start.
func (h *harness) say(format string, args ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(h.begun).Seconds(), fmt.Sprintf(format, args...))
}
