package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numeral is a number written in digits.
type numeral struct {
	whole, fraction string // digits; fraction is empty where there is none
	negative        bool
	grouped         bool // it is written as 1,234
	length          int
}

var (
	numberPattern = regexp.MustCompile(`^[-−]?\d+(?:[.,]\d+)*`)
	fractionSigns = map[rune]string{'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅛': "1/8"}
	slashPattern  = regexp.MustCompile(`^(?:(\d{1,3}) )?(\d{1,2}/\d{1,2})`)
	signPattern   = regexp.MustCompile(`^(\d{1,4})? ?([½⅓⅔¼¾⅛])`)
	timesPattern  = regexp.MustCompile(`^(\d{1,4}) ?[x×](?: ?(\d{1,4}))?`)
	decadePattern = regexp.MustCompile(`^['’](\d0)(s?)`)
	codePattern   = regexp.MustCompile(`^([1-9]\d{3}) ?([A-Z]{2})`)
)

// numeral reads the number that the token begins with; false: it is none, such as a version or an address of a computer.
func (t token) numeral() (numeral, bool) {
	written := numberPattern.FindString(t.text)
	n := numeral{length: len(written)}
	unsigned := strings.TrimLeft(written, "-−")
	n.negative = unsigned != written
	decimal, grouping := t.language.decimal, byte(','+'.')-t.language.decimal
	if !n.split(unsigned, decimal, grouping) && !n.split(unsigned, grouping, decimal) {
		return n, false
	}
	return n, n.whole != ""
}

// split takes a number apart by its two marks, and reports whether they are where they belong.
func (n *numeral) split(written string, decimal, grouping byte) bool {
	body, fraction, fractional := strings.Cut(written, string(decimal))
	if strings.IndexByte(fraction, decimal) >= 0 || strings.IndexByte(fraction, grouping) >= 0 {
		return false
	}
	groups := strings.Split(body, string(grouping))
	for i, group := range groups {
		if i == 0 && len(groups) > 1 && (len(group) > 3 || group[0] == '0') || i > 0 && len(group) != 3 {
			return false
		}
	}
	n.whole, n.fraction, n.grouped = strings.Join(groups, ""), fraction, len(groups) > 1
	return fractional == (fraction != "")
}

// words reads a number, as counted before a noun where it counts things.
func (n numeral) words(l *language, counts bool) string {
	value, fits := whole(n.whole)
	var words string
	switch {
	case !fits:
		words = l.spell(n.whole)
	case counts && n.fraction == "":
		words = l.counted(value)
	default:
		words = l.cardinal(value)
	}
	if n.fraction != "" {
		words += " " + l.point + " " + l.fraction(n.fraction)
	}
	if n.negative {
		words = l.minus + " " + words
	}
	return words
}

func (n numeral) one() bool { return n.whole == "1" && n.fraction == "" }

func readNumber(t token) (string, int) {
	n, ok := t.numeral()
	if n.length == 0 {
		return "", 0
	}
	if !ok {
		return t.dotted(n.length), n.length
	}
	value, fits := whole(n.whole)
	plain := n.fraction == "" && !n.grouped && !n.negative
	switch {
	case plain && len(n.whole) == 4 && value >= 1900 && value < 2100:
		return t.decades(value, n.length)
	case plain && len(n.whole) == 4 && value >= 1100 && value < 1900 && t.yearFollows():
		return t.language.year(value), n.length
	case plain && (!fits || value > int64(t.digitsAbove) || len(n.whole) > 1 && n.whole[0] == '0'):
		return t.language.spell(n.whole), n.length
	}
	return n.words(t.language, false), n.length
}

// decades reads a year, and in English the ten that begin with it: 1990s.
func (t token) decades(year int64, length int) (string, int) {
	words := t.language.year(year)
	if t.language.decimal == '.' && strings.HasPrefix(t.text[length:], "s") && year%10 == 0 {
		return strings.TrimSuffix(words, "y") + "ies", length + 1
	}
	return words, length
}

// yearFollows reports whether the word before says that a number is a year.
func (t token) yearFollows() bool {
	switch before := strings.TrimRight(t.previous(), ","); before {
	case "in", "since", "from", "until", "year", "anno", "sinds", "uit", "vanaf", "jaar", "seit", "aus", "jahr", "im", "born", "around":
		return true
	default:
		return t.language.monthNames[strings.TrimSuffix(before, ".")] > 0
	}
}

// dotted reads what has more points than a number, such as a version.
func (t token) dotted(length int) string {
	var words []string
	for part := range strings.FieldsFuncSeq(t.text[:length], func(r rune) bool { return r == '.' || r == ',' }) {
		if len(words) > 0 {
			words = append(words, t.language.dot)
		}
		value, fits := whole(part)
		switch {
		case !fits || len(part) > 3:
			words = append(words, t.language.spell(part))
		default:
			words = append(words, t.language.cardinal(value))
		}
	}
	return strings.Join(words, " ")
}

