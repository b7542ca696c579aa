package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	romanPattern = regexp.MustCompile(`^([IVXLCDM]+)(e\b|de\b|ste\b|\.)?`)
	romanSmall   = regexp.MustCompile(`^[IVX]{2,}$`)
	clauseEnds   = regexp.MustCompile(`^(?:$|[.,;:!?)])`)
	sequel       = regexp.MustCompile(`^(?:$|[.,;:!?)]| (?:is|was|will|has|starts|begins|begint|komt|kommt|ist|läuft|war)\b)`)
	romanValues  = map[rune]int64{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}

	romanHeadings = strings.Fields("chapter part act scene volume episode season book section article appendix phase stage type class grade war bowl " +
		"annex tier hoofdstuk deel aflevering seizoen staffel folge akte boek artikel bijlage fase klasse wereldoorlog niveau kapitel teil akt " +
		"band buch anhang typ weltkrieg stufe gruppe")
	rulers = strings.Fields("charles edward elizabeth george henry james john louis mary philip richard william napoleon pius leo " +
		"benedict francis gregory innocent clement urban frederick catherine peter nicholas ivan otto " +
		"constantine ferdinand alfonso leopold albert christian gustav ramses willem hendrik karel lodewijk " +
		"filips frederik boudewijn benedictus paulus paul wilhelm friedrich ludwig karl heinrich franz joseph " +
		"benedikt maximilian nikolaus alexander rudolf konrad philipp elisabeth katharina maria")
	titles = strings.Fields("king queen pope emperor empress tsar sultan koning koningin paus keizer könig königin papst kaiser " +
		"kaiserin zar")
	queens     = strings.Fields("elisabeth katharina maria königin kaiserin")
	articlesIn = strings.Fields("the a an my your our de het een der die das dem den mijn uw mein ihr")
	datives    = strings.Fields("von mit unter bei nach seit zu aus vor dem vom zum beim")
	accusative = strings.Fields("für gegen ohne durch den um")
)

// romanValue returns what a numeral stands for; 0: it is none as the Romans wrote it.
func romanValue(numeral string) int64 {
	var value, last int64
	for _, r := range numeral {
		v := romanValues[r]
		if v > last {
			value -= 2 * last
		}
		value += v
		last = v
	}
	if toRoman(value) != numeral {
		return 0
	}
	return value
}

