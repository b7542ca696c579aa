package worker

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/worker/lease"
)

const (
	superviseEvery = time.Second
	// What a process that died mid-call left ringing is ended in portions, to keep transactions short.
	lostCallsPerRound = 100
)

// supervisor finds dead processes and picks up what they left: running jobs, River's leadership, live calls, SIP
// connections. (River's own rescue goes by age: an hour.)
type supervisor struct {
	processID string
	pool      *pgxpool.Pool
	phone     *Phone
	jobs      queue.Inserter
	held      *heldJobs
	watch     *lease.Watch
	logger    *slog.Logger
}

// run supervises until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	tick := time.NewTicker(superviseEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch err := s.round(ctx); {
		case err == nil:
			s.watch.Looked()
		case ctx.Err() == nil:
			s.logger.WarnContext(ctx, "supervision round failed", "error", err)
		}
	}
}

func (s *supervisor) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := s.reconcile(ctx); err != nil {
		return err
	}
	if err := s.phone.connections.Reconcile(ctx, s.jobs); err != nil {
		return err
	}
	if err := s.held.reconcile(ctx, time.Now()); err != nil {
		return err
	}
	if err := s.phone.reportPlaces(ctx); err != nil {
		return err
	}
	found, err := s.watch.Find(ctx, s.pool)
	if err != nil {
		return err
	}
	for _, dead := range found {
		if err := s.pickUp(ctx, dead); err != nil {
			return fmt.Errorf("pick up after process %s: %w", dead.ProcessID, err)
		}
	}
	return nil
}

// pickUp takes what a dead process left. Its lease ends in the same transaction, so a process that comes back meanwhile waits,
// and then finds itself without a lease and its calls ended.
func (s *supervisor) pickUp(ctx context.Context, dead *dbsqlc.ProcessLeaseListRow) error {
	// A role that may not end them waits until Postgres does; what the process left is picked up all the same.
	if err := dbsqlc.New().ProcessEndSessions(ctx, s.pool,
		&dbsqlc.ProcessEndSessionsParams{ProcessID: dead.ProcessID, Renewals: dead.Renewals}); err != nil {
		s.logger.WarnContext(ctx, "sessions of a dead process not ended", "process", dead.ProcessID, "error", err)
	}
	var lost []*dbsqlc.Call
	err := db.InTx(ctx, s.pool, func(tx pgx.Tx) error {
		queries, process := dbsqlc.New(), dead.ProcessID
		if err := queries.ProcessLeaseLimitTransaction(ctx, tx); err != nil {
			return fmt.Errorf("limit transaction: %w", err)
		}
		ended, err := queries.ProcessLeaseEnd(ctx, tx, &dbsqlc.ProcessLeaseEndParams{ProcessID: process, Renewals: dead.Renewals})
		if err != nil || ended == 0 {
			return err
		}
		jobsBack, err := queries.ProcessReturnJobs(ctx, tx,
			&dbsqlc.ProcessReturnJobsParams{ProcessID: process, Ids: []int64{}, Error: "worker process died"})
		if err != nil {
			return fmt.Errorf("return jobs: %w", err)
		}
		if _, err := queries.ProcessResign(ctx, tx, &dbsqlc.ProcessResignParams{ProcessID: process}); err != nil {
			return fmt.Errorf("resign: %w", err)
		}
		if err := numbers.GiveUpSIPConnections(ctx, tx, s.jobs, process); err != nil {
			return err
		}
		lost, err = s.endLostCalls(ctx, tx, process, func(uuid.UUID) bool { return true })
		if err != nil {
			return err
		}
		metrics.ProcessesLost.Inc()
		s.logger.WarnContext(ctx, "picked up after a dead process", "process", process, "jobs", jobsBack.Returned, "calls", len(lost))
		return nil
	})
	if err != nil {
		return err
	}
	s.phone.hangUpOrphans(lost)
	s.phone.keepLostRecordings(lost)
	return nil
}

// reconcile compares this process's calls with their rows. A live row without a call comes from a claim whose outcome
// was unknown to us, and is ended; a call whose row was ended by somebody who thought us dead is hung up.
func (s *supervisor) reconcile(ctx context.Context) error {
	held := s.phone.claimed() // before the rows: what is claimed later is no business of this round
	rows, err := dbsqlc.New().CallListLiveIDs(ctx, s.pool, &dbsqlc.CallListLiveIDsParams{WorkerID: &s.processID})
	if err != nil {
		return fmt.Errorf("list own calls: %w", err)
	}
	var strays []uuid.UUID
	for _, id := range rows {
		delete(held, id)
		if !s.phone.holds(id) {
			strays = append(strays, id)
		}
	}
	for id := range held {
		s.phone.disown(id)
	}
	if len(strays) == 0 {
		return nil
	}
	return db.InTx(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := s.endLostCalls(ctx, tx, s.processID, func(id uuid.UUID) bool { return !s.phone.holds(id) })
		return err
	})
}

// endLostCalls ends the live calls of a process that no longer holds them and returns those that may have rung. The others are
// queued again, to be dialed as if nothing had happened.
func (s *supervisor) endLostCalls(ctx context.Context, tx pgx.Tx, process string,
	isLost func(uuid.UUID) bool) ([]*dbsqlc.Call, error) {
	live, err := dbsqlc.New().CallListLive(ctx, tx, &dbsqlc.CallListLiveParams{WorkerID: &process, Max: lostCallsPerRound})
	if err != nil {
		return nil, fmt.Errorf("list lost calls: %w", err)
	}
	endings := map[uuid.UUID]calls.Ending{}
	for _, call := range live {
		if isLost(call.ID) {
			endings[call.ID] = lostEnding()
		}
	}
	if len(endings) == 0 {
		return nil, nil
	}
	requeued, err := calls.Requeue(ctx, tx, s.jobs, process, slices.Collect(maps.Keys(endings))...)
	if err != nil {
		return nil, err
	}
	for _, call := range requeued {
		delete(endings, call.ID)
	}
	if len(endings) == 0 {
		return nil, nil
	}
	turns, err := calls.ListTurns(ctx, tx, slices.Collect(maps.Keys(endings)))
	if err != nil {
		return nil, err
	}
	for id, ending := range endings {
		ending.Latency, ending.Usage = latencyOf(turns[id]), usageOf(turns[id])
		endings[id] = ending
	}
	return calls.End(ctx, tx, s.jobs, process, endings)
}
