package ddl

import (
	"regexp"
	"strings"
)

const name = `((?:"[^"]+"|[A-Za-z_][\w]*)(?:\.(?:"[^"]+"|[A-Za-z_][\w]*))?)`

// form is a kind of statement: what its text begins with, and what that says.
type form struct {
	begins *regexp.Regexp
	read   func(s *Statement, found []string, rest string)
}

func begins(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^` + strings.ReplaceAll(pattern, "<name>", name))
}

var references = regexp.MustCompile(`(?i)\bREFERENCES ` + name)

var forms = []form{
	// It locks the default partition too, and what any partition refers to.
	{begins(`CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?<name> PARTITION OF `),
		func(s *Statement, _ []string, _ string) { s.Unknown = true }},
	{begins(`CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?<name>`),
		func(s *Statement, found []string, rest string) { s.refers(found[1], rest) }},
	{begins(`CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?<name> ON (?:ONLY )?<name>`),
		func(s *Statement, found []string, _ string) {
			s.add(found[2], ShareUpdateExclusive, Indexes)
		}},
	{begins(`CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?<name> ON (?:ONLY )?<name>`), func(s *Statement, found []string, _ string) {
		s.add(found[2], Share, Indexes)
	}},
	{begins(`DROP INDEX CONCURRENTLY (?:IF EXISTS )?<name>`), func(s *Statement, found []string, _ string) {
		s.Effects = append(s.Effects, Effect{found[1], true, ShareUpdateExclusive, AtOnce})
	}},
	{begins(`DROP INDEX (?:IF EXISTS )?`), func(s *Statement, _ []string, rest string) {
		for _, index := range list(rest) {
			s.Effects = append(s.Effects, Effect{index, true, AccessExclusive, AtOnce})
		}
	}},
	{begins(`ALTER TABLE (?:IF EXISTS )?(?:ONLY )?<name> `), func(s *Statement, found []string, rest string) {
		for _, action := range list(rest) {
			s.alter(found[1], action)
		}
	}},
	{begins(`CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER \S+ .*? ON <name>`), func(s *Statement, found []string, _ string) {
		s.add(found[1], ShareRowExclusive, AtOnce)
	}},
	{begins(`DROP TRIGGER (?:IF EXISTS )?\S+ ON <name>`), func(s *Statement, found []string, _ string) {
		s.add(found[1], AccessExclusive, AtOnce)
	}},
	{begins(`CREATE STATISTICS .* FROM <name>`), func(s *Statement, found []string,
		_ string) {
		s.add(found[1], ShareUpdateExclusive, AtOnce)
	}},
	{begins(`COMMENT ON TABLE <name>`), func(s *Statement, found []string,
		_ string) {
		s.add(found[1], ShareUpdateExclusive, AtOnce)
	}},
	{begins(`COMMENT ON COLUMN ([A-Za-z_]\w*)\.`), func(s *Statement, found []string,
		_ string) {
		s.add(found[1], ShareUpdateExclusive, AtOnce)
	}},
	{begins(`INSERT INTO <name>`), func(s *Statement, found []string, _ string) { s.add(found[1], RowExclusive, Rows) }},
	{begins(`UPDATE (?:ONLY )?<name>`), func(s *Statement, found []string, _ string) { s.add(found[1], RowExclusive, Rows) }},
	{begins(`DELETE FROM (?:ONLY )?<name>`), func(s *Statement, found []string, _ string) { s.add(found[1], RowExclusive, Rows) }},
	{begins(`(?:DROP TABLE (?:IF EXISTS )?|TRUNCATE (?:TABLE )?)<name>`), func(s *Statement, found []string, _ string) {
		s.add(found[1], AccessExclusive, AtOnce)
		s.Breaks = "it takes away what the version before reads"
	}},
	{begins(`DROP (?:FUNCTION|PROCEDURE|VIEW|MATERIALIZED VIEW|TYPE|SEQUENCE|SCHEMA) `), func(s *Statement, _ []string, _ string) {
		s.Breaks = "it takes away what the version before calls"
	}},
	{begins(`(?:SET|RESET|COMMENT ON|CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|VIEW|TYPE|EXTENSION|SEQUENCE|SCHEMA)) `),
		func(*Statement, []string, string) {}},
}

// Read says what a statement does.
func Read(text string) Statement {
	s := Statement{Text: text}
	for _, one := range forms {
		if found := one.begins.FindStringSubmatch(text); found != nil {
			one.read(&s, found, text[len(found[0]):])
			return s
		}
	}
	s.Unknown = true
	return s
}

// add notes an effect, or a stronger one on the same table.
func (s *Statement) add(table string, lock Lock, work Work) {
	s.Effects = append(s.Effects, Effect{Table: strings.Trim(table, `"`), Lock: lock, Work: work})
}

// refers notes the tables that foreign keys lead to: their triggers are made there too.
func (s *Statement) refers(from, text string) {
	seen := map[string]bool{from: true}
	for _, found := range references.FindAllStringSubmatch(text, -1) {
		if !seen[found[1]] {
			seen[found[1]] = true
			s.add(found[1], ShareRowExclusive, AtOnce)
		}
	}
}