func toRoman(value int64) string {
	var out strings.Builder
	for _, step := range []struct {
		value int64
		name  string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"},
		{5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for ; value >= step.value; value -= step.value {
			out.WriteString(step.name)
		}
	}
	return out.String()
}

// readRoman reads "Henry VIII", "chapter IV" and "Rocky II". The word before tells: without one of these, capitals are letters.
func readRoman(t token) (string, int) {
	f := romanPattern.FindStringSubmatch(t.text)
	if len(f) == 0 || len(f[1]) > 8 {
		return "", 0
	}
	numeral, suffix := f[1], f[2]
	value, length := romanValue(numeral), len(numeral)
	before := strings.Fields(t.before)
	if value == 0 {
		return "", 0
	}
	if suffix != "" && suffix != "." { // XXe eeuw
		if t.language != &dutch || len(numeral) < 2 || !romanSmall.MatchString(numeral) {
			return "", 0
		}
		return t.language.ordinal(value), length + len(suffix)
	}
	if len(before) == 0 || strings.HasSuffix(before[len(before)-1], ".") {
		return "", 0
	}
	previous := strings.TrimLeft(before[len(before)-1], "(\"'“‘")
	switch {
	case t.floor(before, value):
		return t.language.cardinal(value) + " hoog", length
	case t.isRuler(before, numeral):
		if t.language == &german && suffix == "." {
			length++
		}
		return t.ruler(before, value), length
	case slices.Contains(romanHeadings, strings.ToLower(previous)) && t.headed(previous, numeral), followsName(before, numeral, t.text[length:]):
		return t.language.cardinal(value), length
	}
	return "", 0
}

// floor reports whether a numeral behind the number of a Dutch house is its floor.
func (t token) floor(before []string, value int64) bool {
	if t.language != &dutch || value > 9 || len(before) < 2 {
		return false
	}
	street, house := strings.ToLower(before[len(before)-2]), before[len(before)-1]
	written := t.before[strings.LastIndex(t.before, " ")+1:]
	isHouse := slices.Contains(dutchOnes[:], house) || digits(written) == written || strings.ContainsAny(house, "0123456789")
	return isHouse && slices.ContainsFunc(houseStreets, func(end string) bool { return strings.HasSuffix(street, end) })
}

// headed reports whether a numeral counts what the word before it names. One letter may be a name, and in English a person.
func (t token) headed(heading, numeral string) bool {
	switch numeral {
	case "I":
		return t.language.decimal == ',' || startsCapital(heading) && clauseEnds.MatchString(t.text[1:]) || heading == "War"
	case "V":
		return true
	}
	return len(numeral) > 1
}

// isRuler reports whether a numeral tells one of several of a name.
func (t token) isRuler(before []string, numeral string) bool {
	name := strings.ToLower(before[len(before)-1])
	titled := slices.ContainsFunc(before[max(0, len(before)-3):len(before)-1], func(word string) bool {
		return slices.Contains(titles, strings.ToLower(word))
	})
	known := slices.Contains(rulers, strings.TrimSuffix(name, "s")) || slices.Contains(rulers, name)
	if !startsCapital(before[len(before)-1]) || !titled && !known {
		return false
	}
	switch numeral {
	case "I":
		return t.language.decimal == ',' || titled || clauseEnds.MatchString(t.text[1:])
	case "V", "X":
		return true
	}
	return len(numeral) > 1
}

// ruler reads the numeral behind a name: "the eighth", "de achtste", "der achte".
func (t token) ruler(before []string, value int64) string {
	switch ordinal := t.language.ordinal(value); t.language {
	case &dutch:
		return "de " + ordinal
	case &german:
		return germanRuler(before, ordinal)
	default:
		return "the " + ordinal
	}
}

// germanRuler inflects by the word before the name.
func germanRuler(before []string, ordinal string) string {
	name := strings.ToLower(before[len(before)-1])
	at := len(before) - 1
	woman := false
	for ; at >= 0 && (startsCapital(before[at]) || slices.Contains(titles, strings.ToLower(before[at]))); at-- {
		woman = woman || slices.Contains(queens, strings.ToLower(before[at]))
		if slices.Contains(datives, strings.ToLower(before[at])) || slices.Contains(accusative, strings.ToLower(before[at])) {
			break
		}
	}
	governs := ""
	if at >= 0 {
		governs = strings.ToLower(before[at])
	}
	genitive := strings.HasSuffix(name, "s") && !slices.Contains(rulers, name) || governs == "des"
	switch {
	case woman && (slices.Contains(datives, governs) || genitive):
		return "der " + ordinal + "n"
	case woman:
		return "die " + ordinal
	case genitive:
		return "des " + ordinal + "n"
	case slices.Contains(datives, governs):
		return "dem " + ordinal + "n"
	case slices.Contains(accusative, governs):
		return "den " + ordinal + "n"
	}
	return "der " + ordinal
}

// followsName reports whether a numeral of a few behind a name counts it. A word that begins the sentence may have a capital for
// that alone.
func followsName(before []string, numeral, behind string) bool {
	previous := before[len(before)-1]
	last, _ := utf8.DecodeLastRuneInString(previous)
	name := startsCapital(previous) && unicode.IsLetter(last) && !slices.Contains(articlesIn, strings.ToLower(previous))
	sure := numeral != "IV" && numeral != "VI" && numeral != "XI" || len(before) > 1 || sequel.MatchString(behind)
	return name && sure && romanSmall.MatchString(numeral) && numeral != "XX" && numeral != "XXX"
}
