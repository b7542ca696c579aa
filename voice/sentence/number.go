package sentence

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// certainty is what can be said before all of a text has arrived.
type certainty uint8

const (
	no certainty = iota
	yes
	unknown
)

// numbered are abbreviations that stand before a number, and words at the end of a sentence otherwise: "No. 5", "Jan. 3".
var numbered = strings.Fields("no nos max min mind str art jan feb mrt mar apr jun jul aug sep sept okt oct nov dec dez " +
	"pp pag hfst rm apt ste rte para ext tst ong abs gegr bj")

// inside are abbreviations that a sentence seldom ends with, unless the next one begins behind them: "Mo. bis Fr.", "3 Mio.
// Euro".
var inside = strings.Fields("mon tue tues wed weds thu thur thurs fri sat sun ma di wo do vr za zo mo mi sa so std min sek sec " +
	"hrs verd tabl temp afd abt dipl-ing zzt gem wg vgl geb pers kto ave blvd p.st ea")

// compounds are ends of words that stand before a number: "Hauptstr. 5", "Kundennr. 7".
var compounds = strings.Fields("str ln pl wg nr")

// dayAndMonth is a German date in front of its last full stop: "am 3.12. um neun Uhr".
var dayAndMonth = regexp.MustCompile(`(?:^|\D)\d{1,2}\.\d{1,2}$`)

const shortWeekday = `(?:mo|di|mi|do|fr|sa|so|ma|wo|vr|za|zo|mon|tue|wed|thu|fri|sat|sun)`

// weekdayRange is one cut short at both ends, "Mo.–Fr. 9 Uhr", and roman a numeral behind a name, "Friedrich II. von Preußen".
var (
	weekdayRange = regexp.MustCompile(`^` + shortWeekday + `\.?[-–—]` + shortWeekday + `$`)
	roman        = regexp.MustCompile(`^[IVX]{2,}$`)
)

// determiners are German words before an ordinal in digits: "im 3. Stock".
var determiners = strings.Fields("im am zum zur vom beim dem den des der einem einer jeden")

// months are those that a German ordinal in digits, such as "3.", may stand before.
var months = strings.Fields("januar jänner februar märz april mai juni juli august september oktober november dezember")

// goesOn reports whether a sentence goes on behind a full stop, by what has arrived behind it.
func goesOn(text, behind string) certainty {
	start := strings.LastIndexFunc(text, unicode.IsSpace) + 1
	word := strings.TrimLeft(strings.ToLower(text[start:]), "(\"'*_")
	first, _ := utf8.DecodeRuneInString(behind)
	switch {
	case slices.Contains(numbered, word), compound(word):
		return known(behind != "", unicode.IsDigit(first) || unicode.IsLower(first))
	case slices.Contains(inside, word):
		return known(behind != "", !unicode.IsUpper(first))
	case weekdayRange.MatchString(word):
		return known(behind != "", !unicode.IsUpper(first))
	case roman.MatchString(text[start:]):
		return known(behind != "", unicode.IsLower(first))
	case dayAndMonth.MatchString(word):
		return known(behind != "", unicode.IsLower(first))
	case len(word) <= 2 && strings.Trim(word, "0123456789") == "":
		before := strings.Fields(strings.ToLower(text[:start]))
		if unicode.IsLower(first) && len(before) > 0 || len(before) > 0 && slices.Contains(determiners, before[len(before)-1]) {
			return yes
		}
		next := strings.ToLower(behind)
		end := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			begins := func(month string) bool { return strings.HasPrefix(month, next) }
			return known(!slices.ContainsFunc(months, begins), false)
		}
		return known(true, slices.Contains(months, next[:end]))
	}
	return no
}

// compound reports whether a word is the name of a street or of a number, cut short.
func compound(word string) bool {
	return slices.ContainsFunc(compounds, func(end string) bool { return len(word) > len(end)+2 && strings.HasSuffix(word, end) })
}

func known(known, is bool) certainty {
	switch {
	case !known:
		return unknown
	case is:
		return yes
	default:
		return no
	}
}
