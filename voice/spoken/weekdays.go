package spoken

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	dayJoint   = regexp.MustCompile(`^(?: ?[-—&+/] ?| (?:t/m|tot en met|tot|to|through|thru|until|bis|en|and|und|of|or|oder) |, ?(?:(?:en|and|und|or|of|oder) )?)`)
	rangeJoint = regexp.MustCompile(`^ ?[-—] ?$| (?:t/m|tot en met|tot|to|through|thru|until|bis) `)
	hoursOpen  = regexp.MustCompile(`^:? ?\d{1,2}(?:[:.]\d{2})?(?: ?(?:uur|u\b\.?|Uhr|h\b|[AaPp]\.?[Mm]\b\.?))? ?(?:-|tot|t/m|bis|to|until|till) ?` +
		`\d{1,2}(?:[:.]\d{2})?(?: ?(?:uur|u\b|Uhr|h\b|[AaPp]\.?[Mm]\b)|[,;.]|$)|^:? \d{1,2}:\d{2}|^,? \d{1,2}[-/.]\d{1,2}\b|` +
		`^:? (?:gesloten|dicht|closed|geschlossen)`)
	monthBehind = regexp.MustCompile(`^,? (?:\d{1,2}(?:st|nd|rd|th|e|\.)? )?(\p{L}+)`)
	workWeek    = regexp.MustCompile(`^M-F(?: \d|:)`)
)

// weekdays are the names of a language's days.
type weekdays struct {
	names   map[string]string // by name and abbreviation in lower case, without full stop
	words   string            // abbreviations that are also words, between spaces
	through string            // between the first day and the last
	small   bool              // they are written without capitals
}

// weekdaysOf takes the names from Monday on, and abbreviations in the same order; _ is none.
func weekdaysOf(full, short, words, through string) weekdays {
	days := strings.Fields(full)
	w := weekdays{map[string]string{}, " " + words + " ", through, strings.ToLower(full) == full}
	for i, name := range strings.Fields(full + " " + short) {
		if name != "_" {
			w.names[strings.ToLower(name)] = days[i%7]
		}
	}
	return w
}

// readWeekdays reads "Mon-Fri", "za en zo" and "wo 3 jan.".
func readWeekdays(t token) (string, int) {
	w := t.language.weekdays
	if t.language.decimal == '.' && workWeek.MatchString(t.text) {
		return w.names["mon"] + " " + w.through + " " + w.names["fri"], len("M-F")
	}
	words, length := w.day(t.text)
	if length == 0 {
		return "", 0
	}
	first, last := t.text[:length], words
	sure := !w.isWord(first) || !w.small && !strings.EqualFold(first, "so")
	for {
		joint := dayJoint.FindString(t.text[length:])
		name, size := w.day(t.text[length+len(joint):])
		if joint == "" || size == 0 || strings.EqualFold(name, last) {
			break
		}
		words += w.joined(joint, t.language.and) + name
		abbreviation := t.text[length+len(joint):][:size]
		sure = sure || strings.HasSuffix(first, ".") || !w.isWord(abbreviation) || rangeJoint.MatchString(joint)
		length += len(joint) + size
		last = name
	}
	if length == len(first) && !t.isWeekday(first, words) || length > len(first) && !sure && !t.dayFollows(length) {
		return "", 0
	}
	return words, length
}

// day returns the name of the day that text begins with, and the length of its abbreviation with the full stop.
func (w weekdays) day(text string) (string, int) {
	size := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if size < 0 {
		size = len(text)
	}
	word := text[:size]
	name, known := w.names[strings.ToLower(word)]
	if !known || startsWord(text[size:]) || !w.small && word[0] >= 'a' {
		return "", 0
	}
	if strings.HasPrefix(text[size:], ".") && !strings.EqualFold(word, name) {
		size++
	}
	return capitalLike(word, name), size
}

// isWeekday reports whether an abbreviation without other days is one. Those that are also words need evidence behind them.
func (t token) isWeekday(short, name string) bool {
	w, behind := t.language.weekdays, t.text[len(short):]
	word := strings.ToLower(strings.TrimSuffix(short, "."))
	if strings.EqualFold(word, name) {
		return false // nothing to read
	}
	if !w.isWord(short) || t.dayFollows(len(short)) {
		return true
	}
	return word != "fr" && !w.small && len(word) < len(short) && strings.Trim(behind, " \"'”’»)") != ""
}

// isWord reports whether an abbreviation is also a word.
func (w weekdays) isWord(short string) bool {
	return strings.Contains(w.words, " "+strings.ToLower(strings.TrimSuffix(short, "."))+" ")
}

// dayFollows reports whether hours or a date stand behind so many bytes.
func (t token) dayFollows(length int) bool {
	if hoursOpen.MatchString(t.text[length:]) {
		return true
	}
	month := monthBehind.FindStringSubmatch(t.text[length:])
	return len(month) > 0 && t.language.monthNames[strings.ToLower(month[1])] > 0
}

// joined returns the words for what stands between two days.
func (w weekdays) joined(joint, and string) string {
	switch strings.Trim(joint, " ") {
	case "&", "+", "/":
		return " " + and + " "
	case ",":
		return ", "
	}
	if rangeJoint.MatchString(joint) {
		return " " + w.through + " "
	}
	return joint
}
