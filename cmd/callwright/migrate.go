package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/callwright/callwright/db"
)

// migrateCommand brings the database to this version, or prints how far it is.
type migrateCommand struct {
	Up     migrateUpCommand     `cmd:"" default:"withargs" help:"Bring the database to this version: what migrate alone does. With --dry-run, print what it would do; exit status: 0 nothing, 3 something."`
	Status migrateStatusCommand `cmd:"" help:"Tell which migrations the database has and lacks. Exit status: 0 it is at this version, 3 it is not, 1 it cannot be told."`
}

type migrateUpCommand struct {
	databaseFlags
	outputFlags
	DryRun bool `help:"Change nothing: print each statement that would run, the tables that it locks, how, and for about how long. Status 3: there are some."`
}

// Run implements the command.
func (c *migrateUpCommand) Run(ctx context.Context) error {
	pool, err := c.open(ctx, 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	if c.DryRun {
		return c.printPlan(ctx, pool)
	}
	if c.JSON {
		return errors.New("--json: only --dry-run and status print JSON")
	}
	if err := checkDirect(ctx, pool); err != nil {
		return err
	}
	if err := db.Migrate(ctx, pool); err != nil {
		return err
	}
	fmt.Println("The database is at this version.")
	return nil
}

type migrateStatusCommand struct {
	databaseFlags
	outputFlags
}

// statusNotMigrated is the exit status of migrate status where something is to be done.
const statusNotMigrated = 3

// Run implements the command.
func (c *migrateStatusCommand) Run(ctx context.Context) error {
	pool, err := c.open(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	lines, err := db.MigrationStatus(ctx, pool)
	if err != nil {
		return err
	}
	count := func(names []string) string { return strconv.Itoa(len(names)) }
	err = printList(c.outputFlags, lines,
		column[db.MigrationLine]{"SCHEMA", func(l db.MigrationLine) string { return l.Schema }},
		column[db.MigrationLine]{"VERSION", func(l db.MigrationLine) string { return fmt.Sprintf("%d of %d", l.Version, l.Target) }},
		column[db.MigrationLine]{"PENDING", func(l db.MigrationLine) string { return count(l.Pending) }},
		column[db.MigrationLine]{"UNKNOWN", func(l db.MigrationLine) string { return count(l.Unknown) }},
	)
	if err != nil {
		return err
	}
	if !c.JSON {
		for _, line := range lines {
			printNames("pending", line.Schema, line.Pending)
			printNames("unknown", line.Schema, line.Unknown)
		}
	}
	return judgeMigrations(lines)
}

func printNames(what, schema string, names []string) {
	for _, name := range names {
		fmt.Printf("%s  %s %s\n", what, schema, name)
	}
}

// judgeMigrations returns why the database is not at this version.
func judgeMigrations(lines []db.MigrationLine) error {
	for _, line := range lines {
		if len(line.Unknown) > 0 {
			return &statusError{statusNotMigrated, "the database was migrated by a newer version of this program: run that one"}
		}
	}
	for _, line := range lines {
		if len(line.Pending) > 0 {
			return &statusError{statusNotMigrated, "the database is not migrated to this version: run `callwright migrate`"}
		}
	}
	return nil
}
