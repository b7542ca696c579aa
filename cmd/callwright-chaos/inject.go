//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// The steps of a call's life at which faults are placed.
const (
	stepRandom  = "at random"
	stepQueued  = "before claim"
	stepClaim   = "after claim"
	stepLease   = "lease check"
	stepInvite  = "INVITE"
	stepRinging = "180"
	stepAnswer  = "200"
	stepTurn    = "turn"
	stepRefer   = "REFER"
	stepBye     = "BYE"
	stepEnded   = "before report"
	stepReport  = "report"
)

var steps = []string{stepRandom, stepQueued, stepClaim, stepLease, stepInvite, stepRinging, stepAnswer, stepTurn, stepRefer,
	stepBye, stepEnded, stepReport}

const (
	stepPatience = 4 * time.Second       // for a step to be seen, before the fault is placed at random
	claimKnown   = 30 * time.Millisecond // after its commit, while a fault waits for a claim
	leaseAfter   = 5 * time.Millisecond  // at most, after the claim
	atOnce       = 6                     // faults
	apiShare     = 0.2                   // of faults at random
)

// planned is a fault of the plan, which the seed decides.
type planned struct {
	fault
	step   string
	length time.Duration
	lag    time.Duration // after a claim
	api    bool
}

// plan places every fault at every step in turn, in an order that the seed decides.
func (o *options) plan(possible func(fault) bool) []planned {
	random := rand.New(rand.NewPCG(o.seed, 2))
	var pairs []planned
	for _, one := range faults {
		for _, step := range steps {
			if possible(one) && strings.Contains(one.name, o.only) {
				pairs = append(pairs, planned{fault: one, step: step})
			}
		}
	}
	var all []planned
	for len(all) < o.faults && len(pairs) > 0 {
		random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, one := range pairs {
			// Short ones are as likely as long ones: a second to the longest, evenly by magnitude.
			seconds := math.Pow(max(1, o.longest.Seconds()), random.Float64())
			one.length = time.Duration(seconds * float64(time.Second))
			one.lag = time.Duration(random.Float64() * float64(leaseAfter))
			one.api = one.step == stepRandom && random.Float64() < apiShare
			all = append(all, one)
		}
	}
	return all[:min(len(all), o.faults)]
}

// inject places the faults of the plan at an even pace until the time, and returns when the last is over.
func (h *harness) inject(ctx context.Context, until time.Time) {
	over := time.NewTimer(time.Until(until))
	defer over.Stop()
	plan := h.plan(h.possible)
	pace := time.NewTicker(max(time.Millisecond, h.duration/time.Duration(max(1, len(plan)+1))))
	defer pace.Stop()
	room := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	defer running.Wait()
	for i, one := range plan {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			return
		case <-pace.C:
		}
		room <- struct{}{}
		one.length = min(one.length, max(time.Second, time.Until(until)))
		running.Go(func() {
			h.place(ctx, i, one)
			<-room
		})
	}
}

// place waits for the step of a victim and has the fault happen to it.
func (h *harness) place(ctx context.Context, i int, one planned) {
	victim, step := h.victim(ctx, one)
	if victim == nil {
		return
	}
	if one.shared {
		victim.release()
	} else {
		defer victim.release()
	}
	text := fmt.Sprintf("%s on %s, %s, %.1fs", one.name, victim.name, step, one.length.Seconds())
	h.current.Store(i, text)
	h.say("fault %d: %s", i+1, text)
	one.run(ctx, h, victim, one.length)
	h.current.Delete(i)
	h.done.faults.Add(1)
}

// victim is a process at the step, claimed for the fault. One worker at least is left alone.
func (h *harness) victim(ctx context.Context, one planned) (*process, string) {
	if one.step != stepRandom {
		if p := h.await(ctx, one); p != nil {
			return p, one.step
		}
	}
	for ctx.Err() == nil {
		if p := h.anyone(!one.api); p != nil {
			return p, stepRandom
		}
		sleep(ctx, 100*time.Millisecond)
	}
	return nil, ""
}

// anyone claims a healthy process of a kind, unless it is the last one.
func (h *harness) anyone(worker bool) *process {
	found := h.healthy(worker)
	if len(found) < 2 || !found[0].claim() { // the order of a map is random
		return nil
	}
	return found[0]
}

// await claims the worker at which the step is seen.
func (h *harness) await(ctx context.Context, one planned) *process {
	patience := time.NewTimer(stepPatience)
	defer patience.Stop()
	if one.step == stepClaim || one.step == stepLease {
		slowed := h.healthy(true)
		for _, p := range slowed {
			p.proxy.slow(claimKnown)
		}
		defer func() {
			for _, p := range slowed {
				p.proxy.slow(0)
			}
		}()
	}
	for ctx.Err() == nil {
		at := make(chan *process, 1)
		h.mu.Lock()
		h.waiting[one.step] = append(h.waiting[one.step], at)
		h.mu.Unlock()
		select {
		case p := <-at:
			if p == nil {
				p = h.anyone(true)
			} else if len(h.healthy(true)) < 2 || !p.claim() {
				p = nil
			}
			if p == nil {
				continue
			}
			if one.step == stepLease {
				sleep(ctx, one.lag)
			}
			return p
		case <-patience.C:
			return nil
		case <-ctx.Done():
		}
	}
	return nil
}

// seen tells faults that wait for the step. worker is nil when the step belongs to none, or to one that is gone.
func (h *harness) seen(step string, worker *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.waiting[step] {
		at <- worker // has room for one
	}
	h.waiting[step] = nil
}

// progress says every ten seconds what goes on.
func (h *harness) progress(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var now []string
		h.current.Range(func(_, text any) bool {
			now = append(now, text.(string))
			return true
		})
		asked, answered := h.driver.entries()
		taken, _ := h.receiver.got()
		h.say("%d asked, %d accepted, %d INVITEs, %d webhooks, %d faults over, %d exits; now: %s", len(asked), answered,
			len(h.tap.noted()), len(taken),
			h.done.faults.Load(), h.done.exits.Load(), strings.Join(append(now, h.doing()), "; "))
	}
}
