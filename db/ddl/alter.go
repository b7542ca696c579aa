package ddl

import "regexp"

// action is a kind of what ALTER TABLE does.
type action struct {
	begins *regexp.Regexp
	lock   Lock
	work   Work
	breaks string
}

var (
	notValid    = regexp.MustCompile(`(?i)\bNOT VALID$`)
	usingIndex  = regexp.MustCompile(`(?i)\bUSING INDEX\b`)
	notNull     = regexp.MustCompile(`(?i)\bNOT NULL\b`)
	withDefault = regexp.MustCompile(`(?i)\bDEFAULT\b`)
	checked     = regexp.MustCompile(`(?i)\b(?:CHECK|UNIQUE|PRIMARY KEY|REFERENCES)\b`)
	generated   = regexp.MustCompile(`(?i)\b(?:GENERATED|(?:big|small)?serial|clock_timestamp|gen_random_uuid|random|nextval)\b`)
)

var actions = []action{
	{begins(`ADD (?:CONSTRAINT \S+ )?FOREIGN KEY`), ShareRowExclusive, Reads, ""},
	{begins(`ADD (?:CONSTRAINT \S+ )?CHECK`), AccessExclusive, Reads, ""},
	{begins(`ADD (?:CONSTRAINT \S+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)`), AccessExclusive, Indexes, ""},
	{begins(`VALIDATE CONSTRAINT`), ShareUpdateExclusive, Reads, ""},
	{begins(`DROP CONSTRAINT`), AccessExclusive, AtOnce, ""},
	{begins(`DROP (?:COLUMN )?`), AccessExclusive, AtOnce, "the version before reads and writes the column"},
	{begins(`RENAME`), AccessExclusive, AtOnce, "the version before knows it by its old name"},
	{begins(`ALTER (?:COLUMN )?\S+ (?:SET DATA )?TYPE`), AccessExclusive, Rewrites,
		"the version before reads and writes the old type"},
	{begins(`ALTER (?:COLUMN )?\S+ SET NOT NULL`), AccessExclusive, Reads, "the version before may write no value"},
	{begins(`ALTER (?:COLUMN )?\S+ DROP DEFAULT`), AccessExclusive, AtOnce, "the version before may write no value"},
	{begins(`ALTER (?:COLUMN )?\S+ SET (?:STATISTICS|\()`), ShareUpdateExclusive, AtOnce, ""},
	{begins(`ALTER (?:COLUMN )?\S+ (?:SET DEFAULT|DROP NOT NULL|SET STORAGE|SET COMPRESSION)`), AccessExclusive, AtOnce, ""},
	{begins(`REPLICA IDENTITY (?:FULL|DEFAULT)`), AccessExclusive, AtOnce, ""},
	{begins(`ATTACH PARTITION`), ShareUpdateExclusive, Reads, ""},
	{begins(`(?:ENABLE|DISABLE) (?:ALWAYS |REPLICA )?TRIGGER`), ShareRowExclusive, AtOnce, ""},
	{begins(`(?:SET|RESET) \(`), ShareUpdateExclusive, AtOnce, ""},
}

var addColumn = begins(`ADD (?:COLUMN )?(?:IF NOT EXISTS )?(?:"[^"]+"|\w+) `)

// alter notes what one action of ALTER TABLE does.
func (s *Statement) alter(table, text string) {
	for _, one := range actions {
		if !one.begins.MatchString(text) {
			continue
		}
		if notValid.MatchString(text) || usingIndex.MatchString(text) {
			one.work = AtOnce
		}
		s.add(table, one.lock, one.work)
		s.refers(table, text)
		if one.breaks != "" {
			s.Breaks = one.breaks
		}
		return
	}
	if addColumn.MatchString(text) {
		s.addColumn(table, text)
		return
	}
	s.Unknown = true
}

// addColumn notes a new column: its default stands in the catalog, unless it is another value in each row.
func (s *Statement) addColumn(table, text string) {
	work := AtOnce
	switch {
	case generated.MatchString(text):
		work = Rewrites
	case checked.MatchString(text):
		work = Reads
	}
	s.add(table, AccessExclusive, work)
	s.refers(table, text)
	if notNull.MatchString(text) && !withDefault.MatchString(text) && !generated.MatchString(text) {
		s.Breaks = "the version before writes no value into the column"
	}
}
