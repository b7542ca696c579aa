package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/embedded"
)

// openDatabase starts the private Postgres, where no other is given, and migrates it.
func (d *dev) openDatabase(ctx context.Context) error {
	dsn := d.cmd.DatabaseURL
	if dsn == "" {
		d.out.step("database", "starting a private Postgres in "+d.folder.path)
		server, err := embedded.Start(ctx, embedded.Config{
			Dir: filepath.Join(d.folder.path, "postgres"), Progress: func(message string) { d.out.step("database", message) },
		})
		if err != nil {
			return err
		}
		d.postgres, dsn = server, server.DSN()
	}
	pool, err := db.Open(ctx, dsn, 40)
	if err != nil {
		return errors.Join(err, d.closeDatabase())
	}
	d.pool = pool
	if err := checkDirect(ctx, pool); err != nil {
		return errors.Join(err, d.closeDatabase())
	}
	d.out.step("migration", "bringing the database to this version")
	if err := db.Migrate(ctx, pool); err != nil {
		return errors.Join(d.explainMigration(err), d.closeDatabase())
	}
	d.settings.DatabaseURL = dsn
	return nil
}

func (d *dev) closeDatabase() error {
	if d.pool != nil {
		d.pool.Close()
	}
	if d.postgres == nil {
		return nil
	}
	d.out.step("database", "stopping")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return d.postgres.Stop(ctx)
}
