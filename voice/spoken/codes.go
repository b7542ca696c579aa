package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	digitsLetter = regexp.MustCompile(`^(\d{1,4})(?:-?([A-Z])|([a-d]))\b`)                 // 12B, 12-B, 12b
	letterDigits = regexp.MustCompile(`^([A-Z]{1,2})(-?)(\d{1,5})([A-Z]?)\b`)              // A-12, B12, BA123, D-10115
	plate        = regexp.MustCompile(`^[A-Z0-9]{1,5}(?:-[A-Z0-9]{1,5}){1,3}\b`)           // AB-123-C
	germanPlate  = regexp.MustCompile(`^([A-ZÄÖÜ]{1,3})-([A-Z]{1,2}) ?(\d{1,4})([EH]?)\b`) // M-AB 123
	britishPlate = regexp.MustCompile(`^([A-Z]{2}\d{2}) ([A-Z]{3})\b`)                     // AB12 CDE
	mixedCode    = regexp.MustCompile(`^[A-Z\d]{5,10}\b`)                                  // 7ABC123, X5J9Q2
	taxNumber    = regexp.MustCompile(`^([A-Z]{2})(\d{8,12})([A-Z]\d{2})?\b`)
	zipCode      = regexp.MustCompile(`^(?:([A-Z]{2}) )?(\d{5})(?:-(\d{4}))?\b`)     // OR 97201-1234
	inches       = regexp.MustCompile(`^(\d)['′’] ?(\d{1,2})(?:["″”]|'')?`)          // 5'10"
	streetPart   = regexp.MustCompile(`^(\p{Lu}[\p{L}-]{2,})(str|ln|pl|wg)\.( ?\d)`) // Hauptstr. 5
	numberPart   = regexp.MustCompile(`^([\p{L}-]{3,})nr(\.:?)( ?[\dA-Z])`)          // Kundennr. 5
	wordsPer     = regexp.MustCompile(`^/(day|week|month|year|hour|person|dag|maand|jaar|uur|persoon|Tag|Woche|Monat|Jahr|Stunde|Person)\b`)
	plainNumber  = regexp.MustCompile(`^\d{3,}\b`)
	houseStreets = []string{"straat", "str.", "weg", "laan", "plein", "gracht", "kade", "dijk", "singel", "hof", "pad"}
)

// readCode reads letters and digits that name something: a house, a gate, a flight, a road.
func readCode(t token) (string, int) {
	l := t.language
	if f := digitsLetter.FindStringSubmatch(t.text); len(f) > 0 && len(f[1]) < 4 {
		return t.codeNumber(f[1]) + " " + strings.ToUpper(f[2]+f[3]), len(f[0])
	}
	if f := germanPlate.FindStringSubmatch(t.text); f != nil && l == &german {
		return strings.TrimSpace(l.spell(f[1]) + ", " + l.spell(f[2]) + ", " + l.spell(f[3]) + " " + f[4]), len(f[0])
	}
	if f := britishPlate.FindStringSubmatch(t.text); f != nil && l == &english {
		return l.spell(f[1]) + ", " + l.spell(f[2]), len(f[0])
	}
	if found := plate.FindString(t.text); found != "" && strings.ContainsAny(found, "0123456789") && isPlate(found) {
		var words []string
		for group := range strings.SplitSeq(found, "-") {
			words = append(words, l.spell(group))
		}
		return strings.Join(words, ", "), len(found)
	}
	if f := taxNumber.FindStringSubmatch(t.text); f != nil {
		words := l.spell(f[1]) + ", " + t.groups(f[2])
		if f[3] != "" {
			words += ", " + l.spell(f[3])
		}
		return words, len(f[0])
	}
	if found := mixedCode.FindString(t.text); alternations(found) > 1 {
		return l.spell(found), len(found)
	}
	if f := letterDigits.FindStringSubmatch(t.text); len(f) > 0 && !strings.HasPrefix(t.text[len(f[0]):], "-") {
		return strings.TrimSpace(l.spell(f[1]) + " " + t.codeNumber(f[3]) + " " + f[4]), len(f[0])
	}
	return "", 0
}

// alternations returns how often letters and digits of a code take turns.
func alternations(code string) (n int) {
	for i := 1; i < len(code); i++ {
		if isDigit(code[i]) != isDigit(code[i-1]) {
			n++
		}
	}
	return n
}

// isPlate reports whether groups are those of a plate or a part number rather than a range, a date or a word with a number.
func isPlate(written string) bool {
	groups := strings.Split(written, "-")
	letters := slices.ContainsFunc(groups, func(g string) bool { return g[0] >= 'A' })
	mixed := slices.ContainsFunc(groups, func(g string) bool {
		return len(g) > 2 && strings.ContainsAny(g, "0123456789") &&
			g[0] >= 'A'
	})
	return letters && (len(groups) > 2 || mixed || groups[0][0] >= 'A' && len(groups[0]) > 1 && len(groups[0]) < 4 &&
		len(groups[1]) > 2)
}

