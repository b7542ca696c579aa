// Package driver is River's driver for Postgres with four differences. What wakes workers after an insert is sent when the
// transaction is committed (db.Notify), not by it. And a queue is asked for jobs only when it may have some: since a
// notification, since its next job is due, or since so much time has passed that a notification may have got lost. A process
// looks at all its queues in one statement, more and more rarely while there is nothing to do. And jobs are due by the clock of
// Postgres alone. What locks several jobs at once locks them in one order.
//
// It knows River's tables and interfaces, which are not stable: a new version of River wants a look at it. It must not know any
// job.
package driver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs/queue"
)

// Driver is the driver of one client.
type Driver struct {
	*riverpgxv5.Driver
	pool  *pgxpool.Pool
	polls *polls
	now   func() time.Time // the wall clock of this machine, as River reads it
	apart apart            // how wrong that is
}

var _ riverdriver.Driver[pgx.Tx] = (*Driver)(nil)

// New returns the driver of a client that works on pool.
func New(pool *pgxpool.Pool) *Driver {
	return &Driver{Driver: riverpgxv5.New(pool), pool: pool, polls: newPolls(pool, time.Now), now: time.Now}
}

// GetExecutor implements riverdriver.Driver.
func (d *Driver) GetExecutor() riverdriver.Executor { return &executor{d.Driver.GetExecutor(), d} }

// UnwrapExecutor implements riverdriver.Driver.
func (d *Driver) UnwrapExecutor(tx pgx.Tx) riverdriver.ExecutorTx {
	return &executorTx{d.Driver.UnwrapExecutor(tx), d, tx}
}

// UnwrapTx implements riverdriver.Driver.
func (d *Driver) UnwrapTx(tx riverdriver.ExecutorTx) pgx.Tx { return tx.(*executorTx).tx } //nolint:forcetypeassert // it is ours

// GetListener implements riverdriver.Driver.
func (d *Driver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return &listener{d.Driver.GetListener(params), d.polls}
}

// executor runs River's statements on the pool.
type executor struct {
	riverdriver.Executor
	driver *Driver
}

// Begin implements riverdriver.Executor.
func (e *executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := db.Begin(ctx, e.driver.pool)
	if err != nil {
		return nil, err
	}
	return e.driver.UnwrapExecutor(tx), nil
}

// JobGetAvailable implements riverdriver.Executor.
func (e *executor) JobGetAvailable(ctx context.Context,
	params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	due, err := e.driver.polls.due(ctx, params.Queue)
	if err != nil || !due {
		return &riverdriver.JobGetAvailableResult{}, err
	}
	found, err := e.Executor.JobGetAvailable(ctx, params)
	if err != nil { // as if it had not been asked
		e.driver.polls.lookAt(time.Now().Add(shortestPoll))
		return nil, err
	}
	e.driver.polls.asked(params.Queue, len(found.Jobs), params.MaxToLock)
	return found, nil
}

// QueueCreateOrSetUpdatedAt implements riverdriver.Executor. A client that starts takes an error that ends in "conn closed" for its
// own end: it would start without this queue, and say nothing.
func (e *executor) QueueCreateOrSetUpdatedAt(ctx context.Context,
	params *riverdriver.QueueCreateOrSetUpdatedAtParams) (*rivertype.Queue, error) {
	found, err := e.Executor.QueueCreateOrSetUpdatedAt(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("open queue: %w (%s)", err, params.Name)
	}
	return found, nil
}

// executorTx runs River's statements in a transaction.
type executorTx struct {
	riverdriver.ExecutorTx
	driver *Driver
	tx     pgx.Tx
}

// Begin implements riverdriver.Executor.
func (e *executorTx) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return e.driver.UnwrapExecutor(tx), nil
}

// Commit implements riverdriver.ExecutorTx.
func (e *executorTx) Commit(ctx context.Context) error { return e.tx.Commit(ctx) }

