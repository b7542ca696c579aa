package spoken

import (
	"regexp"
	"strings"
)

var (
	moneyBefore = regexp.MustCompile(`^([-−] ?)?(US\$|EUR|USD|GBP|CHF|[€$£]) ?([-−])?`)
	moneyBehind = regexp.MustCompile(`^ ?(US\$|EUR|USD|GBP|CHF|[€$£]|euros?\b|Euro\b|dollars?\b|pounds\b)`)
	noCents     = regexp.MustCompile(`^,[-–—]+`)
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
	if !ok || n.negative {
		return "", 0
	}
	n.negative = found[1] != "" || found[3] != ""
	length += n.length
	words, used := t.amount(n, t.language.currencies[found[2]], t.text[length:])
	return words, length + used
}

// moneyBehindNumber reads an amount whose currency stands behind it. Whole numbers before a word are no different from others.
func (t token) moneyBehindNumber() (string, int) {
	n, ok := t.numeral()
	if !ok {
		return "", 0
	}
	length := n.length + len(noCents.FindString(t.text[n.length:]))
	found := moneyBehind.FindStringSubmatch(t.text[length:])
	if found == nil {
		return "", 0
	}
	kind, known := t.language.currencies[strings.TrimSpace(found[1])]
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
	if found := scaleBehind.FindStringSubmatch(behind); found != nil {
		word, dotless := found[1], strings.TrimSuffix(found[1], ".")
		scale, known := t.language.scales[word]
		used := len(found[0])
		if !known {
			scale, known = t.language.scales[dotless]
			used -= len(word) - len(dotless)
		}
		if known {
			return n.words(t.language, true) + " " + scale + " " + kind.many, used
		}
	}
	return t.sum(n, kind), 0
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
	const longestUnit = 8 // bytes
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

func (u unit) formatter() Formatter {
	if u.distance {
		return Distances
	}
	return Units
}

// ambiguous reports whether a unit of one letter is rather the letter of a house, a platform or a name: "12 A", "5 l."
func ambiguous(name string, skipped int, behind string) bool {
	return len(name) == 1 && (strings.HasPrefix(behind, ".") && len(behind) > 1 || skipped == 0 && name == "A" ||
		skipped > 0 && (name == "A" || name == "V" || name == "W" || name == "L" || name == "s" || name == "h" && behind != ""))
}
