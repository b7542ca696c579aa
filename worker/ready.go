package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/health"
)

// Ready returns nil if this worker should be sent work, and else what is wrong with it, as health.Problems. OPTIONS over SIP says
// the same of calls.
func (w *Worker) Ready(ctx context.Context) error {
	return errors.Join(db.Ready(ctx, w.cfg.Pool), w.phone.Takes())
}

// Takes returns nil if a call that came in now would be taken, and else why not. A worker that holds no calls refuses them, but
// is as well as any: that is no problem.
func (p *Phone) Takes() error {
	p.mu.Lock()
	ready := p.ready
	p.mu.Unlock()
	switch leased := p.lease.Check(); {
	case p.isStopping():
		return &health.Problem{Words: "this worker drains: it takes no more calls and ends with those that it holds"}
	case !ready:
		return &health.Problem{Words: "this worker starts"}
	case leased != nil:
		return &health.Problem{Words: "the lease of this worker has run out, so it may dial nobody", Err: leased}
	case p.places.open() > 0 && p.places.calls() >= p.places.open():
		return &health.Problem{Words: fmt.Sprintf("all %d places of this worker are taken", p.places.open())}
	}
	return nil
}

func (p *Phone) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}
