package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
)

// monthsAhead are those whose partitions are made before their time.
const monthsAhead = 2

// partitioned are the tables that have a partition for each month.
var partitioned = []string{"call_turn", "delivery_attempt"}

// MakePartitionsArgs asks for the partitions of the next months.
type MakePartitionsArgs struct{}

// Kind implements river.JobArgs.
func (MakePartitionsArgs) Kind() string { return "make_partitions" }

// MakePartitionsWorker makes the partitions of this month and the next ones, and drops those of past months that retention has
// emptied: their space is free at once, with all indexes. It runs periodically. Rows of months without one go to the default
// partition, so nothing fails when it did not run; one that it makes later takes its rows out of there.
type MakePartitionsWorker struct {
	river.WorkerDefaults[MakePartitionsArgs]
	DB  dbsqlc.DBTX
	Now func() time.Time
}

// Work implements river.Worker.
func (w *MakePartitionsWorker) Work(ctx context.Context, _ *river.Job[MakePartitionsArgs]) error {
	year, month, _ := w.Now().UTC().Date()
	for _, parent := range partitioned {
		for ahead := range monthsAhead + 1 {
			first := time.Date(year, month+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
			if _, err := dbsqlc.New().PartitionMake(ctx, w.DB, &dbsqlc.PartitionMakeParams{Parent: parent, Month: first}); err != nil {
				return fmt.Errorf("make partition of %s: %w", parent, err)
			}
		}
		before := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		if _, err := dbsqlc.New().PartitionDropEmpty(ctx, w.DB,
			&dbsqlc.PartitionDropEmptyParams{Parent: parent, Before: before}); err != nil {
			return fmt.Errorf("drop empty partitions of %s: %w", parent, err)
		}
	}
	return nil
}