// JobInsertFastMany implements riverdriver.Executor.
func (e *executorTx) JobInsertFastMany(ctx context.Context,
	params *riverdriver.JobInsertFastManyParams) ([]*riverdriver.JobInsertFastResult, error) {
	if err := e.lockUnique(ctx, params); err != nil {
		return nil, err
	}
	params, err := e.dueNow(ctx, params)
	if err != nil {
		return nil, err
	}
	inserted, err := e.ExecutorTx.JobInsertFastMany(ctx, params)
	if err != nil {
		return nil, err
	}
	return inserted, e.wakeInserted(ctx, params)
}

// JobInsertFastManyNoReturning implements riverdriver.Executor.
func (e *executorTx) JobInsertFastManyNoReturning(ctx context.Context, params *riverdriver.JobInsertFastManyParams) (int, error) {
	if err := e.lockUnique(ctx, params); err != nil {
		return 0, err
	}
	params, err := e.dueNow(ctx, params)
	if err != nil {
		return 0, err
	}
	inserted, err := e.ExecutorTx.JobInsertFastManyNoReturning(ctx, params)
	if err != nil {
		return 0, err
	}
	return inserted, e.wakeInserted(ctx, params)
}

func (e *executorTx) wakeInserted(ctx context.Context, params *riverdriver.JobInsertFastManyParams) error {
	queues := map[string]bool{}
	for _, job := range params.Jobs {
		if job.State == rivertype.JobStateAvailable {
			queues[job.Queue] = true
		}
	}
	return wake(ctx, e.tx, queues)
}

// NotifyMany implements riverdriver.Executor. Inserts are told of after the commit, all of them.
func (e *executorTx) NotifyMany(ctx context.Context, params *riverdriver.NotifyManyParams) error {
	if params.Topic == queue.InsertTopic {
		return nil
	}
	return e.ExecutorTx.NotifyMany(ctx, params)
}

// wake has workers ask queues for jobs when tx is committed.
func wake(ctx context.Context, tx pgx.Tx, queues map[string]bool) error {
	for name := range queues {
		if err := queue.Wake(ctx, tx, name); err != nil {
			return err
		}
	}
	return nil
}

// listener passes notifications to River.
type listener struct {
	riverdriver.Listener
	polls *polls
}

// Connect implements riverdriver.Listener. What was notified of before, nobody heard.
func (l *listener) Connect(ctx context.Context) error {
	if err := l.Listener.Connect(ctx); err != nil {
		return err
	}
	l.polls.lookAt(time.Time{})
	return nil
}

// WaitForNotification implements riverdriver.Listener. What makes River ask a queue for jobs is a notification, also where it is
// the time that has come: to have each of its queues poll many times a second cost an idle worker most of its processor time.
func (l *listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for ctx.Err() == nil {
		name, wait := l.polls.owed()
		if name != "" {
			payload, err := queue.Waking(name)
			return &riverdriver.Notification{Topic: queue.InsertTopic, Payload: payload}, err
		}
		notification, err := l.waitFor(ctx, wait)
		if err != nil || notification != nil {
			return notification, err
		}
	}
	return nil, ctx.Err()
}

// waitFor waits for a notification, at most so long and until something is owed sooner. Then it returns nil.
func (l *listener) waitFor(ctx context.Context, limit time.Duration) (*riverdriver.Notification, error) {
	waiting, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-l.polls.sooner:
		case <-timer.C:
		case <-waiting.Done():
		}
		cancel()
	})
	notification, err := l.Listener.WaitForNotification(waiting)
	switch {
	case err != nil && ctx.Err() == nil && waiting.Err() != nil:
		return nil, nil //nolint:nilnil // the time has come, and no error
	case err != nil:
		return nil, err
	}
	if notification.Topic == queue.InsertTopic {
		name, err := queue.Woken(notification.Payload)
		if err != nil {
			return nil, err
		}
		l.polls.wake(name)
	}
	return notification, nil
}
