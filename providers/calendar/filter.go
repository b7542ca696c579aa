package calendar

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

const (
	maxDepth     = 4        // VCALENDAR, VTIMEZONE, STANDARD, and one to spare
	maxLineBytes = 64 << 10 // unfolded; long lists of exceptions are one line
	maxNameBytes = 512      // of a line's name and parameters
)

var errNotCalendar = errors.New("there is no iCalendar feed at the address")

// Components and properties that say when a calendar is busy.
var (
	components = []string{"VCALENDAR", "VEVENT", "VTIMEZONE", "STANDARD", "DAYLIGHT"}
	properties = []string{
		"UID", "DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "STATUS", "TRANSP",
		"X-MICROSOFT-CDO-BUSYSTATUS", "TZID", "TZOFFSETTO", "TZOFFSETFROM",
	}
)

// filter returns the relevant lines of a feed, unfolded. The others (texts, pictures, alarms, extensions) are most of a
// feed, and the parser might fail on them.
func filter(text []byte) ([]byte, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	var out bytes.Buffer
	var open []string
	for line := range unfolded(text) {
		name, value := split(line)
		switch {
		case name == "BEGIN":
			if len(open) == maxDepth || len(open) == 0 && value != "VCALENDAR" {
				return nil, errNotCalendar
			}
			open = append(open, value)
		case len(open) == 0: // before, between or after calendars
			if len(line) > 0 && out.Len() == 0 {
				return nil, errNotCalendar
			}
			continue
		case name == "END" && open[len(open)-1] != value:
			return nil, errNotCalendar
		}
		if wanted(name, open) {
			out.WriteString(name)
			out.Write(line[len(name):])
			out.WriteString("\r\n")
		}
		if name == "END" {
			open = open[:len(open)-1]
		}
	}
	if out.Len() == 0 || len(open) > 0 {
		return nil, errNotCalendar
	}
	return out.Bytes(), nil
}

func wanted(name string, open []string) bool {
	for _, component := range open {
		if !slices.Contains(components, component) {
			return false
		}
	}
	return name == "BEGIN" || name == "END" || slices.Contains(properties, name)
}

// unfolded yields the lines of a feed, each with its continuations; lines that are too long are left out.
func unfolded(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var line []byte
		for piece := range bytes.Lines(text) {
			piece = bytes.TrimRight(piece, "\r\n")
			if len(piece) > 0 && (piece[0] == ' ' || piece[0] == '\t') {
				if len(line) <= maxLineBytes { // a longer one is dropped anyway
					line = append(line, piece[1:]...)
				}
				continue
			}
			if len(line) <= maxLineBytes && !yield(line) {
				return
			}
			line = append([]byte(nil), piece...)
		}
		if len(line) <= maxLineBytes {
			yield(line)
		}
	}
}

// split returns the name of a line in upper case, without its parameters, and its value if both are short words.
// Invalid lines have no name.
func split(line []byte) (name, value string) {
	colon, quoted := -1, false
	for i, c := range line[:min(len(line), maxNameBytes)] {
		if c == '"' {
			quoted = !quoted
		}
		if c == ':' && !quoted {
			colon = i
			break
		}
	}
	if colon < 1 || bytes.ContainsFunc(line[:colon], func(r rune) bool { return r < ' ' }) {
		return "", ""
	}
	name, _, _ = strings.Cut(string(line[:colon]), ";")
	return strings.ToUpper(name), strings.ToUpper(strings.TrimSpace(string(line[colon+1 : min(len(line), colon+1+32)])))
}
