package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestAbbreviation is the length of the longest one in the tables, in bytes.
const longestAbbreviation = 10

var (
	acronym       = regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{2,5}\b`)
	spacedShort   = regexp.MustCompile(`^\p{L}{1,2}\.(?: \p{L}{1,2}\.){1,2}`) // i. d. R.
	initialBehind = regexp.MustCompile(`^\p{L}\.`)
	noAcronym     = []string{"HMM", "MMM", "SHH", "PST", "TSK", "PFF", "BRR", "XX", "XXX", "MR", "DR", "MRS"}
)

// readAbbreviation writes an abbreviation out.
func readAbbreviation(t token) (string, int) {
	for size := min(longestAbbreviation, len(t.text)); size > 1; size-- {
		short := t.text[:size]
		behind := t.text[size:]
		if wordGoesOn(short, behind) || strings.HasSuffix(short, ".") && initialBehind.MatchString(behind) {
			continue
		}
		if words, known := t.language.exact[short]; known {
			if name, is := t.street(short, behind); is {
				return name, size
			}
			if saint := strings.TrimLeft(behind, " "); short == "St" && startsCapital(saint) {
				return "Saint", size
			}
			if short != "Dr" && !strings.HasSuffix(short, ".") && streetNames[short] != "" {
				continue // no abbreviation of anything else
			}
			return words, size
		}
		if words, known := t.language.abbreviations[strings.ToLower(short)]; known && t.fits(short, behind) {
			return capitalLike(short, words), size
		}
	}
	if short := spacedShort.FindString(t.text); short != "" {
		if words, known := t.language.abbreviations[strings.ToLower(strings.ReplaceAll(short, " ", ""))]; known {
			return capitalLike(short, words), len(short)
		}
	}
	return t.number()
}

// streetNames are the last words of English streets.
var streetNames = map[string]string{
	"St": "Street", "Dr": "Drive", "Ave": "Avenue", "Rd": "Road", "Blvd": "Boulevard", "Ln": "Lane", "Pl": "Place", "Ct": "Court",
}

// street reads the abbreviation behind the name of a street: at the end of the address, not before the name of a person.
func (t token) street(short, behind string) (string, bool) {
	name, known := streetNames[strings.TrimSuffix(short, ".")]
	rest := strings.TrimLeft(behind, " ")
	first, _ := utf8.DecodeRuneInString(rest)
	if !known || !t.behindName() || len(behind) > len(rest) && unicode.IsUpper(first) && !quarter.MatchString(rest) {
		return "", false
	}
	return name, true
}

// numberedStreet is what stands before the Avenue of "5th Ave".
var numberedStreet = regexp.MustCompile(`\d(?:st|nd|rd|th)$`)

var quarter = regexp.MustCompile(`^(?:N|S|E|W|NE|NW|SE|SW)\b`)

func startsCapital(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

func isDigitBefore(text string) bool {
	text = strings.TrimRight(text, " ")
	return text != "" && isDigit(text[len(text)-1])
}

// fits reports whether what may also be a word at the end of a sentence is an abbreviation here.
func (t token) fits(short, behind string) bool {
	switch strings.ToLower(short) {
	case "max.", "art.", "est.", "min.", "mind.", "abs.", "gem.", "lt.", "wg.", "fa.", "geb.":
		return strings.Trim(behind, " \"'”’)") != ""
	case "p.", "pp.", "s.", "rm.", "ste.", "nr", "tel":
		return len(behind) > 1 && behind[0] == ' ' && (isDigit(behind[1]) || behind[1] == '+' || behind[1] == '(')
	case "u.":
		return isDigitBefore(t.before)
	case "mo", "mo.", "yr", "yr.", "wk", "wk.", "hr", "hr.", "min":
		return t.previous() == "per" || strings.HasSuffix(t.before, "/")
	case "dr", "mevr":
		return len(behind) > 1 && behind[0] == ' ' && behind[1] >= 'A' && behind[1] <= 'Z'
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
	return t.language.decimal == '.' && (unicode.IsUpper(first) || numberedStreet.MatchString(before))
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