// codeNumber reads a number in a code: as one where it is short.
func (t token) codeNumber(run string) string {
	if value, ok := whole(run); ok && run[0] != '0' && len(run) < 3 {
		return t.language.cardinal(value)
	}
	if len(run) == 3 && t.language.decimal == '.' && run[0] != '0' && run[1] != '0' { // two twenty-one
		rest, _ := whole(run[1:])
		return t.language.digit[run[0]-'0'] + " " + t.language.cardinal(rest)
	}
	return t.language.spell(run)
}

// readZip reads an American code, and the state before it.
func readZip(t token) (string, int) {
	f := zipCode.FindStringSubmatch(t.text)
	if f == nil || t.language.decimal != '.' || f[1] == "" && f[3] == "" {
		return "", 0
	}
	words := t.language.spell(f[2])
	if f[1] != "" {
		state, known := americanStates[f[1]]
		if !known {
			return "", 0
		}
		words = state + " " + words
	}
	if f[3] != "" {
		words += ", " + t.language.spell(f[3])
	}
	return words, len(f[0])
}

// readHeight reads 5'10".
func readHeight(t token) (string, int) {
	f := inches.FindStringSubmatch(t.text)
	if f == nil || t.language.decimal != '.' {
		return "", 0
	}
	feet, _ := whole(f[1])
	rest, _ := whole(f[2])
	return t.language.cardinal(feet) + " foot " + t.language.cardinal(rest), len(f[0])
}

// readCompound writes out the last part of a word: "Hauptstr. 5", "ordernr. 7".
func readCompound(t token) (string, int) {
	if f := streetPart.FindStringSubmatch(t.text); len(f) > 0 && t.language.streets[f[2]] != "" {
		return f[1] + t.language.streets[f[2]], len(f[0]) - len(f[3])
	}
	if f := numberPart.FindStringSubmatch(t.text); f != nil && t.language.decimal == ',' {
		return f[1] + strings.ToLower(t.language.number), len(f[0]) - len(f[3]) - strings.Count(f[2], ":")
	}
	return "", 0
}

// readPer reads the stroke of "days/week".
func readPer(t token) (string, int) {
	f := wordsPer.FindStringSubmatch(t.text)
	if f == nil || !startsWord(t.before[max(len(t.before)-1, 0):]) {
		return "", 0
	}
	return " " + t.language.per + " ", 1
}

// readDigits reads a number digit by digit where the word before says that it is no amount: "call 911", "PIN 1234".
func readDigits(t token) (string, int) {
	run := plainNumber.FindString(t.text)
	if run == "" || len(t.text) > len(run)+1 && strings.ContainsRune(".,:-/", rune(t.text[len(run)])) &&
		isDigit(t.text[len(run)+1]) {
		return "", 0
	}
	before := strings.TrimRight(t.previous(), ":.")
	if fields := strings.Fields(strings.ToLower(t.before)); before == "sie" && len(fields) > 1 { // "Rufen Sie 112"
		before = fields[len(fields)-2]
	}
	called := slices.Contains(serviceNumbers, run) && slices.Contains(t.language.callWords, before)
	if called || slices.Contains(t.language.codeWords, before) {
		return t.language.spell(run), len(run)
	}
	return "", 0
}

// readSign reads a sign in front of a number, such as ±.
func readSign(t token) (string, int) {
	sign, size := utf8.DecodeRuneInString(t.text)
	words, known := t.language.signs[sign]
	if behind := strings.TrimLeft(t.text[size:], " "); !known || behind == "" || !isDigit(behind[0]) {
		return "", 0
	}
	return words + " ", size
}

// readPlus reads the sign of +3 %, which is no telephone number.
func readPlus(t token) (string, int) {
	alone := t.before == "" || strings.HasSuffix(t.before, " ") || strings.HasSuffix(t.before, "(")
	if alone && len(t.text) > 1 && t.text[0] == '+' && isDigit(t.text[1]) {
		return t.language.plus + " ", 1
	}
	return "", 0
}

// barePoint is a fraction without the zero before its point.
var barePoint = regexp.MustCompile(`^\.(\d{1,3}) ?%`)

// readBarePoint reads .5 %.
func readBarePoint(t token) (string, int) {
	f := barePoint.FindStringSubmatch(t.text)
	if f == nil || t.language.decimal != '.' || t.before != "" && !strings.HasSuffix(t.before, " ") {
		return "", 0
	}
	return t.language.point + " " + t.language.fraction(f[1]) + " " + t.language.percent, len(f[0])
}

// serviceNumbers are the short telephone numbers of Europe and North America that a number of things is rarely.
var serviceNumbers = strings.Fields("112 110 111 101 113 115 116 117 118 144 911 988 999 211 311 411 511 611 711 811 1850 1818 " +
	"116117 116123 14020")

// houseAddition reports whether the number behind the joint is a part of a house, "Kerkstraat 12-2", rather than the end of a
// range.
func (t token) houseAddition(next string) bool {
	fields := strings.Fields(t.before)
	if len(fields) < 2 || t.language != &dutch {
		return false
	}
	street := strings.ToLower(fields[len(fields)-2])
	first, _ := whole(digits(fields[len(fields)-1]))
	second, _ := whole(digits(next))
	return second < first && slices.ContainsFunc(houseStreets, func(end string) bool { return strings.HasSuffix(street, end) })
}
