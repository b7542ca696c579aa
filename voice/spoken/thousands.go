package spoken

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	spacedNumber = regexp.MustCompile(`\d{1,3}(?:[ '’\x{a0}\x{202f}\x{2009}]\d{3})+(?:[.,]\d{1,2}\b)?`)
	moneyNear    = regexp.MustCompile(`(?:[€$£]|\b(?:EUR|USD|GBP|CHF)) ?$`)
	moneyNext    = regexp.MustCompile(`^ ?(?:€|EUR\b|CHF\b|euro\b|Euro\b|Franken\b)`)
)

// joinThousands writes a number whose thousands are parted by spaces or apostrophes with the marks of the language.
func (l *language) joinThousands(text string) string {
	var out strings.Builder
	done := 0
	for _, found := range spacedNumber.FindAllStringIndex(text, -1) {
		number, ok := l.thousands(text[:found[0]], text[found[0]:found[1]], text[found[1]:])
		if !ok {
			continue
		}
		out.WriteString(text[done:found[0]])
		out.WriteString(number)
		done = found[1]
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// thousands returns a number in the marks of the language, and false where its groups may be several numbers or a telephone's:
// plain spaces need evidence, as a fraction, money, or thousands that are round.
func (l *language) thousands(before, written, behind string) (string, bool) {
	body, fraction := written, ""
	if at := strings.LastIndexAny(written, ".,"); at > 0 {
		body, fraction = written[:at], written[at+1:]
	}
	groups := strings.FieldsFunc(body, func(r rune) bool { return r < '0' || r > '9' })
	first, size := utf8.DecodeRuneInString(body[len(groups[0]):])
	if strings.Count(body, string(first)) != len(groups)-1 || groups[0][0] == '0' || !standsAlone(before, behind) {
		return "", false
	}
	round := groups[len(groups)-1] == "000"
	many := len(groups) > 2 && len(groups[0]) < 3
	money := moneyNear.MatchString(before) || l.decimal == ',' && moneyNext.MatchString(behind)
	if first == ' ' && size == 1 && fraction == "" && !round && !many && !money {
		return "", false
	}
	number := strings.Join(groups, string(byte(','+'.')-l.decimal))
	if fraction != "" {
		number += string(l.decimal) + fraction
	}
	return number, true
}

// standsAlone reports whether digits between these are not a part of more of them.
func standsAlone(before, behind string) bool {
	before = strings.TrimRight(before, " ")
	if before != "" && strings.IndexByte("0123456789+-()./,", before[len(before)-1]) >= 0 {
		return false
	}
	behind = strings.TrimLeft(behind, " -./")
	return behind == "" || !isDigit(behind[0])
}
