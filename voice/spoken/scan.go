package spoken

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a place in a sentence at which something written may begin.
type token struct {
	*Reader
	before string // all before it
	text   string // it and all behind
}

// matcher returns what is read of the beginning of a token, and how many bytes that was; 0: it is nothing of the kind.
type matcher struct {
	kind Formatter
	read func(t token) (words string, length int)
}

// The matchers, the more particular writing first. Those of digits begin with a digit or a sign, those of letters with a letter.
var (
	digitMatchers = []matcher{
		{Addresses, readEmail}, {Addresses, readSite}, {Numbers, readDigits}, {Dates, readDateRange}, {Dates, readDate},
		{Numbers, readRatio}, {Times, readTime}, {Telephones, readTelephone},
		{Numbers, readZip}, {Distances, readHeight}, {Money, readMoney}, {Percentages, readPercentage}, {Numbers, readPostalCode},
		{Numbers, readTens}, {Units, readUnit}, {Distances, readUnit}, {Numbers, readFraction}, {Numbers, readTimes},
		{Numbers, readOrdinal},
		{Numbers, readGermanOrdinal}, {Numbers, readCode},
		{Numbers, readNumber},
	}
	letterMatchers = []matcher{
		{Addresses, readEmail}, {Addresses, readSite}, {Numbers, readAccount}, {Numbers, readBritishCode}, {Numbers, readRoman},
		{Numbers, readZip},
		{Numbers, readCode}, {Dates, readDateRange}, {Dates, readMonthFirst}, {Dates, readMonths}, {Dates, readWeekdays},
		{Numbers, readCompound},
		{Money, readMoney}, {Abbreviations, readAbbreviation}, {Abbreviations, readAcronym},
	}
	signMatchers = []matcher{
		{Telephones, readTelephone}, {Money, readMoney}, {Numbers, readFraction}, {Numbers, readDecade}, {Numbers, readPer},
		{Numbers, readSign},
		{Numbers, readPlus}, {Percentages, readBarePoint},
	}
	minusMatcher = []matcher{{Money, readMoney}, {Percentages, readPercentage}, {Units, readUnit}, {Distances, readUnit},
		{Numbers, readNumber}}
)

