package sentence

import (
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
var numbered = strings.Fields("no nos max min str art jan feb mrt mar apr jun jul aug sep sept okt oct nov dec dez")

// months are those that a German ordinal in digits, such as "3.", may stand before.
var months = strings.Fields("januar jänner februar märz april mai juni juli august september oktober november dezember")

// goesOn reports whether a sentence goes on behind a full stop, by what has arrived behind it.
func goesOn(text, behind string) certainty {
	word := strings.ToLower(text[strings.LastIndexFunc(text, unicode.IsSpace)+1:])
	switch {
	case slices.Contains(numbered, word):
		first, _ := utf8.DecodeRuneInString(behind)
		return known(behind != "", unicode.IsDigit(first))
	case len(word) <= 2 && strings.Trim(word, "0123456789") == "":
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
