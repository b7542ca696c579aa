package maintenance

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/files"
)

// CheckFilesArgs asks for the file store to be compared with the rows.
type CheckFilesArgs struct{}

// Kind implements river.JobArgs.
func (CheckFilesArgs) Kind() string { return "check_files" }

// CheckFilesWorker deletes the files that nobody may have any more, notes those that their rows do not, and logs the rest.
// That a row lacks its file is only logged: where the store is not the right one, or is not mounted, that is true of all.
// It runs periodically.
type CheckFilesWorker struct {
	river.WorkerDefaults[CheckFilesArgs]
	DB     dbsqlc.DBTX
	Files  files.Store // nil: none
	Logger *slog.Logger
	Now    func() time.Time
}

// Timeout leaves time for a large store.
func (w *CheckFilesWorker) Timeout(*river.Job[CheckFilesArgs]) time.Duration { return 50 * time.Minute }

// Work implements river.Worker.
func (w *CheckFilesWorker) Work(ctx context.Context, _ *river.Job[CheckFilesArgs]) error {
	if w.Files == nil { // the process has no store
		return nil
	}
	check := FileCheck{DB: w.DB, Files: w.Files, Now: w.Now, Fix: []FileState{FileOrphaned, FileUnnoted, FileAbandoned}}
	counts := map[FileState]int{}
	err := check.Run(ctx, func(found FoundFile) error {
		counts[found.State]++
		return nil
	})
	if len(counts) > 0 {
		w.Logger.WarnContext(ctx, "files and rows differ", "orphaned", counts[FileOrphaned], "unnoted", counts[FileUnnoted],
			"abandoned", counts[FileAbandoned], "missing", counts[FileMissing], "foreign", counts[FileForeign])
	}
	if err != nil {
		return fmt.Errorf("check files: %w", err)
	}
	return nil
}