// scan reads a sentence from its beginning to its end. A token begins where no word is under way.
func (r *Reader) scan(text string) string {
	var out strings.Builder
	out.Grow(2 * len(text))
	number := false // what was read last is one
	for at := 0; at < len(text); {
		t := token{r, text[:at], text[at:]}
		if words, length, ok := t.link(number); ok {
			out.WriteString(words)
			at += length
			continue
		}
		if words, length := t.match(); length > 0 {
			out.WriteString(words)
			if fullStop(t.text[:length], t.text[length:], words) {
				out.WriteByte('.')
			}
			at += length
			last, _ := utf8.DecodeLastRuneInString(t.text[:length])
			first, _ := utf8.DecodeRuneInString(t.text)
			number = unicode.IsDigit(last) || unicode.IsDigit(first) || strings.ContainsRune("€$£-", first)
			continue
		}
		length := t.plain()
		number = number && strings.TrimSpace(t.text[:length]) == ""
		out.WriteString(t.text[:length])
		at += length
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// match returns the words of the first matcher that finds what it knows.
func (t token) match() (string, int) {
	first, _ := utf8.DecodeRuneInString(t.text)
	matchers := signMatchers
	switch {
	case first >= '0' && first <= '9':
		matchers = digitMatchers
	case unicode.IsLetter(first):
		matchers = letterMatchers
	case first == '-' || first == '−':
		if last, _ := utf8.DecodeLastRuneInString(t.before); t.before != "" && !unicode.IsSpace(last) && last != '(' {
			return "", 0
		}
		matchers = minusMatcher
	case first == '&' && t.uses(Abbreviations):
		return " " + t.language.and + " ", 1
	case first == '#' && t.uses(Numbers) && len(t.text) > 1 && isDigit(t.text[1]):
		return t.language.number + " ", 1
	case unicode.IsSpace(first) || first == '.' && !barePoint.MatchString(t.text) || first == ',':
		return "", 0
	}
	for _, m := range matchers {
		if !t.uses(m.kind) {
			continue
		}
		if words, length := m.read(t); length > 0 && !wordGoesOn(t.text[:length], t.text[length:]) {
			return words, length
		}
	}
	return "", 0
}

// link reads what joins two numbers, or a number and a word: "9-17", "€ 5/maand".
func (t token) link(number bool) (string, int, bool) {
	if !number || !t.uses(Numbers) {
		return "", 0, false
	}
	rest := strings.TrimLeft(t.text, " ")
	spaces := len(t.text) - len(rest)
	first, size := utf8.DecodeRuneInString(rest)
	behind := rest[size:]
	next := strings.TrimLeft(behind, " ")
	switch {
	case first == '+' && spaces == 0 && !startsWord(behind) && (next == "" || !isDigit(next[0])): // 65+
		return " " + t.language.plus, 1, true
	case next == "":
	case first == '-' || first == '–':
		if (spaces > 0) != (len(behind) > len(next)) || !isDigit(next[0]) && !strings.HasPrefix(next, "€") && next[0] != '$' {
			return "", 0, false
		}
		if run := digits(next); len(run) > 4 || codeBefore(t.before) ||
			len(run) > 1 && run[0] == '0' && !strings.HasPrefix(next[len(run):], ":") {
			return ", ", spaces + size + len(behind) - len(next), true // a code, not a range
		}
		if t.houseAddition(next) {
			return ", ", spaces + size + len(behind) - len(next), true
		}
		joint := t.language.to
		if t.isScore(next) {
			return strings.TrimSuffix(" "+pick(t.language == &dutch, "", t.language.against), " ") + " ", spaces + size + len(behind) - len(next), true
		}
		if fields := strings.Fields(strings.ToLower(t.before)); len(fields) > 1 && slices.Contains(betweens, fields[len(fields)-2]) {
			joint = t.language.and
		}
		return " " + joint + " ", spaces + size + len(behind) - len(next), true
	case first == '+' && isDigit(next[0]):
		return " " + t.language.plus + " ", spaces + size + len(behind) - len(next), true
	case first == '=' && (isDigit(next[0]) || next[0] == '$' || strings.HasPrefix(next, "€")):
		return " " + t.language.equals + " ", spaces + size + len(behind) - len(next), true
	case first == '/' && spaces == 0 && isDigit(next[0]): // 50/50
		return " ", 1, true
	case first == '/' && (spaces == 0 && len(next) == len(behind) || wordsPer.MatchString("/"+next)) &&
		unicode.IsLetter(rune(next[0])):
		length := spaces + size + len(behind) - len(next)
		if kind, used := t.perUnit(next); used > 0 {
			return " " + t.language.per + " " + kind, length + used, true
		}
		return " " + t.language.per + " ", length, true
	}
	return "", 0, false
}

// isScore reports whether a number before and one behind are of two sides in a match. No range goes down, but hours do.
func (t token) isScore(next string) bool {
	own, _ := whole(t.before[len(strings.TrimRight(t.before, "0123456789")):])
	other, ok := whole(digits(next))
	rest := strings.TrimLeft(next[len(digits(next)):], " ")
	words := strings.Fields(strings.ToLower(t.before))
	if !ok || own > 20 || other > 20 || len(words) < 2 || hourWord.MatchString(rest) || len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		return false
	}
	return slices.ContainsFunc(words[max(0, len(words)-4):len(words)-1], func(word string) bool {
		return slices.Contains(scoreWords, strings.Trim(word, ":,("))
	})
}

// scoreWords stand shortly before the score of a match.
var scoreWords = strings.Fields("won wint winnen gewonnen verloor verloren verliezen uitslag stand eindstand tussenstand ruststand " +
	"gelijkspel gelijk gewann gewinnt gewonnen siegte verlor spielte endete endstand ergebnis")

// betweens stand before two numbers that "and" joins.
var betweens = []string{"tussen", "between", "zwischen"}

// perUnit returns the name of the unit that text begins with, in the singular.
func (t token) perUnit(text string) (string, int) {
	for size := min(longestUnit, len(text)); size > 0; size-- {
		kind, known := t.language.units[text[:size]]
		if known && !wordGoesOn(text[:size], text[size:]) && (size > 1 || text[0] != 'A' && text[0] != 'V' && text[0] != 'W') {
			return kind.one, size
		}
	}
	return "", 0
}

// codeBefore reports whether text ends with more digits than a number has that begins a range, or with those of a code: 007.
func codeBefore(text string) bool {
	run := text[len(strings.TrimRight(text, "0123456789")):]
	return len(run) > 4 || len(run) > 2 && run[0] == '0'
}

// plain returns how long what is no token is: a word, or one character.
func (t token) plain() int {
	length := 0
	for i, r := range t.text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		length = i + utf8.RuneLen(r)
	}
	if length == 0 {
		_, length = utf8.DecodeRuneInString(t.text)
	}
	return length
}

// wordGoesOn reports whether found ends in the middle of a word.
func wordGoesOn(found, behind string) bool {
	last, _ := utf8.DecodeLastRuneInString(found)
	next, _ := utf8.DecodeRuneInString(behind)
	inWord := unicode.IsLetter(last) || unicode.IsDigit(last)
	return inWord && (unicode.IsLetter(next) || unicode.IsDigit(next) || unicode.IsMark(next))
}

// fullStop reports whether the full stop that found ends with also ends the sentence.
func fullStop(found, behind, words string) bool {
	return strings.HasSuffix(found, ".") && !strings.HasSuffix(words, ".") && strings.Trim(behind, " \"'”’»)") == ""
}

// previous returns the word before the token in lower case.
func (t token) previous() string {
	fields := strings.Fields(t.before)
	if len(fields) == 0 {
		return ""
	}
	return strings.ToLower(strings.Trim(fields[len(fields)-1], "(\"'“‘"))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits returns the digits that text begins with.
func digits(text string) string {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return text[:n]
}
