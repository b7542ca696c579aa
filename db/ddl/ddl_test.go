package ddl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/ddl"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"CREATE TABLE a ( b text DEFAULT 'x;--y' )",
		"CREATE FUNCTION f() RETURNS void AS $$ BEGIN; END; $$ LANGUAGE plpgsql", "SET x = 1"},
		ddl.Split("-- What; it is for.\n\n-- +goose Up\nCREATE TABLE a (\n    b text DEFAULT 'x;--y' -- c;\n);\n/* ; */"+
			"-- +goose StatementBegin\nCREATE FUNCTION f() RETURNS void AS $$\nBEGIN;\nEND; $$ LANGUAGE plpgsql;\n-- +goose StatementEnd\nSET x = 1"))
}

func TestRead(t *testing.T) {
	t.Parallel()
	on := func(table string, lock ddl.Lock, work ddl.Work) ddl.Effect {
		return ddl.Effect{Table: table, Lock: lock, Work: work}
	}
	for text, want := range map[string]ddl.Statement{
		"SET lock_timeout = 0":     {},
		"CREATE TABLE a (id uuid)": {},
		"GRANT ALL ON a TO b":      {Unknown: true},
		"DO $$ BEGIN END $$":       {Unknown: true},
		"CREATE TABLE a (b uuid REFERENCES account (id), c uuid REFERENCES account)": {Effects: []ddl.Effect{on("account",
			ddl.ShareRowExclusive, ddl.AtOnce)}},
		"CREATE TABLE a PARTITION OF event DEFAULT": {Unknown: true},
		"CREATE UNIQUE INDEX i ON call (a, b)": {Effects: []ddl.Effect{on("call", ddl.Share,
			ddl.Indexes)}},
		"CREATE INDEX CONCURRENTLY i ON call (a)": {Effects: []ddl.Effect{on("call",
			ddl.ShareUpdateExclusive, ddl.Indexes)}},
		"DROP INDEX CONCURRENTLY IF EXISTS i": {Effects: []ddl.Effect{{Table: "i", Index: true,
			Lock: ddl.ShareUpdateExclusive, Work: ddl.AtOnce}}},
		"ALTER TABLE call ADD COLUMN a text NOT NULL DEFAULT 'b, c', ADD b numeric(3, 1)": {
			Effects: []ddl.Effect{on("call", ddl.AccessExclusive, ddl.AtOnce), on("call", ddl.AccessExclusive, ddl.AtOnce)}},
		"ALTER TABLE call ADD COLUMN a text NOT NULL": {
			Effects: []ddl.Effect{on("call", ddl.AccessExclusive, ddl.AtOnce)},
			Breaks:  "the version before writes no value into the column"},
		"ALTER TABLE call ADD COLUMN a uuid DEFAULT gen_random_uuid()": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.Rewrites)}},
		"ALTER TABLE call ADD CONSTRAINT c CHECK (a > 0) NOT VALID": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.AtOnce)}},
		"ALTER TABLE ONLY call VALIDATE CONSTRAINT c": {Effects: []ddl.Effect{on("call", ddl.ShareUpdateExclusive,
			ddl.Reads)}},
		"ALTER TABLE call DROP COLUMN a": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.AtOnce)}, Breaks: "the version before reads and writes the column"},
		"ALTER TABLE call RENAME COLUMN a TO b": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.AtOnce)}, Breaks: "the version before knows it by its old name"},
		"ALTER TABLE call ALTER COLUMN a SET NOT NULL": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.Reads)}, Breaks: "the version before may write no value"},
		"ALTER TABLE call SET (fillfactor = 50)": {Effects: []ddl.Effect{on("call", ddl.ShareUpdateExclusive,
			ddl.AtOnce)}},
		"ALTER TABLE call OWNER TO somebody": {Unknown: true},
		"UPDATE call SET a = b":              {Effects: []ddl.Effect{on("call", ddl.RowExclusive, ddl.Rows)}},
		"DROP TABLE call": {Effects: []ddl.Effect{on("call", ddl.AccessExclusive,
			ddl.AtOnce)}, Breaks: "it takes away what the version before reads"},
		"CREATE TRIGGER t AFTER INSERT OR UPDATE OF a ON call FOR EACH ROW WHEN (true) EXECUTE FUNCTION f()": {Effects: []ddl.Effect{on("call", ddl.ShareRowExclusive, ddl.AtOnce)}},
	} {
		want.Text = text
		require.Equal(t, want, ddl.Read(text), text)
	}
}