// readOrdinal reads 3rd, 3e, and 3. before the name of a month is a date.
func readOrdinal(t token) (string, int) {
	run := digits(t.text)
	value, ok := whole(run)
	if !ok || len(run) > 4 {
		return "", 0
	}
	for _, suffix := range t.language.suffixes {
		if behind, found := strings.CutPrefix(t.text[len(run):], suffix); found && !startsWord(behind) {
			return t.language.ordinal(value), len(run) + len(suffix)
		}
	}
	return "", 0
}

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func readPercentage(t token) (string, int) {
	n, ok := t.numeral()
	if !ok {
		return "", 0
	}
	rest := t.text[n.length:]
	if spaced := strings.TrimLeft(rest, " "); strings.HasPrefix(spaced, "%") {
		return n.words(t.language, true) + " " + t.language.percent, n.length + len(rest) - len(spaced) + 1
	}
	return "", 0
}

// readTimes reads 2x and 3x4.
func readTimes(t token) (string, int) {
	found := timesPattern.FindStringSubmatch(t.text)
	if found == nil {
		return "", 0
	}
	value, _ := whole(found[1])
	if other, ok := whole(found[2]); ok {
		return t.language.cardinal(value) + " " + t.language.by + " " + t.language.cardinal(other), len(found[0])
	}
	return t.language.counted(value) + " " + t.language.times, len(found[0])
}

// readFraction reads 1/2, 1 1/2 and ½.
func readFraction(t token) (string, int) {
	mixed, part, length := "", "", 0
	if found := signPattern.FindStringSubmatch(t.text); found != nil {
		r, _ := utf8.DecodeRuneInString(found[2])
		mixed, part, length = found[1], fractionSigns[r], len(found[0])
	} else if found := slashPattern.FindStringSubmatch(t.text); found != nil {
		mixed, part, length = found[1], found[2], len(found[0])
		if strings.HasPrefix(t.text[length:], "/") {
			return "", 0
		}
	}
	noun := strings.ToLower(firstWord(strings.TrimLeft(t.text[length:], " ")))
	if half := t.language.halves[noun]; half != "" && mixed == "" && part == "1/2" {
		return half, length
	}
	unit, used := t.unitBehind(t.text[length:])
	if words, known := t.language.fractions[mixed+" "+part]; known {
		return words + pick(mixed == "", unit.one, unit.many), length + used
	}
	words, known := t.language.fractions[part]
	if !known {
		return "", 0
	}
	if n, ok := whole(mixed); ok && mixed != "" {
		article := words
		if t.language.decimal == '.' { // one and a half
			article = strings.Replace(words, "one ", "a ", 1)
		}
		words = t.language.cardinal(n) + t.language.mixed + article
	}
	return words + pick(mixed == "", unit.one, unit.many), length + used
}

// unitBehind returns the unit that a fraction is of, with a space before its name; names of one letter may be anything.
func (t token) unitBehind(behind string) (unit, int) {
	spaced := strings.TrimLeft(behind, " ")
	for size := min(longestUnit, len(spaced)); size > 1; size-- {
		kind, known := t.language.units[spaced[:size]]
		if known && !wordGoesOn(spaced[:size], spaced[size:]) && t.uses(kind.formatter()) {
			return unit{one: " " + kind.one, many: " " + kind.many}, len(behind) - len(spaced) + size
		}
	}
	return unit{}, 0
}

// readDecade reads '90 and '90s.
func readDecade(t token) (string, int) {
	found := decadePattern.FindStringSubmatch(t.text)
	if found == nil {
		return "", 0
	}
	value, _ := whole(found[1])
	words := t.language.cardinal(value)
	if found[2] != "" {
		if t.language.decimal != '.' || value < 20 {
			return "", 0
		}
		words = strings.TrimSuffix(words, "y") + "ies"
	}
	return words, len(found[0])
}

// readTens reads the 90s.
func readTens(t token) (string, int) {
	if t.language.decimal != '.' || len(t.text) < 3 || t.text[0] < '2' || t.text[1:3] != "0s" {
		return "", 0
	}
	switch t.previous() {
	case "the", "early", "late", "mid":
		return strings.TrimSuffix(t.language.cardinal(int64(t.text[0]-'0')*10), "y") + "ies", 3
	}
	return "", 0
}

// readPostalCode reads 1012 AB.
func readPostalCode(t token) (string, int) {
	found := codePattern.FindStringSubmatch(t.text)
	if len(found) == 0 || slices.Contains([]string{"AM", "PM", "AD", "BC", "MB", "GB", "TB", "KB", "SA", "SD", "SS"}, found[2]) {
		return "", 0
	}
	letters := t.language.spell(found[2])
	if !t.language.codeInTens {
		return t.language.spell(found[1]) + ", " + letters, len(found[0])
	}
	first, _ := whole(found[1][:2])
	second, _ := whole(found[1][2:])
	switch {
	case second == 0 && first%10 == 0:
		return t.language.cardinal(first*100) + " " + letters, len(found[0])
	case second < 10:
		return t.language.cardinal(first) + " " + t.language.spell(found[1][2:]) + " " + letters, len(found[0])
	}
	return t.language.cardinal(first) + " " + t.language.cardinal(second) + " " + letters, len(found[0])
}
