package db_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/ddl"
)

// large are the tables that grow with what customers do: what reads one of them under a lock stops calls.
var large = []string{
	"call", "call_turn", "call_tool_call", "contact", "event", "delivery_attempt", "delivery_queue", "scheduled_call", "mail", "sms",
	"knowledge_document", "knowledge_chunk", "knowledge_term", "knowledge_embedding",
}

// TestMigrationsOnlyAdd holds the rules of migrations/README.md: processes of the version before go on beside a migration and
// after it.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()

	names, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		if filepath.Base(name) != "0001_baseline.sql" { // before it there is nobody
			require.Empty(t, brokenRules(string(content)), name)
		}
		if filepath.Base(name) > "0034" { // some before it do
			require.Empty(t, holdsUp(string(content)), name)
		}
	}
}

// brokenRules says what a file of a migration does that it must not.
func brokenRules(file string) []string {
	var wrong []string
	own := map[string]bool{}
	for _, statement := range ddl.Parse(file) {
		if made, ok := strings.CutPrefix(statement.Text, "CREATE TABLE "); ok {
			own[strings.Fields(strings.TrimPrefix(made, "IF NOT EXISTS "))[0]] = true
		}
		harmless := len(statement.Effects) > 0
		for _, effect := range statement.Effects {
			harmless = harmless && own[effect.Table]
			if slow := effect.Work == ddl.Reads || effect.Work == ddl.Indexes || effect.Work == ddl.Rewrites; slow && !own[effect.Table] &&
				slices.Contains(large, effect.Table) && slices.Index(ddl.Locks, effect.Lock) >= slices.Index(ddl.Locks, ddl.Share) {
				wrong = append(wrong, statement.Text+": it "+string(effect.Work)+" while "+effect.Lock.Means())
			}
		}
		if statement.Breaks != "" && !harmless {
			wrong = append(wrong, statement.Text+": "+statement.Breaks)
		}
	}
	return wrong
}

// holdsUp says what a file of a migration does for long that others wait for, or that is done again from the start when it is cut off.
func holdsUp(file string) []string {
	var wrong []string
	own := map[string]bool{}
	locked, indexes := "", 0
	for _, statement := range ddl.Parse(file) {
		if made, ok := strings.CutPrefix(statement.Text, "CREATE TABLE "); ok {
			own[strings.Fields(strings.TrimPrefix(made, "IF NOT EXISTS "))[0]] = true
		}
		if concurrentIndex.MatchString(statement.Text) {
			if indexes++; indexes > 1 {
				wrong = append(wrong, statement.Text+": a second index")
			}
			continue
		}
		for _, effect := range statement.Effects {
			if own[effect.Table] {
				continue
			}
			if locked != "" && effect.Work != ddl.AtOnce {
				wrong = append(wrong, statement.Text+": it "+string(effect.Work)+" while nobody reads "+locked)
			}
			if effect.Lock == ddl.AccessExclusive {
				locked = effect.Table
			}
		}
	}
	return wrong
}

var concurrentIndex = regexp.MustCompile(`^CREATE (UNIQUE )?INDEX CONCURRENTLY`)

func TestHoldsUp(t *testing.T) {
	t.Parallel()
	for file, long := range map[string]bool{
		"ALTER TABLE call VALIDATE CONSTRAINT c; ALTER TABLE account ADD COLUMN a text;":                                   false,
		"ALTER TABLE account ADD COLUMN a text; ALTER TABLE call VALIDATE CONSTRAINT c;":                                   true,
		"ALTER TABLE account ADD COLUMN a text; UPDATE account SET a = '';":                                                true,
		"CREATE TABLE a (b text); INSERT INTO a SELECT name FROM account;":                                                 false,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY i ON call (id);":                                              false,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY i ON call (id); CREATE UNIQUE INDEX CONCURRENTLY j ON a (b);": true,
	} {
		require.Equal(t, long, len(holdsUp(file)) > 0, file)
	}
}

func TestBrokenRules(t *testing.T) {
	t.Parallel()
	for file, broken := range map[string]bool{
		"CREATE TABLE a (b text); CREATE INDEX i ON a (b); ALTER TABLE a ALTER COLUMN b SET NOT NULL;":     false,
		"ALTER TABLE call ADD COLUMN a text; ALTER TABLE call ADD CONSTRAINT c CHECK (a <> '') NOT VALID;": false,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY i ON call (id);":                              false,
		"CREATE INDEX i ON call (id);":                               true,
		"ALTER TABLE call ADD CONSTRAINT c CHECK (duration_ms > 0);": true,
		"ALTER TABLE account DROP COLUMN name;":                      true,
		"ALTER TABLE account ADD COLUMN a text NOT NULL;":            true,
		"DROP FUNCTION call_stage(text);":                            true,
	} {
		require.Equal(t, broken, len(brokenRules(file)) > 0, file)
	}
}

