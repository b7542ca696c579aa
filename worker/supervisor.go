package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/queue"
)

const (
	superviseEvery = 500 * time.Millisecond
	// After Postgres restarted every process lost its lock at once. Nobody judges anybody dead before all had time to
	// come back.
	judgeAfter = 3 * time.Second
	// What a process that died mid-call left ringing is ended in portions, to keep transactions short.
	lostCallsPerRound = 100
)

// supervisor finds dead processes and picks up what they left: running jobs, River's leadership, live calls, SIP
// connections. A process is alive as long as Postgres holds its advisory lock, which is bound to a connection of its own;
// it is gone the moment the socket closes, and a process that merely stalls is never taken for dead. (River's own rescue
// goes by age: an hour.)
type supervisor struct {
	processID string
	pool      *pgxpool.Pool
	phone     *Phone
	jobs      queue.Inserter
	logger    *slog.Logger

	conn  *pgx.Conn // holds the lock
	since time.Time // when it was taken
}

// acquire takes this process's lock on a new connection.
func (s *supervisor) acquire(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connect for process lock: %w", err)
	}
	if err := dbsqlc.New().ProcessLock(ctx, conn, &dbsqlc.ProcessLockParams{ProcessID: s.processID}); err != nil {
		return errors.Join(fmt.Errorf("take process lock: %w", err), conn.Close(ctx))
	}
	s.conn, s.since = conn, time.Now()
	return nil
}

// release gives the lock back, after which this process counts as dead.
func (s *supervisor) release(ctx context.Context) error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close(ctx)
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
		if err := s.round(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "supervision round failed", "error", err)
		}
	}
}

func (s *supervisor) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := s.conn.Ping(ctx); err != nil {
		_ = s.conn.Close(ctx) // broken; its lock is gone with it
		if err := s.acquire(ctx); err != nil {
			return err
		}
	}
	if err := s.reconcile(ctx); err != nil {
		return err
	}
	if err := s.phone.connections.reconcile(ctx, s.jobs); err != nil {
		return err
	}
	if time.Since(s.since) < judgeAfter {
		return nil
	}
	busy, err := dbsqlc.New().ProcessListBusy(ctx, s.pool)
	if err != nil {
		return fmt.Errorf("list busy processes: %w", err)
	}
	for _, process := range busy {
		if process == s.processID {
			continue
		}
		if err := s.judge(ctx, process); err != nil {
			return fmt.Errorf("judge process %s: %w", process, err)
		}
	}
	return nil
}

// judge picks up after a process if it is dead. The lock is held meanwhile, so a process that only lost its connection
// and comes back waits, and then finds its calls ended.
func (s *supervisor) judge(ctx context.Context, process string) error {
	var lost []*dbsqlc.Call
	err := db.InTx(ctx, s.pool, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		dead, err := queries.ProcessTryLock(ctx, tx, &dbsqlc.ProcessTryLockParams{ProcessID: process})
		if err != nil || !dead {
			return err
		}
		jobsBack, err := queries.ProcessReturnJobs(ctx, tx, &dbsqlc.ProcessReturnJobsParams{ProcessID: process})
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

// endLostCalls ends the live calls of a process that no longer holds them.
func (s *supervisor) endLostCalls(ctx context.Context, tx pgx.Tx, process string, isLost func(uuid.UUID) bool) ([]*dbsqlc.Call, error) {
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
	return calls.End(ctx, tx, s.jobs, process, endings)
}
