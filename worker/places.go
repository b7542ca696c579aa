package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	lookAtLateness = time.Second
	// mostLate is the share of the frames of a second that may leave late. When it is more for lateSeconds in a row, the places that
	// are free are closed: one pause of the whole machine, as virtual ones have, is no reason to refuse a caller.
	mostLate    = 0.01
	lateSeconds = 2
	// calmSeconds without that let places be opened again: a few more than are taken, and after forgetSeconds all.
	calmSeconds   = 5
	forgetSeconds = 120
	// openShare of the calls that are held may come in addition each second.
	openShare = 0.1
	// leastPlaces are never closed: so few calls are not what makes sound late, and to refuse them helps nobody.
	leastPlaces = 100
	// handOver is how long a job waits for a place here while another process has one.
	handOver = 100 * time.Millisecond
)

// places are room for the calls of this process, in both directions. There are as many as the queue of calls is large, fewer
// while the sound of the calls leaves late: a machine that cannot serve more is found out before callers hear it.
//
// A closed place is one that no call has and that is taken all the same.
type places struct {
	taken  chan struct{}
	closed atomic.Int64 // of them; changed by the goroutine alone that observes

	late      int         // seconds in a row; of that goroutine
	calm      int         // likewise
	elsewhere atomic.Bool // another process has places, as far as is known
	reported  dbsqlc.ProcessLeaseReportParams
}

func newPlaces(most int) *places { return &places{taken: make(chan struct{}, most)} }

// calls returns how many places have a call.
func (p *places) calls() int { return max(0, len(p.taken)-int(p.closed.Load())) }

// open returns how many calls this process may hold now.
func (p *places) open() int { return cap(p.taken) - int(p.closed.Load()) }

// take takes a place. It waits for one for at most wait, less where another process has one, and reports whether it has got one.
func (p *places) take(ctx context.Context, wait time.Duration, stopping <-chan struct{}) bool {
	select {
	case <-stopping:
		return false
	default:
	}
	select {
	case p.taken <- struct{}{}:
		return true
	default:
	}
	if p.elsewhere.Load() {
		wait = min(wait, handOver)
	}
	if wait <= 0 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case p.taken <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	case <-stopping:
	}
	return false
}

// give gives a place back.
func (p *places) give() { <-p.taken }

// observe takes how many frames were due in a second, and how many of them left late.
func (p *places) observe(frames, late uint64) {
	if float64(late) > mostLate*float64(frames) {
		if p.late, p.calm = p.late+1, 0; p.late >= lateSeconds {
			p.close()
		}
		return
	}
	p.late = 0
	if p.calm++; p.calm < calmSeconds {
		return
	}
	more := int(p.closed.Load())
	if p.calm < forgetSeconds {
		held := p.calls()
		ahead := max(1, int(openShare*float64(max(held, leastPlaces))))
		more = min(more, max(0, held+ahead-p.open()))
	}
	for range more {
		<-p.taken
		p.closed.Add(-1)
	}
}

// close closes the places that are free.
func (p *places) close() {
	for p.open() > max(p.calls(), leastPlaces) {
		select {
		case p.taken <- struct{}{}:
			p.closed.Add(1)
		default: // calls came meanwhile
			return
		}
	}
}

// follow closes places when sound leaves late, and opens them again, until ctx ends. measure returns how many frames were due so
// far, and how many of them left late.
func (p *places) follow(ctx context.Context, measure func() (frames, late uint64), logger *slog.Logger) {
	tick := time.NewTicker(lookAtLateness)
	defer tick.Stop()
	framesBefore, lateBefore := measure()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		frames, late := measure()
		before := p.open()
		p.observe(frames-framesBefore, late-lateBefore)
		switch now := p.open(); {
		case before == cap(p.taken) && now < before:
			logger.WarnContext(ctx, "sound leaves late: this worker takes no more calls for now", "calls", p.calls(),
				"frames", frames-framesBefore, "late", late-lateBefore)
		case before < now && now == cap(p.taken):
			logger.InfoContext(ctx, "sound leaves on time: this worker takes all calls again", "calls", p.calls())
		}
		framesBefore, lateBefore = frames, late
	}
}

// lateness returns how many frames were sent and heard so far, and how many of them late.
func (p *Phone) lateness() (frames, late uint64) {
	frames, late = p.gateways.Clocks.Lateness()
	heard, heardLate := p.loops.Lateness()
	return frames + heard, late + heardLate
}

// reportPlaces tells the other processes how many calls this one holds and may hold, when that has changed, and finds out whether
// they may hold more when this one may not.
func (p *Phone) reportPlaces(ctx context.Context) error {
	now := dbsqlc.ProcessLeaseReportParams{ProcessID: p.processID, Calls: int32(p.places.calls())}
	select {
	case <-p.stopping:
	default:
		now.Places = int32(p.places.open())
	}
	if now != p.places.reported {
		if err := dbsqlc.New().ProcessLeaseReport(ctx, p.pool, &now); err != nil {
			return fmt.Errorf("report places: %w", err)
		}
		p.places.reported = now
	}
	if now.Calls < now.Places {
		p.places.elsewhere.Store(false) // nobody waits here
		return nil
	}
	free, err := dbsqlc.New().ProcessLeaseFreePlaces(ctx, p.pool, &dbsqlc.ProcessLeaseFreePlacesParams{ProcessID: p.processID})
	if err != nil {
		return fmt.Errorf("look for places of other processes: %w", err)
	}
	p.places.elsewhere.Store(free > 0)
	return nil
}