// TestLocksAreWhatIsSaid runs a statement of each kind and compares what it locks with what is said of it.
func TestLocksAreWhatIsSaid(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	exec(t, pool,
		`CREATE TABLE made (id uuid PRIMARY KEY); CREATE INDEX made_idx ON contact (id); ALTER TABLE contact ADD COLUMN made text;
		ALTER TABLE contact ADD CONSTRAINT made_check CHECK (made <> 'never') NOT VALID`)
	for _, text := range []string{
		"CREATE TABLE made_now (account_id uuid REFERENCES account (id), note text)",
		"ALTER TABLE contact ADD COLUMN a text NOT NULL DEFAULT '', ADD COLUMN b numeric(3, 1)",
		"ALTER TABLE contact ADD COLUMN c uuid REFERENCES made (id)",
		"ALTER TABLE contact ADD CONSTRAINT contact_d_check CHECK (made <> 'd') NOT VALID",
		"ALTER TABLE contact ADD FOREIGN KEY (id) REFERENCES made (id)",
		"ALTER TABLE contact DROP CONSTRAINT made_check",
		"ALTER TABLE contact VALIDATE CONSTRAINT made_check",
		"ALTER TABLE contact ALTER COLUMN made SET STATISTICS 200",
		"ALTER TABLE contact ALTER COLUMN made SET DEFAULT 'e'",
		"ALTER TABLE contact SET (fillfactor = 80)",
		"ALTER TABLE contact REPLICA IDENTITY FULL",
		"CREATE INDEX made_now_idx ON contact (made)",
		"DROP INDEX made_idx",
		"CREATE OR REPLACE TRIGGER made_trigger BEFORE UPDATE ON contact FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
		"CREATE STATISTICS made_statistics ON account_id, made FROM contact",
		"COMMENT ON TABLE contact IS 'who is called'",
		"CREATE OR REPLACE FUNCTION made() RETURNS int LANGUAGE sql RETURN 1",
		"UPDATE made SET id = id",
		"DROP TABLE made",
	} {
		said := map[string]ddl.Lock{}
		for _, planned := range plannedLocks(t, pool, text) {
			said[planned.Table] = strongest(said[planned.Table], planned.Lock)
		}
		require.Equal(t, locksOf(t, pool, text), said, text)
	}
}

func strongest(a, b ddl.Lock) ddl.Lock {
	if slices.Index(ddl.Locks, a) > slices.Index(ddl.Locks, b) {
		return a
	}
	return b
}

// plannedLocks are those of a migration of one statement.
func plannedLocks(t *testing.T, pool *pgxpool.Pool, text string) []db.PlannedLock {
	t.Helper()
	plan, err := db.PlanFiles(t.Context(), pool, fstest.MapFS{"9999_made.sql": {Data: []byte("-- +goose Up\n" + text + ";")}})
	require.NoError(t, err)
	require.Len(t, plan, 1)
	require.Len(t, plan[0].Statements, 1)
	require.False(t, plan[0].Statements[0].Unknown, text)
	return plan[0].Statements[0].Locks
}

// locksOf are the strongest locks that a statement takes of tables that were there before, without those of readers.
func locksOf(t *testing.T, pool *pgxpool.Pool, text string) map[string]ddl.Lock {
	t.Helper()
	rows, err := pool.Query(t.Context(),
		"SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
	require.NoError(t, err)

	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	names := map[uint32]string{}
	var oid uint32
	var table, mode string
	rows, err = tx.Query(t.Context(), "SELECT oid, oid::regclass::text FROM pg_class WHERE oid = ANY ($1)", tables)
	require.NoError(t, err)
	_, err = pgx.ForEachRow(rows, []any{&oid, &table}, func() error {
		names[oid] = table
		return nil
	})
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), text)
	require.NoError(t, err, text)
	rows, err = tx.Query(t.Context(), "SELECT relation, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = ANY ($1)",
		tables)
	require.NoError(t, err)
	locks := map[string]ddl.Lock{}
	_, err = pgx.ForEachRow(rows, []any{&oid, &mode}, func() error {
		lock := ddl.Lock(strings.ToUpper(strings.TrimSpace(upper.ReplaceAllString(strings.TrimSuffix(mode, "Lock"), " $0"))))
		if slices.Index(ddl.Locks, lock) > slices.Index(ddl.Locks, ddl.RowShare) {
			locks[names[oid]] = strongest(locks[names[oid]], lock)
		}
		return nil
	})
	require.NoError(t, err)
	return locks
}

var upper = regexp.MustCompile("[A-Z]")

// TestPlan names what an empty database lacks, and changes nothing; a database of this version lacks nothing.
func TestPlan(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	plan, err := db.PlanMigrations(t.Context(), pool)
	require.NoError(t, err)
	require.Empty(t, plan)

	files := fstest.MapFS{"9999_made.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY made ON contact (id);\nGRANT SELECT ON contact TO public;")}}
	plan, err = db.PlanFiles(t.Context(), pool, files)
	require.NoError(t, err)
	require.Len(t, plan, 1)
	require.False(t, plan[0].Transaction)
	require.Equal(t, []db.PlannedLock{{Table: "contact", Lock: ddl.ShareUpdateExclusive, Work: ddl.Indexes,
		Bytes: plan[0].Statements[0].Locks[0].Bytes}},
		plan[0].Statements[0].Locks)
	require.True(t, plan[0].Statements[1].Unknown)

	exec(t, pool, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	plan, err = db.PlanMigrations(t.Context(), pool)
	require.NoError(t, err)
	require.Equal(t, "0001_baseline", plan[0].Name)
	require.Equal(t, "river", plan[len(plan)-1].Schema)
	var tables int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables))
	require.Zero(t, tables, "nothing was changed")
}
