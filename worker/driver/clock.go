package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db/dbsqlc"
)

// River says when jobs are due by the clock of the machine that it runs on, and Postgres hands them out by its own. A worker
// whose clock is wrong by an hour would have every scheduled call of all accounts begin an hour late, as soon as it leads, and
// what it puts off, too.

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
