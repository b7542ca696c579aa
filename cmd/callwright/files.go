package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/jobs/maintenance"
)

// filesCommand manages the store of recordings and documents.
type filesCommand struct {
	Check filesCheckCommand `cmd:"" help:"Compare the stored recordings and documents with the database. Exit status 1 where they differ and it is not fixed."`
}

type filesCheckCommand struct {
	databaseFlags
	fileFlags
	outputFlags
	Fix bool `help:"Delete files that nobody may have any more, note recordings that their calls do not, and have calls whose recording is gone say so."`
}

// Run implements the command.
func (c *filesCheckCommand) Run(ctx context.Context) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	check := maintenance.FileCheck{DB: pool, Files: store, Now: time.Now}
	if c.Fix {
		check.Fix = []maintenance.FileState{maintenance.FileOrphaned, maintenance.FileUnnoted, maintenance.FileMissing,
			maintenance.FileAbandoned}
	}
	var found []maintenance.FoundFile
	left := 0
	err = check.Run(ctx, func(file maintenance.FoundFile) error {
		found = append(found, file)
		if !file.Fixed {
			left++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("check files: %w", err)
	}
	return c.print(found, left, check.Looked)
}

// print prints the differences, and how many were looked at where people read it.
func (c *filesCheckCommand) print(found []maintenance.FoundFile, left int, looked maintenance.Looked) error {
	at := fmt.Sprintf("%d files, %d rows that name one and %d unfinished files", looked.Files, looked.Rows, looked.Drafts)
	if !c.JSON && len(found) == 0 {
		_, err := fmt.Printf("All is well: %s are looked at, and none differs.\n", at)
		return err
	}
	err := printList(c.outputFlags, found,
		column[maintenance.FoundFile]{"STATE", func(f maintenance.FoundFile) string { return string(f.State) }},
		column[maintenance.FoundFile]{"KEY", func(f maintenance.FoundFile) string { return table.Cell(f.Key) }},
		column[maintenance.FoundFile]{"BYTES", func(f maintenance.FoundFile) string { return strconv.FormatInt(f.Size, 10) }},
		column[maintenance.FoundFile]{"MODIFIED", func(f maintenance.FoundFile) string { return optionalTimeCell(f.Modified) }},
		column[maintenance.FoundFile]{"FIXED", func(f maintenance.FoundFile) string { return strconv.FormatBool(f.Fixed) }},
	)
	switch {
	case err != nil:
		return err
	case left > 0:
		return &statusError{1, fmt.Sprintf("%d of %s differ and are not fixed", left, at)}
	case !c.JSON:
		_, err = fmt.Printf("All that differed is fixed: %s are looked at.\n", at)
	}
	return err
}
