package gateways

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/voice/sip"
)

const (
	reportTimeout = 5 * time.Second
	reportRetry   = time.Second
	maxReport     = 200 // bytes of what a registrar says
)

// reports write how registrations stand. Only the latest status of each counts, so what waits is bounded by how many there
// are, also while Postgres is away.
type reports struct {
	processID string
	pool      *pgxpool.Pool
	logger    *slog.Logger

	mu      sync.Mutex
	waiting map[uuid.UUID]*dbsqlc.SIPConnectionReportParams
	wake    chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}
}

func newReports(processID string, pool *pgxpool.Pool, logger *slog.Logger) *reports {
	r := &reports{
		processID: processID, pool: pool, logger: logger, waiting: map[uuid.UUID]*dbsqlc.SIPConnectionReportParams{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	r.ctx, r.cancel = context.WithCancel(context.Background()) // close ends it, after the connections that report
	go r.run()
	return r
}

// add takes a new status. That a registration is being tried is not reported: the row says so from the start, and later its
// last outcome says more.
func (r *reports) add(of *Registration, status sip.RegistrationStatus) {
	params := &dbsqlc.SIPConnectionReportParams{ID: of.ID, WorkerID: r.processID, Done: of.wanted, Status: string(status.State)}
	switch status.State {
	case sip.Registered:
		params.RegisteredUntil = &status.Until
	case sip.Failed:
		text := ""
		if status.Code != 0 {
			params.SIPCode = new(int32(status.Code))
			text = (&sip.Refused{Code: status.Code, Reason: status.Reason}).Error()
		} else if status.Err != nil {
			text = status.Err.Error()
		}
		params.LastError = new(db.Legible(text, maxReport))
	default:
		return
	}
	r.mu.Lock()
	r.waiting[of.ID] = params
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *reports) run() {
	defer close(r.done)
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-r.wake:
		}
		for id, params := range r.take() {
			if err := r.write(params); err != nil && r.ctx.Err() == nil {
				r.logger.Warn("registration not reported, trying again", "sip_connection_id", id, "error", err)
				r.putBack(id, params)
				pause(r.ctx, reportRetry)
			}
		}
	}
}

func (r *reports) take() map[uuid.UUID]*dbsqlc.SIPConnectionReportParams {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.waiting
	r.waiting = map[uuid.UUID]*dbsqlc.SIPConnectionReportParams{}
	return taken
}

// write has no effect when the row is somebody else's, or gone. Two connections that claim one number at once make it fail
// for one of them, which then finds the number taken.
func (r *reports) write(params *dbsqlc.SIPConnectionReportParams) error {
	ctx, cancel := context.WithTimeout(r.ctx, reportTimeout)
	defer cancel()
	return db.InTx(ctx, r.pool, func(tx pgx.Tx) error { return numbers.ReportSIPConnection(ctx, tx, params) })
}

func (r *reports) putBack(id uuid.UUID, params *dbsqlc.SIPConnectionReportParams) {
	r.mu.Lock()
	if r.waiting[id] == nil {
		r.waiting[id] = params
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *reports) close() {
	r.cancel()
	<-r.done
}
