package db

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/ddl"
)

// PlannedMigration is a migration that the database lacks, and what it would do there.
type PlannedMigration struct {
	Schema      string             `json:"schema"`
	Name        string             `json:"name"`
	Transaction bool               `json:"transaction"` // its statements are one: locks are held until its end
	Statements  []PlannedStatement `json:"statements"`
}

// PlannedStatement is a statement of it.
type PlannedStatement struct {
	SQL     string        `json:"sql"`
	Unknown bool          `json:"unknown"` // what it locks is not known: read it
	Locks   []PlannedLock `json:"locks"`   // of tables that are there now
}

// PlannedLock is a lock on a table that others may use. Seconds is about how long it is held for the statement's own work, by the
// table's size and an ordinary disk.
type PlannedLock struct {
	Table   string   `json:"table"`
	Bytes   int64    `json:"bytes"`
	Rows    int64    `json:"rows"`
	Lock    ddl.Lock `json:"lock"`
	Work    ddl.Work `json:"work"`
	Seconds float64  `json:"seconds"`
}

// Bytes per second of what statements do, on an ordinary disk.
var workSpeed = map[ddl.Work]float64{ddl.Reads: 200e6, ddl.Indexes: 40e6, ddl.Rewrites: 40e6}

// PlanMigrations reads what Migrate would do, and changes nothing.
func PlanMigrations(ctx context.Context, pool *pgxpool.Pool) ([]PlannedMigration, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return planMigrations(ctx, pool, files)
}

func planMigrations(ctx context.Context, pool *pgxpool.Pool, files fs.FS) ([]PlannedMigration, error) {
	lines, err := migrationStatus(ctx, pool, files)
	if err == nil {
		err = checkRiver(lines)
	}
	if err != nil {
		return nil, err
	}
	river, err := riverSQL()
	if err != nil {
		return nil, err
	}
	plan := []PlannedMigration{}
	for _, line := range lines {
		for _, name := range line.Pending {
			text := river[name]
			if line.Schema == ownSchema {
				content, err := fs.ReadFile(files, name+".sql")
				if err != nil {
					return nil, fmt.Errorf("read migration: %w", err)
				}
				text = string(content)
			}
			one := PlannedMigration{Schema: line.Schema, Name: name, Transaction: !strings.Contains(text, "+goose NO TRANSACTION")}
			if one.Statements, err = planStatements(ctx, pool, text); err != nil {
				return nil, err
			}
			plan = append(plan, one)
		}
	}
	return plan, nil
}

// riverSQL is the text of River's migrations, by the name that it has in a MigrationLine.
func riverSQL() (map[string]string, error) {
	migrator, err := riverMigrator(nil)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, migration := range migrator.AllVersions() {
		texts[riverName(migration)] = migration.SQLUp
	}
	return texts, nil
}

func planStatements(ctx context.Context, conn dbsqlc.DBTX, text string) ([]PlannedStatement, error) {
	planned := []PlannedStatement{}
	for _, statement := range ddl.Parse(text) {
		one := PlannedStatement{SQL: statement.Text, Unknown: statement.Unknown, Locks: []PlannedLock{}}
		for _, effect := range statement.Effects {
			lock, exists, err := planLock(ctx, conn, effect)
			if err != nil {
				return nil, err
			}
			same := func(other PlannedLock) bool {
				return other.Table == lock.Table && other.Lock == lock.Lock && other.Work == lock.Work
			}
			if exists && !slices.ContainsFunc(one.Locks, same) {
				one.Locks = append(one.Locks, lock)
			}
		}
		planned = append(planned, one)
	}
	return planned, nil
}

// planLock finds the table of an effect and its size, all partitions together. A table that a migration makes is nobody's yet.
func planLock(ctx context.Context, conn dbsqlc.DBTX, effect ddl.Effect) (lock PlannedLock, exists bool, err error) {
	lock = PlannedLock{Lock: effect.Lock, Work: effect.Work}
	err = conn.QueryRow(ctx, `WITH named AS (
			SELECT coalesce((SELECT indrelid FROM pg_index WHERE indexrelid = relation.oid), relation.oid) AS oid
			FROM pg_class AS relation WHERE relation.oid = to_regclass($1)
		), part AS (
			SELECT oid FROM named UNION SELECT tree.relid FROM named, pg_partition_tree(named.oid) AS tree
		)
		SELECT coalesce((SELECT oid::regclass::text FROM named), ''), coalesce(sum(pg_table_size(part.oid)), 0)::bigint,
			coalesce(sum(greatest(reltuples, 0)), 0)::bigint
		FROM part JOIN pg_class ON pg_class.oid = part.oid`, effect.Table).Scan(&lock.Table, &lock.Bytes, &lock.Rows)
	if err != nil {
		return lock, false, fmt.Errorf("read size of table: %w", err)
	}
	if speed := workSpeed[effect.Work]; speed > 0 {
		lock.Seconds = (time.Duration(float64(lock.Bytes)/speed*1e3) * time.Millisecond).Seconds()
	}
	return lock, lock.Table != "", nil
}
