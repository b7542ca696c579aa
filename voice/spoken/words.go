package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestAbbreviation is the length of the longest one in the tables, in bytes.
const longestAbbreviation = 8

var (
	acronym   = regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{2,5}\b`)
	noAcronym = []string{"HMM", "MMM", "SHH", "PST", "TSK", "PFF", "BRR", "XX", "XXX", "MR", "DR", "MRS"}
)

// readAbbreviation writes an abbreviation out.
func readAbbreviation(t token) (string, int) {
	for size := min(longestAbbreviation, len(t.text)); size > 1; size-- {
		short := t.text[:size]
		behind := t.text[size:]
		if wordGoesOn(short, behind) {
			continue
		}
		if words, known := t.language.exact[short]; known {
			if short == "St." && t.behindName() {
				words = "Street"
			}
			return words, size
		}
		if words, known := t.language.abbreviations[strings.ToLower(short)]; known && t.fits(short, behind) {
			return capitalLike(short, words), size
		}
	}
	return t.number()
}

// fits reports whether what may also be a word at the end of a sentence is an abbreviation here.
func (t token) fits(short, behind string) bool {
	switch strings.ToLower(short) {
	case "max.", "art.", "est.", "min.", "mind.":
		return strings.Trim(behind, " \"'”’)") != ""
	case "mr.", "dr.", "ing.", "ir.", "prof.", "jr.", "sr.", "fam.":
		return t.language.decimal != '.' && strings.Trim(behind, " ") != "" || strings.HasPrefix(strings.ToLower(short), "jr")
	}
	return true
}

// number reads "No. 5".
func (t token) number() (string, int) {
	if t.language.decimal == '.' && (strings.HasPrefix(t.text, "No. ") || strings.HasPrefix(t.text, "no. ")) &&
		len(t.text) > 4 && isDigit(t.text[4]) {
		return capitalLike(t.text[:1], t.language.number), 3
	}
	return "", 0
}

// behindName reports whether an English name stands before the token: "Main St." is a street, "at St. Mary's" a saint's.
func (t token) behindName() bool {
	before := strings.TrimRight(t.before, " ")
	first, _ := utf8.DecodeRuneInString(before[strings.LastIndexByte(before, ' ')+1:])
	return t.language.decimal == '.' && unicode.IsUpper(first)
}

// capitalLike begins words with a capital where the abbreviation does and they would not.
func capitalLike(short, words string) string {
	first, _ := utf8.DecodeRuneInString(short)
	if !unicode.IsUpper(first) {
		return words
	}
	r, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(r)) + words[size:]
}

// readAcronym spells capitals that nobody could read as a word.
func readAcronym(t token) (string, int) {
	found := acronym.FindString(t.text)
	if found == "" || slices.Contains(noAcronym, found) {
		return "", 0
	}
	return t.language.spell(found), len(found)
}
