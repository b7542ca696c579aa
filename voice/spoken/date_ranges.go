package spoken

import (
	"regexp"
	"strings"
)

var (
	daysFirst = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)? ?(?:-|to|until|through) ?(\d{1,2})(?:st|nd|rd|th)? (?:of )?(\p{L}+)\b`)
	daysLast  = regexp.MustCompile(`^(\p{L}+)\.? (\d{1,2})(?:st|nd|rd|th)? ?(?:-|to|until|through) ?(\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?`)
)

var monthsJoined = regexp.MustCompile(`^(\p{L}+)\.? ?(?:-| t/m | tot | to | through | until | bis ) ?(\p{L}+)\b\.?`)

// readMonths reads "Jan-Mar".
func readMonths(t token) (string, int) {
	f := monthsJoined.FindStringSubmatch(t.text)
	if f == nil {
		return "", 0
	}
	from, last := t.language.monthNames[strings.ToLower(f[1])], t.language.monthNames[strings.ToLower(f[2])]
	if from == 0 || last == 0 {
		return "", 0
	}
	return t.language.months[from-1] + " " + t.language.weekdays.through + " " + t.language.months[last-1], len(f[0])
}

// readDateRange reads "3-5 June" and "June 3-5, 2026" in English, whose days are ordinals. Elsewhere a range of days is one of
// numbers.
func readDateRange(t token) (string, int) {
	if t.language.decimal != '.' {
		return "", 0
	}
	if f := daysFirst.FindStringSubmatch(t.text); f != nil {
		return t.dateRange(f[3], f[1], f[2], "", len(f[0]))
	}
	if f := daysLast.FindStringSubmatch(t.text); f != nil {
		return t.dateRange(f[1], f[2], f[3], f[4], len(f[0]))
	}
	return "", 0
}

func (t token) dateRange(name, first, last, written string, length int) (string, int) {
	month, known := t.language.monthNames[strings.ToLower(name)]
	from, _, begins := date(first, "1")
	to, _, ends := date(last, "1")
	if !known || name == strings.ToLower(name) || !begins || !ends || from >= to {
		return "", 0
	}
	year := ""
	if written != "" {
		year = ", " + englishYear(fullYear(written))
	}
	if t.language.monthFirst {
		return englishMonths[month-1] + " " + englishOrdinal(from) + " to " + englishOrdinal(to) + year, length
	}
	return "the " + englishOrdinal(from) + " to the " + englishOrdinal(to) + " of " + englishMonths[month-1] + year, length
}
