package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker"
)

const (
	commandedCalls  = 20
	commandsPerCall = 10
	commandEvery    = 50 * time.Millisecond // over all calls together
	commandPatience = time.Minute
)

// listener is a far end that says nothing and notes when a sound begins.
type listener struct {
	leg    *sip.Leg
	number string
	begun  chan time.Time // the first sound after a silence
}

// listeners answer every call.
type listeners struct {
	mu   sync.Mutex
	made []*listener
	all  chan struct{} // closed when all have heard the greeting
}

func (l *listeners) answer(ctx context.Context, in *sip.Inbound) {
	leg, err := in.Answer(context.WithoutCancel(ctx))
	if err != nil {
		fmt.Fprintln(os.Stderr, "listener:", err)
		return
	}
	one := &listener{leg: leg, number: in.To, begun: make(chan time.Time, commandsPerCall+1)}
	var heard time.Time
	for item := range leg.Incoming() {
		if item.Frame == nil || audio.Level(item.Frame) <= loud {
			continue
		}
		now := time.Now()
		if now.Sub(heard) > turnPause/2 {
			l.began(one, heard.IsZero(), now)
		}
		heard = now
	}
}

func (l *listeners) began(one *listener, greeting bool, at time.Time) {
	if !greeting {
		one.begun <- at
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made = append(l.made, one); len(l.made) == commandedCalls {
		close(l.all)
	}
}

// hum is a voice that is there at once.
type hum struct{}

// Name implements tts.Provider.
func (hum) Name() string { return "hum" }

// Speak implements tts.Provider.
func (hum) Speak(context.Context, tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) { yield(audio.Tone(300*time.Millisecond, -25, 330), nil) }
}

// liveCommand is the time from the answer of POST /v1/calls/{call_id}/messages, which asks the assistant to say something,
// to the first sound of it at the far end, in calls in which nobody speaks. The voice is there at once. A frame
// of sound is 20 ms, and the far end hears it when it is complete.
func liveCommand(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	c, err := newCustomer(ctx, b.pool, commandedCalls, jsonb.Assistant{FirstMessageOutbound: "Yes.", MaxDurationSeconds: 3600})
	if err != nil {
		return err
	}
	far := &listeners{all: make(chan struct{})}
	ua, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: b.logger, Inbound: far.answer})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ua.Close(context.WithoutCancel(ctx))) }()
	unheard := newScripted(nil, false)
	running, err := startWorker(ctx, b, ua.Addr().String(), all.Of(responder{unheard}, transcriber{unheard}, hum{}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	address, stop, err := serveAPI(ctx, b, inserter)
	if err != nil {
		return err
	}
	defer stop()
	for i := range commandedCalls {
		if err := enqueueCall(ctx, b, inserter, c, fmt.Sprintf("+316%06d00", i)); err != nil {
			return err
		}
	}
	select {
	case <-far.all:
	case <-ctx.Done():
		return fmt.Errorf("not everybody was greeted: %w", ctx.Err())
	}
	latencies, err := commandAll(ctx, b, c, far, address)
	if err != nil {
		return err
	}
	for _, one := range far.made {
		if err := one.leg.Hangup(ctx); err != nil {
			return err
		}
	}
	report("live_command_p50_ms", percentile(latencies, 0.50), "ms")
	report("live_command_p95_ms", percentile(latencies, 0.95), "ms")
	return nil
}

// commandAll has every call say something, again and again.
func commandAll(ctx context.Context, b *bench, c *customer, far *listeners, address string) ([]time.Duration, error) {
	var (
		mu        sync.Mutex
		latencies []time.Duration
		failed    error
		callers   sync.WaitGroup
	)
	for i, one := range far.made {
		callers.Go(func() {
			measured, err := one.command(ctx, b, c, i, address)
			mu.Lock()
			defer mu.Unlock()
			latencies, failed = append(latencies, measured...), errors.Join(failed, err)
		})
	}
	callers.Wait()
	return latencies, failed
}

func (l *listener) command(ctx context.Context, b *bench, c *customer, client int, address string) ([]time.Duration, error) {
	var callID uuid.UUID
	if err := b.pool.QueryRow(ctx, "SELECT id FROM call WHERE contact_phone_number = $1", l.number).Scan(&callID); err != nil {
		return nil, fmt.Errorf("find call: %w", err)
	}
	connection, err := dialAPI(ctx, address)
	if err != nil {
		return nil, err
	}
	const body = `{"type":"say","content":"Yes.","interrupt":true}`
	request := apiRequest(c.keys[client].Text, "POST", "/v1/calls/"+callID.String()+"/messages", body)
	var latencies []time.Duration
	wait := time.Duration(client) * commandEvery
	for range commandsPerCall {
		select { // until the words before are over; the calls take turns
		case <-time.After(commandedCalls*commandEvery + wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		wait = 0
		if err := connection.post(request); err != nil {
			return nil, err
		}
		answered := time.Now()
		select {
		case begun := <-l.begun:
			latencies = append(latencies, max(0, begun.Sub(answered)))
		case <-ctx.Done():
			return nil, fmt.Errorf("nothing is heard of a command: %w", ctx.Err())
		}
	}
	return latencies, nil
}
