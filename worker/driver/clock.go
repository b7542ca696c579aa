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

// lookEvery is between two looks at the clock of Postgres, where jobs are inserted.
const lookEvery = 30 * time.Second

// shownClock is what the clock of Postgres showed, and has shown since by the monotonic clock, at least: that of the machine may jump.
type shownClock struct {
	mu    sync.Mutex
	shown time.Time
	at    time.Time // by the monotonic clock
}

// now returns what Postgres shows, which look finds out now and then.
func (c *shownClock) now(look func() (time.Time, error)) (time.Time, error) {
	c.mu.Lock()
	shown, at := c.shown, c.at
	c.mu.Unlock()
	if !at.IsZero() && time.Since(at) < lookEvery {
		return shown.Add(time.Since(at)), nil
	}
	shown, err := look()
	if err != nil {
		return time.Time{}, fmt.Errorf("read the clock of jobs: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown, c.at = shown, time.Now() // later than it was shown: no job is due too late
	return shown, nil
}

// dueNow returns params in which the jobs that are to be done at once are due by the clock of Postgres. The times of others are by
// that clock already.
func (e *executorTx) dueNow(ctx context.Context,
	params *riverdriver.JobInsertFastManyParams) (*riverdriver.JobInsertFastManyParams, error) {
	now, err := e.driver.shown.now(func() (time.Time, error) { return dbsqlc.New().JobClock(ctx, e.tx) })
	if err != nil {
		return nil, err
	}
	there := *params
	there.Jobs = make([]*riverdriver.JobInsertFastParams, len(params.Jobs))
	for i, job := range params.Jobs {
		due := *job
		if job.State == rivertype.JobStateAvailable {
			due.ScheduledAt = &now
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
