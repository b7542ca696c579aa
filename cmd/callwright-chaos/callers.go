//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/callwright/callwright/voice/sip"
)

const (
	number         = "+31850000000" // of the assistant
	callerEvery    = 6              // calls: one of so many comes in
	callerPatience = 15 * time.Second
)

// caller is somebody who calls us, and what came of it.
type caller struct {
	Number   string
	CallID   string // SIP
	Answered bool
	Code     int // of the refusal; 0: there was none
}

// ringIn has somebody call at a worker, whatever that one suffers, talk and hang up.
func (d *driver) ringIn(ctx context.Context, i int) {
	workers := d.workers()
	if len(workers) == 0 {
		return
	}
	if d.h.rolls() {
		workers = append(workers, workers...) // as carriers do, and people who dial again
	} else {
		workers = workers[:1]
	}
	one := caller{Number: fmt.Sprintf("+3162%07d", i)}
	kind := numberTalks
	if i%(2*callerEvery) == 0 {
		kind = numberSilent
	}
	for try, worker := range workers {
		one.CallID = fmt.Sprintf("caller-%d-%d-%d", d.h.seed, i, try)
		d.h.mu.Lock()
		d.h.senders[one.CallID] = worker.sip
		d.h.mu.Unlock()
		err := d.h.far.call(ctx, worker, one, kind)
		if refused, is := errors.AsType[*sip.Refused](err); is {
			one.Code = refused.Code
		}
		if one.Answered = err == nil; one.Answered {
			break
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.callers = append(d.callers, one)
}

// workers are those that run, in random order.
func (d *driver) workers() []*process {
	var all []*process
	d.h.find(func(p *process) bool {
		if p.worker && p.running() {
			all = append(all, p)
		}
		return false
	})
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) //nolint:gosec // who answers is no secret
	return all
}

// call returns when the caller, who was answered, has hung up, and else with why nobody answered.
func (f *farEnd) call(ctx context.Context, worker *process, one caller, kind string) error {
	ringing, giveUp := context.WithTimeout(ctx, callerPatience)
	defer giveUp()
	leg, err := f.ua.Dial(ringing, sip.Dial{
		Proxy: fmt.Sprintf("127.0.0.1:%d", worker.sip), From: one.Number, To: number, CallID: one.CallID,
	})
	if err != nil {
		return err
	}
	f.onStep(stepAnswer, one.CallID)
	(&person{farEnd: f, leg: leg, callID: one.CallID}).talk(kind)
	f.onStep(stepBye, one.CallID)
	return nil
}

// called are those who called so far.
func (d *driver) called() []caller {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]caller(nil), d.callers...)
}
