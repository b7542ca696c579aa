package spoken

import (
	"regexp"
	"slices"
	"strings"
)

var (
	isoDate     = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})\b`)
	numericDate = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})([-/.])['’]?(\d{4}|\d{2})\b`)
	shortDate   = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})(\.?)`)
	dayFirst    = regexp.MustCompile(`^(\d{1,2})(st|nd|rd|th|e|\.)? (?:of )?(\p{L}+)(\.?)(?:,? (?:(\d{4})|['’](\d{2}))\b)?`)
	monthFirst  = regexp.MustCompile(`^(\p{L}+)(\.?) (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?:(\d{4})|['’](\d{2}))\b)?`)
	clockTime   = regexp.MustCompile(`^(\d{1,2})([:.uh])(\d{2})(?::(\d{2}))?`)
	wholeHour   = regexp.MustCompile(`^(\d{1,2})`)
	halfOfDay   = regexp.MustCompile(`^ ?([AaPp])(?:\.[Mm]\.|[Mm]\b)`)
	timeRange   = regexp.MustCompile(`^\d{1,2}\.\d{2} ?(?:[-–]|tot|t/m|en|bis|und) ?\d{1,2}(?:\.\d{2})? ?(?:uur|u\b|Uhr)`)
	dashedEnd   = regexp.MustCompile(`^ (?:t/m|tot) \d{1,2}-\d{1,2}\b`)
	hourBefore  = regexp.MustCompile(`(?:[Vv]an|[Vv]on|dag|tag|\b(?:[Mm]a|[Dd]i|[Ww]o|[Dd]o|[Vv]r|[Zz]a|[Zz]o|M[oi]|Fr|S[ao])\.?):? \d{1,2}\.\d{2} ?(?:uur|Uhr)? ?(?:-|tot|bis|t/m) ?$`)
	pointRange  = regexp.MustCompile(`^\d{1,2}\.\d{2} ?(?:-|tot|t/m|bis) ?\d`)
	hourWord    = regexp.MustCompile(`^ ?(?:uur|u\b\.?|Uhr|h\b|hrs?\b)`)
)

func date(day, month string) (d, m int64, ok bool) {
	d, _ = whole(day)
	m, _ = whole(month)
	return d, m, d >= 1 && d <= 31 && m >= 1 && m <= 12
}

func fullYear(written string) int64 {
	year, _ := whole(written)
	switch {
	case len(written) != 2:
		return year
	case year < 70:
		return 2000 + year
	default:
		return 1900 + year
	}
}

// readDate reads a date that begins with digits.
func readDate(t token) (string, int) {
	if f := isoDate.FindStringSubmatch(t.text); f != nil {
		if day, month, ok := date(f[3], f[2]); ok {
			return t.language.date(t, day, month, fullYear(f[1])), len(f[0])
		}
	}
	if f := numericDate.FindStringSubmatch(t.text); len(f) > 0 && f[2] == f[4] && !goesOnInDigits(t.text[len(f[0]):]) {
		if day, month, ok := t.ordered(f[1], f[3], f[2]); ok {
			return t.language.date(t, day, month, fullYear(f[5])), len(f[0])
		}
	}
	if f := shortDate.FindStringSubmatch(t.text); f != nil && t.isShortDate(f) {
		if day, month, ok := t.ordered(f[1], f[3], f[2]); ok {
			length := len(f[0])
			if f[2] != "." { // a full stop is the sentence's
				length -= len(f[4])
			}
			return t.language.date(t, day, month, 0), length
		}
	}
	return t.dayAndMonth()
}

// ordered tells day and month of a date in digits apart. Only slashes are written with the month first.
func (t token) ordered(first, second, mark string) (day, month int64, ok bool) {
	if t.language.monthFirst && mark == "/" {
		if day, month, ok = date(second, first); ok {
			return day, month, true
		}
	}
	return date(first, second)
}

// isShortDate reports whether 3/4 or 3.4. is a date: other words and marks decide, since it may be a fraction or a number.
func (t token) isShortDate(found []string) bool {
	behind := t.text[len(found[0]):]
	if startsWord(behind) || strings.HasPrefix(behind, "/") {
		return false
	}
	ordered := slices.Contains(t.language.dateWords, t.previous())
	switch found[2] {
	case ".":
		return t.language == &german && found[4] == "." && t.previous() != "version"
	case "-":
		return t.language == &dutch && t.isDashedDate(behind)
	}
	if first, _ := whole(found[1]); first > 12 && t.language.fractions[found[1]+"/"+found[3]] == "" {
		return true
	}
	second, _ := whole(found[3])
	return ordered || found[1][0] == '0' || found[3][0] == '0' || t.language.monthFirst && second > 12 // no fraction of anything
}

// goesOnInDigits reports whether more of a number follows, such as a telephone's.
func goesOnInDigits(behind string) bool {
	return len(behind) > 1 && strings.IndexByte("-/.", behind[0]) >= 0 && isDigit(behind[1])
}

// isDashedDate reports whether 3-12 is a date, rather than hours or a number of things.
func (t token) isDashedDate(behind string) bool {
	before := strings.TrimRight(t.previous(), ".,:")
	_, day := t.language.weekdays.names[before]
	return (day || before == "op" || before == "t/m" || dashedEnd.MatchString(behind)) && !hourWord.MatchString(behind)
}

// dayAndMonth reads "3 april 2026", "3. April" and "3rd of April".
func (t token) dayAndMonth() (string, int) {
	f := dayFirst.FindStringSubmatch(t.text)
	if len(f) == 0 || f[2] == "." && t.language != &german {
		return "", 0
	}
	name := strings.ToLower(f[3])
	month, known := t.language.monthNames[name]
	if !known || name == "may" && f[3] == "may" || name == "mar" && f[3] == "mar" {
		return "", 0
	}
	day, _, ok := date(f[1], "1")
	if !ok {
		return "", 0
	}
	length, year := len(f[0]), int64(0)
	if f[5]+f[6] != "" {
		year = fullYear(f[5] + f[6])
	} else if f[4] == "." && len(name) > 4 { // the full stop of a sentence
		length--
	}
	return t.language.date(t, day, int64(month), year), length
}

// readMonthFirst reads "April 3, 2026".
func readMonthFirst(t token) (string, int) {
	f := monthFirst.FindStringSubmatch(t.text)
	if f == nil || t.language.decimal != '.' || f[1][0] < 'A' || f[1][0] > 'Z' {
		return "", 0
	}
	month, known := t.language.monthNames[strings.ToLower(f[1])]
	day, _, ok := date(f[3], "1")
	if !known || !ok {
		return "", 0
	}
	year := int64(0)
	if f[4]+f[5] != "" {
		year = fullYear(f[4] + f[5])
	}
	return americanDate(t, day, int64(month), year), len(f[0])
}

// readTime reads "14:30", "14.30 uur", "2 p.m.", "14u30".
func readTime(t token) (string, int) {
	f := clockTime.FindStringSubmatch(t.text)
	if f == nil {
		return t.readHour()
	}
	hour, _ := whole(f[1])
	minute, _ := whole(f[3])
	length := len(f[0])
	word := hourWord.FindString(t.text[length:])
	half := halfOfDay.FindStringSubmatch(t.text[length:])
	isPoint := f[2] == "." && half == nil && (t.language.decimal == '.' && !t.atPointedTime(f[0], minute) ||
		t.language.decimal == ',' && word == "" && !t.atTime())
	if hour > 24 || minute > 59 || isPoint || startsWord(t.text[length:]) && word == "" && half == nil {
		return "", 0
	}
	words, used := t.clockWords(hour, minute, half, word)
	if seconds, ok := whole(f[4]); ok && f[4] != "" {
		if kind, known := t.language.units["s"]; known && seconds > 0 {
			words += " " + t.language.and + " " + t.language.counted(seconds) + " " + pick(seconds == 1, kind.one, kind.many)
		}
	}
	return words, length + used
}

// atTime reports whether what stands before or behind 9.30 says that it is a time.
func (t token) atTime() bool {
	if timeRange.MatchString(t.text) || hourBefore.MatchString(t.before) {
		return true
	}
	before := strings.TrimRight(t.previous(), ":.")
	_, day := t.language.weekdays.names[before[strings.LastIndexByte(before, '-')+1:]]
	if (day || before == "van" || before == "von") && pointRange.MatchString(t.text) {
		return true
	}
	if amountBehind.MatchString(t.text) {
		return false
	}
	return slices.Contains(timeWords, before) || t.onDay(before) || t.besideTime()
}

// dayWords stand before a time that no other word announces: "morgen 7.30".
var dayWords = strings.Fields("vandaag morgen overmorgen vanochtend vanmorgen vanmiddag vanavond vannacht morgenochtend " +
	"morgenmiddag morgenavond ochtends middags avonds nachts heute übermorgen abend früh vormittag nachmittag mittag morgens " +
	"vormittags nachmittags abends today tomorrow tonight morning afternoon evening")

// shortWords are the days whose abbreviations are words, too.
var shortWords = strings.Fields("zo so sun sat")

// fullHour is a time that people meet at, as it is written behind a day: of other numbers few are in steps of five minutes.
var fullHour = regexp.MustCompile(`^(?:[01]?\d|2[0-3])\.[0-5][05]\b`)

// opening is said before the hours of a day.
var opening = regexp.MustCompile(`(?i)\b(?:hours|open|opening|closed)\b`)

// onDay reports whether the word before is a day and what follows it may be a time.
func (t token) onDay(before string) bool {
	_, weekday := t.language.weekdays.names[before[strings.LastIndexByte(before, '-')+1:]]
	day := weekday && !slices.Contains(shortWords, before) || slices.Contains(dayWords, strings.TrimPrefix(before, "'s-"))
	return day && fullHour.MatchString(t.text) && !goesOnInDigits(t.text[len(fullHour.FindString(t.text)):])
}

// earlier is a time before another: "om 7.30 uur of 8.15", "tomorrow 7.30 or Friday 8.15".
var earlier = regexp.MustCompile(`(\d{1,2})[.:](\d{2})(?: ?(?:uur|Uhr|u|h|[ap]\.?m\.?))?,? ` +
	`(?:of|or|oder|en|and|und|tot|bis|to|until)(?: \pL+)? ?$`)

// besideTime reports whether a time stands before, with a word between that joins both.
func (t token) besideTime() bool {
	found := earlier.FindStringSubmatchIndex(t.before)
	if found == nil || !fullHour.MatchString(t.text) {
		return false
	}
	first := token{t.Reader, t.before[:found[0]], t.before[found[0]:] + t.text}
	_, length := readTime(first)
	return length > 0
}

// timeWords stand before a time in Dutch and German, where no number has a point before its fraction.
var timeWords = strings.Fields("om tussen vanaf rond omstreeks tegen na vóór voor tot sinds uiterlijk " +
	"um gegen ab zwischen bis vor nach seit")

var (
	amountBehind = regexp.MustCompile(`^\d{1,2}\.\d{2} ?(?:[%€$£°]|(?:euro|dollar|pond|procent|graden|Euro|Dollar|Prozent|Grad|` +
		`euros|dollars|pounds|percent|degrees|points|million|billion|miles?|kilos?|pct|[kcm]?m|kg|x)\b)`)
	pointedRange = regexp.MustCompile(`^\d{1,2}\.\d{2} ?(?:to|and|until|till|-) ?\d{1,2}[.:]\d{2}`)
	pointedFrom  = regexp.MustCompile(`\b(?:[Ff]rom|[Bb]etween) \d{1,2}[.:]\d{2} ?(?:[ap]m )?(?:to|and|until|till|-) ?$`)
)

// atPointedTime reports whether 7.30 is a time in English, where points are for fractions, too: behind a word that times stand
// behind, at minutes that people meet.
func (t token) atPointedTime(written string, minute int64) bool {
	if len(written) < 4 || minute%5 != 0 || amountBehind.MatchString(t.text) || goesOnInDigits(t.text[len(written):]) {
		return false
	}
	switch t.previous() {
	case "at", "until", "till", "by", "before", "after", "around":
		return true
	case "from", "between":
		return pointedRange.MatchString(t.text)
	}
	if pointedRange.MatchString(t.text) && opening.MatchString(t.before) {
		return true
	}
	return pointedFrom.MatchString(t.before) || t.onDay(t.previous()) || t.besideTime()
}

// readHour reads "2 p.m." and "9u".
func (t token) readHour() (string, int) {
	f := wholeHour.FindStringSubmatch(t.text)
	hour, _ := whole(f[1])
	rest := t.text[len(f[0]):]
	word, half := hourWord.FindString(rest), halfOfDay.FindStringSubmatch(rest)
	english := t.language.decimal == '.'
	if hour > 24 || english && half == nil || !english && (word == "" || strings.TrimSpace(word) == "h") {
		return "", 0
	}
	words, used := t.clockWords(hour, 0, half, word)
	return words, len(f[0]) + used
}

// clockWords reads a time and the word behind it, which the clock of some languages says anyway.
func (t token) clockWords(hour, minute int64, half []string, word string) (words string, used int) {
	if half != nil && t.language.decimal == '.' {
		return t.language.clock(hour, minute, " "+strings.ToUpper(half[1])+" M"), len(half[0])
	}
	used = len(word)
	if t.language.oclock != "" && strings.HasSuffix(word, ".") { // of the sentence
		used--
	}
	return t.language.clock(hour, minute, ""), used
}
