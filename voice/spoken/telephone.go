package spoken

import (
	"regexp"
	"slices"
	"strings"
)

var (
	telephone = []*regexp.Regexp{
		regexp.MustCompile(`^(?:\+|00)[1-9]\d{0,2}(?:[ ./-]{0,3}\(?\d+\)?){2,7}`),   // +31 20 123 4567
		regexp.MustCompile(`^(?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}`),            // (212) 555-0123
		regexp.MustCompile(`^[2-9]\d{2} [2-9]\d{2} \d{4}\b`),                        // 212 555 0123
		regexp.MustCompile(`^0\d{1,3}(?:\.\d{2,4}){3,4}\b`),                         // 06.12.34.56.78
		regexp.MustCompile(`^\(?0\d{1,4}\)?(?:[ /-]{1,3}\d{2,8})(?:[ -]?\d+){0,4}`), // 020-1234567
		regexp.MustCompile(`^[2-9]\d{2}-\d{4}\b`),                                   // 555-0123
		regexp.MustCompile(`^0[1-9]\d{7,10}`),                                       // 0612345678
	}
	britishCode = regexp.MustCompile(`^([A-Z]{1,2}\d[A-Z\d]?) (\d[A-Z]{2})\b`)
	accountHead = regexp.MustCompile(`^[A-Z]{2}\d{2} ?[A-Z0-9]{4}`)
)

// vanity is a free number in North America that ends in a word.
var vanity = regexp.MustCompile(`^1-(8(?:00|33|44|55|66|77|88))-([A-Z]{3,8})\b`)

// readTelephone reads a number digit by digit, with pauses where it is grouped, or where people group it.
func readTelephone(t token) (string, int) {
	if f := vanity.FindStringSubmatch(t.text); f != nil {
		return t.language.digit[1] + ", " + t.language.spell(f[1]) + ", " + f[2], len(f[0])
	}
	for _, pattern := range telephone {
		found := strings.TrimRight(pattern.FindString(t.text), " (")
		if n := strings.Count(found, "") - 1; n == 0 {
			continue
		}
		if count := countDigits(found); count < 7 || count > 15 {
			continue
		}
		return t.groups(found), len(found)
	}
	return "", 0
}

func countDigits(text string) int {
	n := 0
	for i := range len(text) {
		if isDigit(text[i]) {
			n++
		}
	}
	return n
}

func (t token) groups(number string) string {
	l := t.language
	number = strings.Replace(number, "(0)", " ", 1) // nobody dials it behind the code of a country
	var spoken []string
	rest, international := strings.CutPrefix(number, "+")
	for group := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r < '0' || r > '9' }) {
		sizes := []int{len(group)}
		if len(group) > 4 {
			sizes = l.groups(group)
		}
		if len(spoken) == 0 && international && len(group) > 6 {
			sizes = l.internationalGroups(group)
		}
		for _, size := range sizes {
			spoken = append(spoken, l.spell(group[:size]))
			group = group[size:]
		}
	}
	words := strings.Join(spoken, ", ")
	if international {
		words = l.plus + " " + words
	}
	return words
}

// internationalGroups groups a number that begins with the code of a country.
func (l *language) internationalGroups(run string) []int {
	code := countryCode(run)
	rest := run[code:]
	switch {
	case run[:code] == "1" && len(rest) == 10:
		return []int{1, 3, 3, 4}
	case run[:code] == "31" && rest[0] == '6' && len(rest) == 9:
		return []int{2, 1, 2, 2, 2, 2}
	}
	return append([]int{code}, l.groups(rest)...)
}

// countryCode returns how many digits the code of a country has that a number begins with, of ITU-T E.164.
func countryCode(run string) int {
	switch {
	case run[0] == '1' || run[0] == '7':
		return 1
	case slices.Contains(twoDigitCodes, run[:2]):
		return 2
	}
	return 3
}

var twoDigitCodes = strings.Fields("20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 " +
	"54 55 56 57 58 60 61 62 63 64 65 66 " +
	"81 82 84 86 90 91 92 93 94 95 98")

// readBritishCode reads SW1A 1AA.
func readBritishCode(t token) (string, int) {
	found := britishCode.FindStringSubmatch(t.text)
	if found == nil {
		return "", 0
	}
	return t.language.spell(found[1]) + ", " + t.language.spell(found[2]), len(found[0])
}

// accountLengths are the lengths of bank accounts by country, of ISO 13616.
var accountLengths = map[string]int{
	"NL": 18, "DE": 22, "BE": 16, "GB": 22, "FR": 27, "ES": 24, "AT": 20, "CH": 21, "LU": 20, "IT": 27, "IE": 22, "PL": 28, "PT": 25,
	"DK": 18, "SE": 24, "NO": 15, "FI": 18, "CZ": 24, "GR": 27, "HU": 28, "RO": 24, "TR": 26,
}

// readAccount reads an IBAN in groups of four.
func readAccount(t token) (string, int) {
	if !accountHead.MatchString(t.text) {
		return "", 0
	}
	var code strings.Builder
	at, wanted := 0, accountLengths[t.text[:2]]
	for ; at < len(t.text) && code.Len() < wanted; at++ {
		switch c := t.text[at]; {
		case isDigit(c) || c >= 'A' && c <= 'Z':
			code.WriteByte(c)
		case c != ' ' || t.text[at-1] == ' ':
			return "", 0
		}
	}
	if wanted == 0 || code.Len() < wanted {
		return "", 0
	}
	var groups []string
	for rest := code.String(); rest != ""; {
		size := min(4, len(rest))
		groups = append(groups, t.language.spell(rest[:size]))
		rest = rest[size:]
	}
	return strings.Join(groups, ", "), at
}
