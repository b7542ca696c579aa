package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	heldJobsEvery = 5 * time.Second
	// How long River has, while Postgres answers, to record the outcome of a job that was worked. The query has it too.
	outcomePatience = 15 * time.Second
)

// heldJobs knows which jobs this process works, and returns those that are recorded as running here and are not: a connection
// that broke may have taken the answer to a fetch with it, or the outcome of a job. River's own rescue takes an hour. A job that
// had its outcome after all runs twice, as any may.
type heldJobs struct {
	river.MiddlewareDefaults
	processID string
	pool      *pgxpool.Pool
	logger    *slog.Logger

	mu   sync.Mutex
	held map[int64]int // how often a job is worked: one that others returned may come back

	missing map[int64]time.Time // since when jobs are recorded and not held; the supervisor's
	looked  time.Time           // likewise
}

// Work implements rivertype.WorkerMiddleware.
func (h *heldJobs) Work(ctx context.Context, job *rivertype.JobRow, doInner func(context.Context) error) error {
	h.hold(job.ID, 1)
	defer h.hold(job.ID, -1)
	return doInner(ctx)
}

func (h *heldJobs) hold(id int64, times int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held[id] += times; h.held[id] == 0 {
		delete(h.held, id)
	}
}

func (h *heldJobs) holds(id int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[id] > 0
}

// reconcile returns the jobs that are missing here for too long.
func (h *heldJobs) reconcile(ctx context.Context, now time.Time) error {
	switch ago := now.Sub(h.looked); {
	case ago < heldJobsEvery:
		return nil
	case ago > 2*heldJobsEvery: // Postgres was away, and outcomes had no time to be recorded
		h.missing = nil
	}
	recorded, err := dbsqlc.New().ProcessListJobs(ctx, h.pool, &dbsqlc.ProcessListJobsParams{ProcessID: h.processID})
	if err != nil {
		return fmt.Errorf("list own jobs: %w", err)
	}
	lost := h.miss(recorded, now)
	h.looked = now
	if len(lost) == 0 {
		return nil
	}
	back, err := dbsqlc.New().ProcessReturnJobs(ctx, h.pool, &dbsqlc.ProcessReturnJobsParams{
		ProcessID: h.processID, Ids: lost, Error: "the connection to the database was lost with the job or its outcome",
	})
	if err != nil {
		return fmt.Errorf("return own jobs: %w", err)
	}
	h.logger.WarnContext(ctx, "jobs that were lost with a connection run again", "jobs", back.Returned)
	return nil
}

// miss notes which of the recorded jobs are not held here, and returns those that have not been for too long.
func (h *heldJobs) miss(recorded []int64, now time.Time) (lost []int64) {
	missing := map[int64]time.Time{}
	for _, id := range recorded {
		if h.holds(id) {
			continue
		}
		since, known := h.missing[id]
		if !known {
			since = now
		}
		missing[id] = since
		if now.Sub(since) >= outcomePatience {
			lost = append(lost, id)
		}
	}
	h.missing = missing
	return lost
}
