package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/worker/gateways"
)

const (
	webCallsHeld = 100
	webPerSecond = 10 // begun
)

// webCalls holds a hundred calls of telephones at once, and then a hundred of browsers, which have the same conversation in the
// same codec. It prints how soon browsers were connected, what a call of theirs takes of the processor beside one of a telephone,
// what it takes of memory, and how many of their packets the kernel dropped.
func webCalls(ctx context.Context, b *bench) error {
	b.web = &gateways.Web{Listen: "127.0.0.1:0"}
	config := voiceAssistant()
	config.FirstMessage = config.FirstMessageOutbound
	return withVoices(ctx, b, behaviorTalk, 3*talkFor, talkFor, config, func(ctx context.Context, r *voiceRun) (err error) {
		pages, err := r.openPages(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, pages.close()) }()
		if err := r.place(ctx, 10); err != nil { // whatever is made once is made now
			return err
		}
		if _, err := pages.call(10)(); err != nil {
			return err
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
		phones, err := r.holdRound(ctx, talkFor, func() error { return r.place(ctx, webCallsHeld) })
		if err != nil {
			return err
		}
		return r.compareWebCalls(ctx, pages, phones)
	})
}

func (r *voiceRun) compareWebCalls(ctx context.Context, pages *pageProcess, phones round) error {
	debug.FreeOSMemory() // what calls of telephones took is not to be had for nothing
	dropped, err := droppedPackets()
	if err != nil {
		return err
	}
	var connected func() (*pagesCalled, error)
	browsers, err := r.holdRound(ctx, talkFor, func() error {
		connected = pages.call(webCallsHeld)
		return pages.placed()
	})
	if err != nil {
		return err
	}
	called, err := connected()
	if err != nil {
		return err
	}
	after, err := droppedPackets()
	if err != nil {
		return err
	}
	ofPhones, err := r.percentOfCore(ctx, phones, "phone")
	if err != nil {
		return err
	}
	ofBrowsers, err := r.percentOfCore(ctx, browsers, "web")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr,
		"web_calls: %d of %d were up; a call took %.3f %% of a core, one of a telephone %.3f %%; browsers had the answer to their offer after %.0f ms (p50) and heard %d answers\n",
		browsers.up, webCallsHeld, ofBrowsers, ofPhones, percentile(called.Answered, 0.50), called.Answers)
	report("webcall_connect_p50_ms", percentile(called.Connected, 0.50), "ms")
	report("webcall_connect_p95_ms", percentile(called.Connected, 0.95), "ms")
	report("webcall_cpu_percent", ofBrowsers-ofPhones, "%")
	report("webcall_kb_per_call", browsers.kilobytes, "kB")
	report("webcall_dropped_packets", float64(after-dropped), "packets")
	if called.Answers < 2*webCallsHeld {
		return fmt.Errorf("%d browsers heard %d answers", webCallsHeld, called.Answers)
	}
	return r.check(ctx)
}

// percentOfCore is what a call of a round took of a processor, for as long as it lasted.
func (r *voiceRun) percentOfCore(ctx context.Context, calls round, channel string) (float64, error) {
	var seconds float64
	err := r.pool.QueryRow(ctx,
		"SELECT sum(extract(epoch FROM ended_at - started_at))::float8 FROM call WHERE created_at >= $1 AND channel = $2",
		calls.began, channel).Scan(&seconds)
	return 100 * calls.spent.Seconds() / seconds, err
}

// pageProcess is a child process with pages of browsers in it.
type pageProcess struct {
	child *farEndProcess
	stop  func() // the API that they ask
	order pageOrder
}

// pageOrder is what the child is asked for: a line on its standard input.
type pageOrder struct {
	URL, Key, Assistant string
	Calls               int
}

// pagesCalled is what became of it: a line on its standard output, after an empty one when all calls were begun.
type pagesCalled struct {
	Answered  []time.Duration // from the click: the offer was
	Connected []time.Duration // likewise
	Answers   int             // that were heard
	Failed    []string
}

// openPages starts the child, and an API for it.
func (r *voiceRun) openPages(ctx context.Context) (*pageProcess, error) {
	if err := r.customer.addKey(ctx, r.pool, false); err != nil {
		return nil, err
	}
	box, err := sealBox(ctx, r.bench)
	if err != nil {
		return nil, err
	}
	feed := api.NewEventListener(r.pool.Config().ConnConfig, r.logger)
	listening, cancel := context.WithCancel(ctx)
	go feed.Run(listening)
	address, stop, err := serve(ctx, &api.API{DB: r.pool, Jobs: r.worker.River(), Seal: box, Events: feed, Logger: r.logger,
		Now: time.Now, Version: "bench"})
	if err != nil {
		cancel()
		return nil, err
	}
	pages := &pageProcess{stop: func() { stop(); cancel() }}
	pages.order = pageOrder{URL: "http://" + address, Key: r.customer.keys[0].Text, Assistant: r.customer.assistantID.String()}
	if pages.child, err = startFarEnds(ctx, behaviorPages, talkFor); err != nil {
		pages.stop()
		return nil, err
	}
	return pages, nil
}

// call has pages call and returns what waits for them to be over.
func (p *pageProcess) call(calls int) func() (*pagesCalled, error) {
	order := p.order
	order.Calls = calls
	asking := json.NewEncoder(p.child.stdin).Encode(order)
	return func() (*pagesCalled, error) {
		called := &pagesCalled{}
		err := asking
		for line := "\n"; err == nil && line == "\n"; {
			if line, err = p.child.stdout.ReadString('\n'); err == nil && line != "\n" {
				err = json.Unmarshal([]byte(line), called)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("web calls: %w", err)
		}
		if len(called.Failed) > 0 {
			return nil, fmt.Errorf("%d of %d web calls failed, the first with: %s", len(called.Failed), calls, called.Failed[0])
		}
		return called, nil
	}
}

// placed waits until all calls were begun.
func (p *pageProcess) placed() error {
	line, err := p.child.stdout.ReadString('\n')
	if err == nil && line != "\n" {
		err = fmt.Errorf("web calls: %s", line)
	}
	return err
}

func (p *pageProcess) close() error {
	_, err := p.child.end()
	p.stop()
	return err
}
