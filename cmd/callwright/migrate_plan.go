package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
)

// statementShown is how much of a statement is printed; --json has all of it.
const statementShown = 110

// printPlan prints what migrate would do.
func (c *migrateUpCommand) printPlan(ctx context.Context, pool *pgxpool.Pool) error {
	plan, err := db.PlanMigrations(ctx, pool)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(plan)
	} else {
		for _, migration := range plan {
			printMigration(migration)
		}
	}
	if err == nil && len(plan) > 0 {
		err = &statusError{statusNotMigrated, fmt.Sprintf("%d migrations would run, nothing was changed: run `callwright migrate`",
			len(plan))}
	}
	if err == nil && !c.JSON {
		fmt.Println("The database is at this version.")
	}
	return err
}

func printMigration(migration db.PlannedMigration) {
	how := "one transaction: a lock is held until its end"
	if !migration.Transaction {
		how = "each statement by itself"
	}
	fmt.Printf("%s %s (%s)\n", migration.Schema, migration.Name, how)
	for _, statement := range migration.Statements {
		text := []rune(statement.SQL)
		if len(text) > statementShown {
			text = append(text[:statementShown-1], '…')
		}
		fmt.Printf("  %s\n", string(text))
		if statement.Unknown {
			fmt.Println("      what it locks is not known: read the file")
		}
		for _, lock := range statement.Locks {
			fmt.Printf("      %s (%s, %d rows): %s, %s; %s%s\n", lock.Table, sizeOf(lock.Bytes), lock.Rows, lock.Lock, lock.Lock.Means(),
				lock.Work, lasting(lock.Seconds))
		}
	}
	fmt.Println()
}

func lasting(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(", about %v", time.Duration(seconds*float64(time.Second)).Round(time.Millisecond))
}

func sizeOf(bytes int64) string {
	const kilo = 1 << 10
	size, units := float64(bytes), []string{"B", "kB", "MB", "GB", "TB"}
	for size >= kilo && len(units) > 1 {
		size, units = size/kilo, units[1:]
	}
	return fmt.Sprintf("%.0f %s", size, units[0])
}
