package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/callwright/callwright/db/dbsqlc"
)

// ErrBeforeBaseline is the error for a database that a development version made before the first migration was frozen.
// There is no way from it to a release.
var ErrBeforeBaseline = errors.New("a development version from before the first release made this database: drop it, create it anew and migrate that")

// ErrSchema is the error for a database whose schema is not that of this program.
var ErrSchema = errors.New("the schema of the database is another version's")

// MigrationLine says how far one schema in the database is: ours or River's.
type MigrationLine struct {
	Schema  string   `json:"schema"`
	Version int64    `json:"version"` // of the last migration that was applied; 0: none was
	Target  int64    `json:"target"`  // of the last one that this program has
	Pending []string `json:"pending"` // migrations of this program that the database lacks
	Unknown []string `json:"unknown"` // migrations of the database that this program does not have
}

// MigrationStatus reads which migrations the database has, our own and those of the River that this program is linked with,
// and changes nothing. It is ErrBeforeBaseline for a database that an earlier development version made.
func MigrationStatus(ctx context.Context, pool *pgxpool.Pool) ([]MigrationLine, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return migrationStatus(ctx, pool, files)
}

func migrationStatus(ctx context.Context, pool *pgxpool.Pool, files fs.FS) ([]MigrationLine, error) {
	if err := checkBaseline(ctx, pool); err != nil {
		return nil, err
	}
	own, err := ownMigrationStatus(ctx, pool, files)
	if err != nil {
		return nil, err
	}
	river, err := riverMigrationStatus(ctx, pool)
	if err != nil {
		return nil, err
	}
	return []MigrationLine{own, river}, nil
}

// CheckMigrated fails when the database is not at the version of this program, or its River schema not at that of the River
// that this program is linked with.
func CheckMigrated(ctx context.Context, pool *pgxpool.Pool) error {
	lines, err := MigrationStatus(ctx, pool)
	if err == nil {
		err = checkRiver(lines)
	}
	if err != nil {
		return err
	}
	for _, line := range lines {
		if len(line.Pending) > 0 {
			return schemaError{fmt.Sprintf("the database is not migrated to this version: %s is at %d of %d and lacks %s, run `callwright migrate`",
				line.Schema, line.Version, line.Target, line.Pending[0])}
		}
	}
	return nil
}

// checkRiver returns an error when a newer River than ours has migrated the database: what this one would do to its tables
// is unknown. Our own later migrations suit the processes of the version before, which go on while a new one is rolled out.
func checkRiver(lines []MigrationLine) error {
	river := lines[1]
	if len(river.Unknown) > 0 {
		return schemaError{fmt.Sprintf("the schema of River is at version %d and this program is made for %d: a newer callwright has migrated the database",
			river.Version, river.Target)}
	}
	return nil
}

// schemaError says in what a schema differs. It is ErrSchema.
type schemaError struct{ text string }

func (e schemaError) Error() string { return e.text }

func (schemaError) Is(target error) bool { return target == ErrSchema }

// checkBaseline returns ErrBeforeBaseline for a database with an earlier first migration: its calls have no transferred_to.
func checkBaseline(ctx context.Context, conn dbsqlc.DBTX) error {
	var before bool
	err := conn.QueryRow(ctx,
		`SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('call') IS NOT NULL AND NOT EXISTS (
		SELECT FROM pg_attribute WHERE attrelid = to_regclass('call') AND attname = 'transferred_to')`).Scan(&before)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if before {
		return ErrBeforeBaseline
	}
	return nil
}

// ownSchema and riverSchema are the names of the two in a MigrationLine.
const (
	ownSchema   = "callwright"
	riverSchema = "river"
)

func ownMigrationStatus(ctx context.Context, conn dbsqlc.DBTX, files fs.FS) (MigrationLine, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return MigrationLine{}, fmt.Errorf("read migrations: %w", err)
	}
	known := map[int64]string{}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return MigrationLine{}, fmt.Errorf("read migrations: %w", err)
		}
		known[version] = strings.TrimSuffix(name, ".sql")
	}
	return migrationLine(ctx, conn, ownSchema, known, goose.DefaultTablename,
		"version_id FROM goose_db_version WHERE is_applied AND version_id > 0")
}

// riverMigrationStatus reads River's table itself: River refuses to read versions that it does not know.
func riverMigrationStatus(ctx context.Context, conn dbsqlc.DBTX) (MigrationLine, error) {
	migrator, err := riverMigrator(nil)
	if err != nil {
		return MigrationLine{}, err
	}
	known := map[int64]string{}
	for _, migration := range migrator.AllVersions() {
		known[int64(migration.Version)] = riverName(migration)
	}
	return migrationLine(ctx, conn, riverSchema, known, "river_migration", "version FROM river_migration")
}

func riverName(migration rivermigrate.Migration) string {
	return fmt.Sprintf("%04d_%s", migration.Version, strings.ReplaceAll(migration.Name, " ", "_"))
}

// migrationLine compares the known migrations with those in table, which may be missing, as its columns say.
func migrationLine(ctx context.Context, conn dbsqlc.DBTX, schema string, known map[int64]string, table,
	columns string) (MigrationLine, error) {
	line := MigrationLine{Schema: schema, Pending: []string{}, Unknown: []string{}}
	applied, err := appliedMigrations(ctx, conn, table, columns)
	if err != nil {
		return line, fmt.Errorf("read schema version: %w", err)
	}
	for version, name := range known {
		line.Target = max(line.Target, version)
		if !slices.Contains(applied, version) {
			line.Pending = append(line.Pending, name)
		}
	}
	slices.Sort(line.Pending)
	for _, version := range applied {
		line.Version = version
		if _, ok := known[version]; !ok {
			line.Unknown = append(line.Unknown, strconv.FormatInt(version, 10))
		}
	}
	return line, nil
}

func appliedMigrations(ctx context.Context, conn dbsqlc.DBTX, table, columns string) ([]int64, error) {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", table).Scan(&exists); err != nil || !exists {
		return nil, err
	}
	rows, err := conn.Query(ctx, "SELECT "+columns+" ORDER BY 1")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}
