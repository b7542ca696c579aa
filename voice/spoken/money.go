package spoken

import (
	"regexp"
	"strings"
)

var (
	moneyBefore = regexp.MustCompile(`^([-−] ?)?(US\$|C\$|CA\$|A\$|AU\$|EUR|USD|GBP|CHF|CAD|AUD|SEK|NOK|DKK|[€$£¥]) ?([-−])?`)
	moneyBehind = regexp.MustCompile(`^ ?(US\$|C\$|CA\$|A\$|AU\$|EUR\b|USD\b|GBP\b|CHF\b|CAD\b|AUD\b|SEK\b|NOK\b|DKK\b|Fr\.|[€$£¥]|` +
		`euros?\b|Euro\b|dollars?\b|pounds\b)`)
	noCents     = regexp.MustCompile(`^,(?:[-—]+|=)`)
	moneyRange  = regexp.MustCompile(`^ ?- ?([€$£])? ?(\d)`)
	scaleBehind = regexp.MustCompile(`^ ?(\p{L}+\.?)`)
)

// readMoney reads "$1,234.50", "€ 12,50", "12,50 euro" and "€ 1,5 miljoen".
func readMoney(t token) (string, int) {
	found := moneyBefore.FindStringSubmatch(t.text)
	if found == nil {
		return t.moneyBehindNumber()
	}
	length := len(found[0])
	inner := token{t.Reader, t.before + found[0], t.text[length:]}
	n, ok := inner.numeral()
	kind, known := t.language.currencies[found[2]]
	if !ok || n.negative || !known {
		return "", 0
	}
	n.negative = found[1] != "" || found[3] != ""
	length += n.length
	if words, used := inner.rangeOf(n, found[2], t.text[length:]); used > 0 {
		return words, length + used
	}
	words, used := t.amount(n, kind, t.text[length:])
	return words, length + used
}

// rangeOf reads the amounts of "€ 10-15" and "$10.50-$12", whose currency is named once where it has no cents.
func (t token) rangeOf(n numeral, sign, behind string) (string, int) {
	found := moneyRange.FindStringSubmatch(behind)
	if len(found) == 0 || found[1] != "" && found[1] != sign || n.negative {
		return "", 0
	}
	length, kind := len(found[0])-1, t.language.currencies[sign]
	last, ok := token{t.Reader, t.before + t.text[:n.length] + behind[:length], behind[length:]}.numeral()
	if !ok || len(last.whole) > 1 && last.whole[0] == '0' || codeBefore(n.whole) {
		return "", 0
	}
	words, used := t.amount(last, kind, behind[length+last.length:])
	from := n.words(t.language, true)
	if n.fraction != "" {
		from = t.sum(n, kind)
	}
	return from + " " + t.language.to + " " + words, length + last.length + used
}

// moneyBehindNumber reads an amount whose currency stands behind it. Whole numbers before a word are no different from others.
func (t token) moneyBehindNumber() (string, int) {
	n, ok := t.numeral()
	if !ok {
		return "", 0
	}
	length := n.length + len(noCents.FindString(t.text[n.length:]))
	if length > n.length && t.language.decimal == ',' && moneyBehind.FindString(t.text[length:]) == "" { // 1000,-
		return t.sum(n, t.language.currencies["€"]), length
	}
	scaled, used := t.scaled(n, t.text[length:])
	length += used
	found := moneyBehind.FindStringSubmatch(t.text[length:])
	if found == nil {
		if t.language.decimal == ',' && strings.ContainsAny(t.text[n.length:length], "mM") { // 2 Mio. Menschen
			return scaled, length
		}
		return "", 0
	}
	kind, known := t.language.currencies[found[1]]
	if known && used > 0 {
		return scaled + " " + kind.many, length + len(found[0])
	}
	if !known || len(found[1]) > 4 && n.fraction == "" { // dollars, pounds: a number and a word
		return "", 0
	}
	words, _ := t.amount(n, kind, "")
	return words, length + len(found[0])
}

