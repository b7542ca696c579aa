package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
)

const (
	templatePrefix = "callwright_template_" // + hash of the schema
	ownPrefix      = "callwright_test_"     // + unix time + random: dropped after a test or, the shared one, by a later process
	// sharedSize bounds the tests that hold a transaction at once. Tests that wait for their parallel turn hold theirs.
	sharedSize = 100
	// abandonedAfter is when a test's database on a given server must be a leftover of a killed process.
	abandonedAfter = 6 * time.Hour
)

// server is a Postgres with a template database of the current schema.
type server struct {
	admin    *pgxpool.Pool
	template string
	shared   func() (*pgxpool.Pool, error) // one database of this process
}

// openGiven uses a server that somebody else runs. Several processes may do so at once.
func openGiven(ctx context.Context, url string) (*server, error) {
	return open(ctx, url, abandonedAfter)
}

// open connects to a server and prepares it. Databases of tests that are older than leftover are dropped.
func open(ctx context.Context, url string, leftover time.Duration) (*server, error) {
	hash, err := schemaHash(moduleFiles)
	if err != nil {
		return nil, err
	}
	admin, err := db.Open(ctx, url, 4)
	if err != nil {
		return nil, err
	}
	s := &server{admin: admin, template: templatePrefix + hash}
	s.shared = sync.OnceValues(s.makeShared)
	if err := errors.Join(s.prepare(ctx), s.dropAbandoned(ctx, leftover)); err != nil {
		admin.Close()
		return nil, err
	}
	return s, nil
}

// makeShared makes the database of Tx. It is new in every process, in case a test commits what it should not.
func (s *server) makeShared() (*pgxpool.Pool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit) // no test's: all of them share it
	defer cancel()
	name := newName()
	if _, err := s.admin.Exec(ctx, copyOf(s.template, name)); err != nil {
		return nil, fmt.Errorf("create shared test database: %w", err)
	}
	return db.Open(context.Background(), withSetting(s.url(name), "idle_in_transaction_session_timeout=0"), sharedSize)
}

// withSetting is a database URL with a setting: tests hold transactions for as long as they like.
func withSetting(url, setting string) string {
	switch {
	case !strings.Contains(url, "://"):
		return url + " " + setting
	case strings.Contains(url, "?"):
		return url + "&" + setting
	}
	return url + "?" + setting
}

func newName() string {
	return ownPrefix + strconv.FormatInt(time.Now().Unix(), 10) + "_" + strings.ToLower(rand.Text())
}

// url is that of another database of the server. The driver hands out what it parsed, so the rest is kept as it was.
func (s *server) url(database string) string {
	original := s.admin.Config().ConnString()
	if !strings.Contains(original, "://") {
		return original + " dbname=" + database // the last one counts
	}
	base, query, hasQuery := strings.Cut(original, "?")
	scheme, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	url := scheme + "://" + host + "/" + database
	if hasQuery {
		url += "?" + query
	}
	return url
}

// prepare makes the template when it is missing, in one process at a time. It appears complete or not at all.
func (s *server) prepare(ctx context.Context) (err error) {
	conn, err := s.admin.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to test database server: %w", err)
	}
	defer conn.Release()
	const lock = 0x6477746573740001
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lock)); err != nil {
		return fmt.Errorf("lock test templates: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lock))
		err = errors.Join(err, unlockErr)
	}()

	if there, err := s.exists(ctx, s.template); err != nil || there {
		return err
	}
	building := s.template + "_new"
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + building, "CREATE DATABASE " + building} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("make test template: %w", err)
		}
	}
	if err := s.migrate(ctx, building); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+building+" RENAME TO "+s.template); err != nil {
		return fmt.Errorf("finish test template: %w", err)
	}
	return nil
}

func (s *server) migrate(ctx context.Context, database string) error {
	pool, err := db.Open(ctx, s.url(database), 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	return db.Migrate(ctx, pool)
}

func (s *server) exists(ctx context.Context, database string) (bool, error) {
	var there bool
	err := s.admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database).Scan(&there)
	if err != nil {
		return false, fmt.Errorf("look for test database: %w", err)
	}
	return there, nil
}

// copyOf copies files, which takes half the time of writing every page to the log.
func copyOf(template, database string) string {
	return "CREATE DATABASE " + database + " TEMPLATE " + template + " STRATEGY FILE_COPY"
}

// database makes a database for one test and returns its URL.
func (s *server) database(tb testing.TB) string {
	tb.Helper()
	name := newName()
	_, err := s.admin.Exec(tb.Context(), copyOf(s.template, name))
	require.NoError(tb, err, "create test database")
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			tb.Errorf("drop test database: %v", err)
		}
	})
	return s.url(name)
}

func (s *server) drop(ctx context.Context, database string) error {
	_, err := s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{database}.Sanitize()+" WITH (FORCE)")
	return err
}

// dropAbandoned drops the databases that killed processes left, and the shared ones of all.
func (s *server) dropAbandoned(ctx context.Context, age time.Duration) error {
	return s.dropWhere(ctx, ownPrefix, func(name string) bool {
		text, _, _ := strings.Cut(strings.TrimPrefix(name, ownPrefix), "_")
		made, err := strconv.ParseInt(text, 10, 64)
		return err == nil && time.Since(time.Unix(made, 0)) >= age
	})
}

// dropOtherTemplates drops the templates of earlier schemas. Only who has the server to himself may do so.
func (s *server) dropOtherTemplates(ctx context.Context) error {
	return s.dropWhere(ctx, templatePrefix, func(name string) bool { return name != s.template })
}

func (s *server) dropWhere(ctx context.Context, prefix string, unwanted func(name string) bool) error {
	rows, err := s.admin.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix)
	if err != nil {
		return fmt.Errorf("list test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list test databases: %w", err)
	}
	for _, name := range names {
		if !unwanted(name) {
			continue
		}
		if err := s.drop(ctx, name); err != nil {
			return fmt.Errorf("drop old test database: %w", err)
		}
	}
	return nil
}
