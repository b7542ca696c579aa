package driver

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/riverqueue/river/riverdriver"

	"github.com/callwright/callwright/db/dbsqlc"
)

// River locks jobs that are over in any order, and jobs that are unique and there already in that in which they are given. Two that
// do so at once may each wait for the other: Postgres ends one of them after a second, and the jobs that were over are
// written another second later. Here both lock in the order of the jobs' ids.

// inOrder returns the changes of jobs, in the order of their ids.
func inOrder(params *riverdriver.JobSetStateIfRunningManyParams) *riverdriver.JobSetStateIfRunningManyParams {
	order := make([]int, len(params.ID))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(params.ID[x], params.ID[y]) })
	sorted := *params
	sorted.ID, sorted.Attempt, sorted.ErrData = pick(params.ID, order), pick(params.Attempt, order), pick(params.ErrData, order)
	sorted.FinalizedAt, sorted.MetadataDoMerge = pick(params.FinalizedAt, order), pick(params.MetadataDoMerge, order)
	sorted.MetadataUpdates, sorted.ScheduledAt = pick(params.MetadataUpdates, order), pick(params.ScheduledAt, order)
	sorted.State = pick(params.State, order)
	return &sorted
}

func pick[T any](from []T, order []int) []T {
	picked := make([]T, len(order))
	for i, at := range order {
		picked[i] = from[at]
	}
	return picked
}

// lockUnique locks the jobs that are there already of those to be inserted.
func (e *executorTx) lockUnique(ctx context.Context, params *riverdriver.JobInsertFastManyParams) error {
	var keys [][]byte
	for _, job := range params.Jobs {
		if len(job.UniqueKey) > 0 {
			keys = append(keys, job.UniqueKey)
		}
	}
	if len(keys) < 2 {
		return nil
	}
	if err := dbsqlc.New().JobLockUnique(ctx, e.tx, &dbsqlc.JobLockUniqueParams{UniqueKeys: keys}); err != nil {
		return fmt.Errorf("lock jobs that are unique: %w", err)
	}
	return nil
}