// amount reads a sum of money, and what behind it belongs to it.
func (t token) amount(n numeral, kind currency, behind string) (words string, used int) {
	if found := noCents.FindString(behind); found != "" && n.fraction == "" {
		return t.sum(n, kind), len(found)
	}
	if words, used := t.scaled(n, behind); used > 0 {
		return words + " " + kind.many, used
	}
	return t.sum(n, kind), 0
}

// scaled reads a number with the millions behind it.
func (t token) scaled(n numeral, behind string) (string, int) {
	found := scaleBehind.FindStringSubmatch(behind)
	if found == nil {
		return "", 0
	}
	word, dotless := found[1], strings.TrimSuffix(found[1], ".")
	scale, known := t.language.scales[word]
	used := len(found[0])
	if !known {
		scale, known = t.language.scales[dotless]
		used -= len(word) - len(dotless)
	}
	switch {
	case !known:
		return "", 0
	case t.language == &german && n.one() && strings.HasPrefix(scale, "M"):
		return "eine " + strings.TrimSuffix(strings.TrimSuffix(scale, "en"), "e") + pick(strings.HasPrefix(scale, "Milliard"), "e", ""),
			used
	}
	return n.words(t.language, true) + " " + scale, used
}

// sum reads the parts of an amount. Three digits behind a mark are thousands, whatever the mark: no money has thousandths.
func (t token) sum(n numeral, kind currency) string {
	if len(n.fraction) == 3 && !n.grouped && n.whole != "0" {
		n.whole, n.fraction = n.whole+n.fraction, ""
	}
	if len(n.fraction) == 1 {
		n.fraction += "0"
	}
	if len(n.fraction) > 2 {
		return n.words(t.language, true) + " " + kind.many
	}
	cents, _ := whole(n.fraction)
	minus := ""
	if n.negative {
		minus, n.negative = t.language.minus+" ", false
	}
	parts := t.language.counted(cents) + " " + pick(cents == 1, kind.cent, kind.cents)
	n.fraction = ""
	if strings.Trim(n.whole, "0") == "" && cents > 0 {
		return minus + parts
	}
	words := minus + n.words(t.language, true) + " " + pick(n.one(), kind.one, kind.many)
	if cents > 0 {
		words = t.language.cents(words, parts)
	}
	return words
}

func pick(one bool, singular, plural string) string {
	if one {
		return singular
	}
	return plural
}

// readUnit reads "12 km/h". What is behind is matched against the longest name first.
func readUnit(t token) (string, int) {
	n, ok := t.numeral()
	if !ok {
		return "", 0
	}
	rest := t.text[n.length:]
	spaced := strings.TrimLeft(rest, " ")
	skipped := len(rest) - len(spaced)
	for size := min(longestUnit, len(spaced)); size > 0 && skipped < 2; size-- {
		kind, known := t.language.units[spaced[:size]]
		if !known || wordGoesOn(spaced[:size], spaced[size:]) || strings.HasPrefix(spaced[size:], "/") {
			continue
		}
		if spaced[:size] == "s" && len(n.whole) == 4 { // 1990s
			return "", 0
		}
		if !t.uses(kind.formatter()) || ambiguous(spaced[:size], skipped, spaced[size:]) {
			return "", 0
		}
		return n.words(t.language, true) + " " + pick(n.one(), kind.one, kind.many), n.length + skipped + size
	}
	return "", 0
}

// longestUnit is the length of the longest name of a unit, in bytes.
const longestUnit = 8

func (u unit) formatter() Formatter {
	if u.distance {
		return Distances
	}
	return Units
}

// ambiguous reports whether a unit of one letter is rather the letter of a house, a platform or a name: "12 A", "5 l."
func ambiguous(name string, skipped int, behind string) bool {
	return len(name) == 1 && (strings.HasPrefix(behind, ".") && len(behind) > 1 || skipped == 0 && name == "A" ||
		skipped > 0 && (name == "A" || name == "L" || name == "p" || (name == "V" || name == "W") && !isQuantity(behind) ||
			name == "s" || name == "h" && behind != ""))
}

// isQuantity reports whether what stands behind "230 V" goes on like a sentence rather than a name.
func isQuantity(behind string) bool {
	return behind == "" || strings.ContainsRune(" ,;)", rune(behind[0])) && (len(behind) < 2 || behind[1] < 'A' || behind[1] > 'Z')
}
