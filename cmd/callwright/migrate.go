package main

import (
	"context"
	"fmt"

	"github.com/callwright/callwright/db"
)

// migrateCommand brings the database to this version.
type migrateCommand struct {
	databaseFlags
}

// Run implements the command.
func (c *migrateCommand) Run(ctx context.Context) error {
	pool, err := c.open(ctx, 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := db.Migrate(ctx, pool); err != nil {
		return err
	}
	fmt.Println("The database is at this version.")
	return nil
}
