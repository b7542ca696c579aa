package fallback

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/served"
)

// secondAfter is how long a model may be silent before the next one is asked, too.
const secondAfter = 4 * time.Second

type llmChain struct{ *chain[llm.Provider] }

// LLM returns the first model that works. One that is slow to its first word is raced by the next, and the faster wins.
func LLM(logger *slog.Logger, providers ...llm.Provider) llm.Provider {
	if len(providers) == 1 {
		return onlyLLM{providers[0]}
	}
	return llmChain{newChain(logger, providers)}
}

// onlyLLM is a model without others.
type onlyLLM struct{ llm.Provider }

func (o onlyLLM) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return tell(ctx, familyOf(req), served.By{Vendor: o.Name()}, replies, o.Provider.Stream(ctx, req))
}

// familyOf returns as what it is told who served a request.
func familyOf(req llm.Request) served.Family {
	if req.Aside {
		return served.Answerer
	}
	return served.LLM
}

// replies reports whether a delta is part of a reply.
func replies(delta llm.Delta) bool {
	return delta.Text != "" || len(delta.ToolCalls) > 0 || delta.Finish != ""
}

// Stream implements llm.Provider. The model's name means something to the first provider only.
func (c llmChain) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r := &race{chain: c, req: req, asked: time.Now(), order: c.begin(ctx, familyOf(req)), parts: make(chan racePart), winner: -1}
		defer r.running.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r.start(ctx)
		r.run(ctx, yield)
	}
}

// race is a request that several models may answer.
type race struct {
	chain   llmChain
	req     llm.Request
	asked   time.Time
	order   []int
	begun   int // of order
	open    int // begun and not failed
	parts   chan racePart
	running sync.WaitGroup
	winner  int // in the chain; -1: none yet
	cancel  map[int]context.CancelCauseFunc
}

// racePart is what one of the models has said.
type racePart struct {
	from  int
	delta llm.Delta
	err   error
	done  bool
}

// start asks the next model, and reports whether there was one.
func (r *race) start(ctx context.Context) bool {
	if r.begun == len(r.order) {
		return false
	}
	i, req := r.order[r.begun], r.req
	if i > 0 {
		req.Model = ""
	}
	r.begun++
	r.open++
	ctx, cancel := context.WithCancelCause(ctx)
	if r.cancel == nil {
		r.cancel = map[int]context.CancelCauseFunc{}
	}
	r.cancel[i] = cancel
	send := func(part racePart) bool {
		select {
		case r.parts <- part:
			return true
		case <-ctx.Done():
			return false
		}
	}
	r.running.Go(func() {
		defer cancel(nil)
		for delta, err := range r.chain.providers[i].Stream(ctx, req) {
			if !send(racePart{from: i, delta: delta, err: err}) || err != nil {
				return
			}
		}
		send(racePart{from: i, done: true})
	})
	return true
}

// run yields what the winner says until it has said all.
func (r *race) run(ctx context.Context, yield func(llm.Delta, error) bool) {
	second := time.NewTimer(secondAfter)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			r.givenUp(context.Cause(ctx))
			yield(llm.Delta{}, ctx.Err())
			return
		case <-second.C:
			if r.winner < 0 && r.start(ctx) {
				second.Reset(secondAfter)
			}
		case part := <-r.parts:
			if r.winner >= 0 && part.from != r.winner {
				continue
			}
			if part.err != nil && r.another(ctx, part) {
				second.Reset(secondAfter)
				continue
			}
			if part.done {
				if part.from == r.winner {
					r.chain.works(r.winner, r.asked)
				}
				return
			}
			if part.err == nil {
				r.wins(ctx, part)
			}
			if !yield(part.delta, part.err) || part.err != nil {
				return
			}
		}
	}
}

// another reports whether others may still answer when one has failed, and asks the next one if none is being asked.
func (r *race) another(ctx context.Context, part racePart) bool {
	r.open--
	delete(r.cancel, part.from)
	elsewhere := r.chain.failed(part.from, part.err)
	if !elsewhere || r.winner >= 0 {
		return false
	}
	return r.open > 0 || r.start(ctx)
}

// wins ends the race when a model has said something, or that it says nothing.
func (r *race) wins(ctx context.Context, part racePart) {
	if r.winner >= 0 || !replies(part.delta) {
		return
	}
	r.winner = part.from
	name := r.chain.providers[r.winner].Name()
	served.Tell(ctx, familyOf(r.req), served.By{Vendor: name, StandIn: r.winner > 0})
	earlier := true
	for _, i := range r.order[:r.begun] {
		cancel, asked := r.cancel[i]
		switch {
		case i == r.winner:
			earlier = false
		case asked && earlier: // it had its time
			late := fault.New(fault.Timeout, r.chain.providers[i].Name(), "no word before another replied, who was asked later")
			r.chain.failed(i, late)
			cancel(served.Outrun(late, name))
		case asked:
			cancel(nil)
		}
	}
}

// givenUp gives those who are being asked a cooldown, if the request ends because they took too long.
func (r *race) givenUp(why error) {
	if r.req.Aside {
		return
	}
	for i := range r.cancel {
		if r.winner < 0 || r.winner == i {
			r.chain.failed(i, why)
		}
	}
}
