package db

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// MigrationLine says how far one schema in the database is: ours or River's.
type MigrationLine struct {
	Schema  string   `json:"schema"`
	Version int64    `json:"version"` // of the last migration that was applied; 0: none was
	Target  int64    `json:"target"`  // of the last one that this program has
	Pending []string `json:"pending"` // migrations of this program that the database lacks
	Unknown []string `json:"unknown"` // migrations of the database that this program does not have
}

// MigrationStatus reads which migrations the database has, and changes nothing.
func MigrationStatus(ctx context.Context, pool *pgxpool.Pool) ([]MigrationLine, error) {
	ours, err := ourMigrationStatus(ctx, pool)
	if err != nil {
		return nil, err
	}
	rivers, err := riverMigrationStatus(ctx, pool)
	if err != nil {
		return nil, err
	}
	return []MigrationLine{ours, rivers}, nil
}

// ourMigrationStatus reads goose's table itself: goose makes it where it is missing.
func ourMigrationStatus(ctx context.Context, pool *pgxpool.Pool) (MigrationLine, error) {
	provider, closeDB, err := migrationProvider(pool)
	if err != nil {
		return MigrationLine{}, err
	}
	defer closeDB()
	known := map[int64]string{}
	for _, source := range provider.ListSources() {
		known[source.Version] = strings.TrimSuffix(path.Base(source.Path), ".sql")
	}
	applied, err := appliedMigrations(ctx, pool)
	if err != nil {
		return MigrationLine{}, err
	}
	return newMigrationLine("callwright", known, applied), nil
}

func appliedMigrations(ctx context.Context, pool *pgxpool.Pool) ([]int64, error) {
	var there bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", goose.DefaultTablename).Scan(&there); err != nil {
		return nil, fmt.Errorf("look for migrations: %w", err)
	}
	if !there {
		return nil, nil
	}
	rows, err := pool.Query(ctx, "SELECT version_id FROM "+goose.DefaultTablename+" WHERE is_applied AND version_id > 0")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return applied, nil
}

func riverMigrationStatus(ctx context.Context, pool *pgxpool.Pool) (MigrationLine, error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return MigrationLine{}, fmt.Errorf("read river's migrations: %w", err)
	}
	known := map[int64]string{}
	for _, migration := range migrator.AllVersions() {
		known[int64(migration.Version)] = fmt.Sprintf("%04d_%s", migration.Version, strings.ReplaceAll(migration.Name, " ", "_"))
	}
	existing, err := migrator.ExistingVersions(ctx)
	if err != nil {
		return MigrationLine{}, fmt.Errorf("read river's migrations: %w", err)
	}
	var applied []int64
	for _, migration := range existing {
		applied = append(applied, int64(migration.Version))
	}
	return newMigrationLine("river", known, applied), nil
}

func newMigrationLine(schema string, known map[int64]string, applied []int64) MigrationLine {
	line := MigrationLine{Schema: schema, Pending: []string{}, Unknown: []string{}}
	pending := map[int64]bool{}
	for version := range known {
		line.Target = max(line.Target, version)
		pending[version] = true
	}
	slices.Sort(applied)
	for _, version := range applied {
		line.Version = version
		delete(pending, version)
		if _, ok := known[version]; !ok {
			line.Unknown = append(line.Unknown, strconv.FormatInt(version, 10))
		}
	}
	for version := range pending {
		line.Pending = append(line.Pending, known[version])
	}
	slices.Sort(line.Pending)
	return line
}
