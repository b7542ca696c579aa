// Package ddl says what statements of migrations do to those who work meanwhile: which tables they lock and how, what they do
// under the lock, and whether processes of the version before go on. It knows the statements that migrations are made of, not all
// of SQL, and no database.
package ddl

// Lock is the strongest lock that a statement takes, by the name that Postgres gives it.
type Lock string

// The locks that statements of migrations take, the weakest first.
const (
	RowShare             Lock = "ROW SHARE"
	RowExclusive         Lock = "ROW EXCLUSIVE"
	ShareUpdateExclusive Lock = "SHARE UPDATE EXCLUSIVE"
	Share                Lock = "SHARE"
	ShareRowExclusive    Lock = "SHARE ROW EXCLUSIVE"
	AccessExclusive      Lock = "ACCESS EXCLUSIVE"
)

// Locks are all of them, the weakest first.
var Locks = []Lock{RowShare, RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, AccessExclusive}

// Means says in words who waits.
func (l Lock) Means() string {
	switch l {
	case AccessExclusive:
		return "nobody reads or writes it meanwhile"
	case Share, ShareRowExclusive:
		return "nobody writes it meanwhile"
	default:
		return "readers and writers go on"
	}
}

// Work is what happens under the lock.
type Work string

// What a statement may have to do.
const (
	AtOnce   Work = "at once"
	Reads    Work = "reads it all"
	Indexes  Work = "reads and sorts it all"
	Rewrites Work = "writes it anew"
	Rows     Work = "moves rows, which stay locked until the file is over"
)

// Effect is what a statement does to a table, which it may name by an index.
type Effect struct {
	Table string
	Index bool // Table names an index of the table
	Lock  Lock
	Work  Work
}

// Statement is a statement of a migration.
type Statement struct {
	Text    string
	Effects []Effect
	Unknown bool   // it may do anything
	Breaks  string // why processes of the version before do not go on; empty: they do
}

// Parse reads the statements of a file.
func Parse(file string) []Statement {
	var all []Statement
	for _, text := range Split(file) {
		all = append(all, Read(text))
	}
	return all
}
