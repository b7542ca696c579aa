package main

import (
	"errors"
	"fmt"

	"github.com/callwright/callwright/db"
)

// explainMigration returns the error of a migration, in words about the data folder where the database is there.
func (d *dev) explainMigration(err error) error {
	if d.postgres != nil && errors.Is(err, db.ErrBeforeBaseline) {
		return fmt.Errorf("a development version from before the first release made %s: delete that folder and start again",
			d.cmd.DataDir)
	}
	return err
}
