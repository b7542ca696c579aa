package spoken

import "strings"

var (
	dutchOnes = [...]string{
		"nul", "één", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf", "twaalf", "dertien", "veertien",
		"vijftien", "zestien", "zeventien", "achttien", "negentien",
	}
	dutchTens     = [...]string{"", "", "twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig"}
	dutchOrdinals = [...]string{
		"nulde", "eerste", "tweede", "derde", "vierde", "vijfde", "zesde", "zevende", "achtste", "negende", "tiende", "elfde",
		"twaalfde", "dertiende", "veertiende", "vijftiende", "zestiende", "zeventiende", "achttiende", "negentiende",
	}
)

func dutchCardinal(n int64) string {
	switch {
	case n < 20:
		return dutchOnes[n]
	case n < 100:
		return dutchTensAndOnes(n)
	case n < 200:
		return withRest("honderd", n%100, "", dutchCardinal)
	case n < 1000:
		return withRest(dutchOnes[n/100]+"honderd", n%100, "", dutchCardinal)
	case n < 10_000 && n%100 == 0 && n%1000 != 0:
		return dutchCardinal(n/100) + "honderd" // vijftienhonderd
	case n < 2000:
		return withRest("duizend", n%1000, " ", dutchCardinal)
	case n < 1e6:
		return withRest(dutchCardinal(n/1000)+"duizend", n%1000, " ", dutchCardinal)
	case n < 1e9:
		return withRest(dutchCardinal(n/1e6)+" miljoen", n%1e6, " ", dutchCardinal)
	case n < 1e12:
		return withRest(dutchCardinal(n/1e9)+" miljard", n%1e9, " ", dutchCardinal)
	default:
		return withRest(dutchCardinal(n/1e12)+" biljoen", n%1e12, " ", dutchCardinal)
	}
}

func dutchTensAndOnes(n int64) string {
	switch n % 10 {
	case 0:
		return dutchTens[n/10]
	case 1:
		return "eenen" + dutchTens[n/10]
	case 2, 3:
		return dutchOnes[n%10] + "ën" + dutchTens[n/10]
	default:
		return dutchOnes[n%10] + "en" + dutchTens[n/10]
	}
}

func dutchOrdinal(n int64) string {
	if rest := n % 100; rest > 0 && rest < 20 {
		if n == rest {
			return dutchOrdinals[n]
		}
		return dutchCardinal(n-rest) + dutchOrdinals[rest]
	}
	if n == 0 {
		return dutchOrdinals[0]
	}
	return dutchCardinal(n) + "ste"
}

func dutchYear(n int64) string {
	if n >= 1100 && n < 2000 {
		return withRest(dutchCardinal(n/100)+"honderd", n%100, "", dutchCardinal)
	}
	return dutchCardinal(n)
}

// dutchFraction reads two digits as a number: drie komma vijfentwintig.
func dutchFraction(run string) string {
	if n, ok := whole(run); ok && len(run) == 2 && run[0] != '0' && run[1] != '0' {
		return dutchCardinal(n)
	}
	return oneByOne([10]string(dutchOnes[:10]))(run)
}

func dutchClock(hour, minute int64, _ string) string {
	words := dutchCardinal(hour) + " uur"
	if minute > 0 {
		words += " " + dutchCardinal(minute)
	}
	return words
}

func dutchDate(_ token, day, month, year int64) string {
	words := dutchCardinal(day) + " " + dutchMonths[month-1]
	if year > 0 {
		words += " " + dutchYear(year)
	}
	return words
}

// pairs groups the way the Dutch and Germans do: 2 by 2, and 3 before that where the count is odd.
func pairs(run string) []int {
	n := len(run)
	switch {
	case n <= 3:
		return []int{n}
	case n == 6 || n == 9:
		return slicesOf(3, n/3)
	case n == 10 && strings.HasPrefix(run, "0") && !strings.HasPrefix(run, "06"): // three of the area, seven of the subscriber
		return []int{3, 3, 2, 2}
	case n%2 == 1:
		return append([]int{3}, slicesOf(2, (n-3)/2)...)
	default:
		return slicesOf(2, n/2)
	}
}

var dutchMonths = [12]string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
	"november", "december"}

var dutch = language{
	decimal: ',', cardinal: dutchCardinal, ordinal: dutchOrdinal, year: dutchYear, counted: dutchCardinal, fraction: dutchFraction,
	digit: [10]string(dutchOnes[:10]), groups: pairs, codeInTens: true, suffixes: []string{"ste", "de", "e"},
	point: "komma", minus: "min", plus: "plus", to: "tot", per: "per", and: "en", times: "keer", percent: "procent",
	number: "nummer", by: "bij", against: "op", at: "apenstaartje", dot: "punt", dash: "streepje", underscore: "underscore", slash: "slash",
	question: "vraagteken", equals: "is", equalsMark: "is", hash: "hekje", tilde: "tilde",
	signs:   map[rune]string{'±': "ongeveer", '~': "ongeveer", '≈': "ongeveer", '≥': "minstens", '≤': "hoogstens", '§': "paragraaf"},
	streets: map[string]string{"str": "straat", "ln": "laan", "pl": "plein", "wg": "weg"},
	codeWords: strings.Fields("pin pincode code toegangscode toestel tst. klantnummer ordernummer ordernr bestelnummer boekingsnummer " +
		"reserveringsnummer referentie dossiernummer zaaknummer bsn"),
	callWords: strings.Fields("bel belt bellen draai kies via alarmnummer"),
	monthNames: monthsOf("januari februari maart april mei juni juli augustus september oktober november december " +
		"jan feb mrt apr _ jun jul aug sep okt nov dec _ _ _ _ _ _ _ _ sept"),
	months: dutchMonths, weekdays: weekdaysOf("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag", "ma di wo do vr za zo",
		"ma di do zo",
		"tot en met"),
	date: dutchDate, dateWords: []string{"op", "d.d.", "vóór", "voor", "vanaf", "tot", "sinds", "per"}, clock: dutchClock, oclock: "uur",
	currencies: dutchMoney, cents: func(whole, rest string) string { return whole + " " + strings.TrimSuffix(rest, " cent") },
	scales: map[string]string{
		"duizend": "duizend", "miljoen": "miljoen", "miljard": "miljard", "mln.": "miljoen", "mln": "miljoen", "mld.": "miljard",
		"mld": "miljard", "k": "duizend", "K": "duizend", "M": "miljoen",
	},
	units: dutchUnits, fractions: dutchFractions, halves: dutchHalves, mixed: " en ", exact: dutchExact,
	abbreviations: dutchAbbreviations,
}
