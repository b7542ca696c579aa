package spoken

import (
	"strconv"
	"strings"
)

var (
	englishOnes = [...]string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
		"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	}
	englishTens     = [...]string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	englishOrdinals = map[string]string{
		"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
	}
)

func englishCardinal(n int64) string {
	switch {
	case n < 20:
		return englishOnes[n]
	case n < 100:
		if n%10 == 0 {
			return englishTens[n/10]
		}
		return englishTens[n/10] + "-" + englishOnes[n%10]
	case n < 1000:
		return withRest(englishOnes[n/100]+" hundred", n%100, " ", englishCardinal)
	}
	for _, scale := range []struct {
		of   int64
		name string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}} {
		if n >= scale.of {
			return withRest(englishCardinal(n/scale.of)+" "+scale.name, n%scale.of, " ", englishCardinal)
		}
	}
	return ""
}

// withRest appends what is left of a number, if anything.
func withRest(words string, rest int64, between string, cardinal func(int64) string) string {
	if rest == 0 {
		return words
	}
	return words + between + cardinal(rest)
}

func englishOrdinal(n int64) string {
	words := englishCardinal(n)
	cut := strings.LastIndexAny(words, " -") + 1
	last := words[cut:]
	switch irregular, ok := englishOrdinals[last]; {
	case ok:
		last = irregular
	case strings.HasSuffix(last, "y"):
		last = strings.TrimSuffix(last, "y") + "ieth"
	default:
		last += "th"
	}
	return words[:cut] + last
}

func englishYear(n int64) string {
	century, rest := n/100, n%100
	switch {
	case n >= 2000 && n < 2010 || n < 1000 || n > 2999:
		return englishCardinal(n)
	case rest == 0:
		return englishCardinal(century) + " hundred"
	case rest < 10:
		return englishCardinal(century) + " oh " + englishCardinal(rest)
	default:
		return englishCardinal(century) + " " + englishCardinal(rest)
	}
}

func englishClock(hour, minute int64, half string) string {
	switch {
	case half == "" && hour == 0 && minute == 0:
		return "midnight"
	case half == "" && hour == 0:
		hour, half = 12, " A M"
	case half == "" && hour > 12:
		hour, half = hour-12, " P M"
	}
	words := englishCardinal(hour)
	switch {
	case minute == 0 && half == "":
		words += " o'clock"
	case minute == 0:
	case minute < 10:
		words += " oh " + englishCardinal(minute)
	default:
		words += " " + englishCardinal(minute)
	}
	return words + half
}

func americanDate(t token, day, month, year int64) string {
	if t.previous() == "the" {
		return britishDate(t, day, month, year)
	}
	words := englishMonths[month-1] + " " + englishOrdinal(day)
	if year > 0 {
		words += ", " + englishYear(year)
	}
	return words
}

func britishDate(t token, day, month, year int64) string {
	words := englishOrdinal(day) + " of " + englishMonths[month-1]
	if t.previous() != "the" {
		words = "the " + words
	}
	if year > 0 {
		words += ", " + englishYear(year)
	}
	return words
}

// oneByOne reads the digits of a fraction.
func oneByOne(digit [10]string) func(string) string {
	return func(run string) string {
		words := make([]string, len(run))
		for i := range run {
			words[i] = digit[run[i]-'0']
		}
		return strings.Join(words, " ")
	}
}

// threesAndFour groups the way North America does: 3, 3, 4.
func threesAndFour(run string) []int {
	switch n := len(run); {
	case n <= 4:
		return []int{n}
	case n == 5:
		return []int{3, 2}
	case n == 8:
		return []int{4, 4}
	case n%3 == 1:
		return append(slicesOf(3, n/3-1), 4)
	case n%3 == 2:
		return append([]int{2}, slicesOf(3, n/3)...)
	default:
		return slicesOf(3, n/3)
	}
}

func slicesOf(size, count int) []int {
	sizes := make([]int, max(count, 0))
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

var (
	englishDigits = [10]string(englishOnes[:10])
	englishMonths = [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"}
)

// american is English as it is written and read in North America, english everywhere else.
var american, english = englishOf(true, americanDate), englishOf(false, britishDate)

func englishOf(monthFirst bool, date func(token, int64, int64, int64) string) language {
	return language{
		decimal: '.', cardinal: englishCardinal, ordinal: englishOrdinal, year: englishYear, counted: englishCardinal,
		fraction: oneByOne(englishDigits), digit: englishDigits, groups: threesAndFour, suffixes: []string{"st", "nd", "rd", "th"},
		point: "point", minus: "minus", plus: "plus", to: "to", per: "per", and: "and", times: "times", percent: "percent",
		number: "number", by: "by", against: "to", at: "at", dot: "dot", dash: "dash", underscore: "underscore", slash: "slash",
		question: "question mark", equals: "equals", equalsMark: "equals", hash: "hash", tilde: "tilde",
		signs:     map[rune]string{'±': "plus or minus", '~': "about", '≈': "about", '≥': "at least", '≤': "at most", '§': "section"},
		codeWords: strings.Fields("pin code passcode ext ext. extension reference ref"),
		callWords: strings.Fields("call calling dial dialing dialling ring phone text"),
		monthNames: monthsOf("january february march april may june july august september october november december " +
			"jan feb mar apr _ jun jul aug sep oct nov dec _ _ _ _ _ _ _ _ sept"),
		months: englishMonths, weekdays: weekdaysOf("Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
			"Mon Tue Wed Thu Fri Sat Sun _ Tues Weds Thur _ _ _ _ _ _ Thurs", "sat sun", "to"),
		monthFirst: monthFirst, date: date, dateWords: []string{"on", "by", "until", "from", "since", "before", "after"},
		clock: englishClock, currencies: englishMoney, cents: func(whole, rest string) string { return whole + " and " + rest },
		scales: map[string]string{
			"thousand": "thousand", "million": "million", "billion": "billion", "k": "thousand", "K": "thousand", "M": "million",
			"m": "million", "bn": "billion", "B": "billion", "mln": "million", "tn": "trillion",
		},
		units: englishUnits, fractions: englishFractions, mixed: " and ", exact: englishExact, abbreviations: englishAbbreviations,
	}
}

// monthsOf numbers names that come in the order of the year, several times; _ is none.
func monthsOf(names string) map[string]int {
	months := map[string]int{}
	for i, name := range strings.Fields(names) {
		if name != "_" {
			months[name] = i%12 + 1
		}
	}
	return months
}

// whole returns a number of at most 15 digits.
func whole(run string) (int64, bool) {
	n, err := strconv.ParseInt(run, 10, 64)
	return n, err == nil && n < 1e15
}
