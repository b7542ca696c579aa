package driver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db/dbsqlc"
)

// River says when jobs are due by the clock of the machine that it runs on, and Postgres hands them out by its own. A worker
// whose clock is wrong by an hour would have every scheduled call of all accounts begin an hour late, as soon as it leads, and
// what it puts off, too; and what a process inserts whose clock is ahead, to be done at once, would wait until its time has come.

const (
	apartEvery = 30 * time.Second       // between two looks at how far the clocks are apart, where jobs are inserted
	apartLeast = 100 * time.Millisecond // below, a job is due soon enough
)

// apart is how much the clock of Postgres shows more than that of this machine, at least; zero: about the same.
type apart struct {
	mu    sync.Mutex
	by    time.Duration
	found time.Time // by the monotonic clock
}

// get returns how far the clocks are apart, which ask finds out now and then.
func (a *apart) get(ask func() (time.Duration, error)) (time.Duration, error) {
	a.mu.Lock()
	by, known := a.by, !a.found.IsZero() && time.Since(a.found) < apartEvery
	a.mu.Unlock()
	if known {
		return by, nil
	}
	began := time.Now()
	by, err := ask()
	if err != nil {
		return 0, err
	}
	found := time.Now()
	if by -= found.Sub(began); by.Abs() < apartLeast { // Postgres looked at its clock at some time in between
		by = 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.by, a.found = by, found
	return by, nil
}

// dueNow returns params in which the jobs that are to be done at once are due by the clock of Postgres, too. The times of others are
// by that clock already.
func (e *executorTx) dueNow(ctx context.Context,
	params *riverdriver.JobInsertFastManyParams) (*riverdriver.JobInsertFastManyParams, error) {
	by, err := e.driver.apart.get(func() (time.Duration, error) { return e.driver.ahead(ctx, e.tx) })
	if err != nil || by == 0 {
		return params, err
	}
	there := *params
	there.Jobs = make([]*riverdriver.JobInsertFastParams, len(params.Jobs))
	for i, job := range params.Jobs {
		due := *job
		if job.State == rivertype.JobStateAvailable {
			due.ScheduledAt = new(e.driver.now().Add(by))
		}
		there.Jobs[i] = &due
	}
	return &there, nil
}

// ahead returns how much the clock of Postgres shows more than that of this machine.
func (d *Driver) ahead(ctx context.Context, on dbsqlc.DBTX) (time.Duration, error) {
	here := d.now()
	there, err := dbsqlc.New().JobClock(ctx, on)
	if err != nil {
		return 0, fmt.Errorf("read the clock of jobs: %w", err)
	}
	return there.Sub(here), nil
}

// byPostgres returns times in the clock of Postgres; nil stays so.
func (e *executor) byPostgres(ctx context.Context, times []*time.Time) ([]*time.Time, error) {
	there := make([]*time.Time, len(times))
	ahead, asked := time.Duration(0), false
	for i, at := range times {
		if at == nil {
			continue
		}
		if !asked {
			var err error
			if ahead, err = e.driver.ahead(ctx, e.driver.pool); err != nil {
				return nil, err
			}
			asked = true
		}
		there[i] = new(at.Add(ahead))
	}
	return there, nil
}

// JobSetStateIfRunningMany implements riverdriver.Executor. A job that is to go on soon waits as available.
func (e *executor) JobSetStateIfRunningMany(ctx context.Context,
	params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	params = inOrder(params)
	times, err := e.byPostgres(ctx, params.ScheduledAt)
	if err != nil {
		return nil, err
	}
	there := *params
	there.ScheduledAt = times
	rows, err := e.Executor.JobSetStateIfRunningMany(ctx, &there)
	for i, state := range params.State {
		if at := params.ScheduledAt[i]; state == rivertype.JobStateAvailable && at != nil {
			e.driver.polls.lookAt(*at)
		}
	}
	return rows, err
}

// JobGetStuck implements riverdriver.Executor.
func (e *executor) JobGetStuck(ctx context.Context, params *riverdriver.JobGetStuckParams) ([]*rivertype.JobRow, error) {
	times, err := e.byPostgres(ctx, []*time.Time{&params.StuckHorizon})
	if err != nil {
		return nil, err
	}
	there := *params
	there.StuckHorizon = *times[0]
	return e.Executor.JobGetStuck(ctx, &there)
}

// JobSchedule implements riverdriver.Executor. Workers look when the jobs are due that will be within seconds.
func (e *executorTx) JobSchedule(ctx context.Context,
	params *riverdriver.JobScheduleParams) ([]*riverdriver.JobScheduleResult, error) {
	there := *params
	if params.Now != nil {
		ahead, err := e.driver.ahead(ctx, e.tx)
		if err != nil {
			return nil, err
		}
		there.Now = new(params.Now.Add(ahead))
	}
	scheduled, err := e.ExecutorTx.JobSchedule(ctx, &there)
	if err != nil {
		return nil, err
	}
	queues := map[string]bool{}
	for _, result := range scheduled {
		queues[result.Job.Queue] = true
	}
	return scheduled, wake(ctx, e.tx, queues)
}
