package spoken

import "strings"

var (
	germanOnes = [...]string{
		"null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn",
		"vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
	}
	germanTens     = [...]string{"", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"}
	germanOrdinals = [...]string{
		"nullte", "erste", "zweite", "dritte", "vierte", "fünfte", "sechste", "siebte", "achte", "neunte", "zehnte", "elfte",
		"zwölfte", "dreizehnte", "vierzehnte", "fünfzehnte", "sechzehnte", "siebzehnte", "achtzehnte", "neunzehnte",
	}
)

func germanCardinal(n int64) string {
	switch {
	case n < 20:
		return germanOnes[n]
	case n < 100:
		if n%10 == 0 {
			return germanTens[n/10]
		}
		return germanStem(n%10) + "und" + germanTens[n/10]
	case n < 1000:
		return withRest(germanStem(n/100)+"hundert", n%100, "", germanCardinal)
	case n < 1e6:
		return withRest(germanStem(n/1000)+"tausend", n%1000, "", germanCardinal)
	case n < 1e9:
		return germanLarge(n, 1e6, "Million", "Millionen")
	case n < 1e12:
		return germanLarge(n, 1e9, "Milliarde", "Milliarden")
	default:
		return germanLarge(n, 1e12, "Billion", "Billionen")
	}
}

// germanStem is a number in front of something: einundzwanzig, eintausend.
func germanStem(n int64) string {
	if words := germanCardinal(n); strings.HasSuffix(words, "eins") {
		return strings.TrimSuffix(words, "s")
	}
	return germanCardinal(n)
}

func germanLarge(n, of int64, one, many string) string {
	words := "eine " + one
	if n/of > 1 {
		words = germanCardinal(n/of) + " " + many
	}
	return withRest(words, n%of, " ", germanCardinal)
}

func germanOrdinal(n int64) string {
	if rest := n % 100; rest < 20 && (rest > 0 || n == 0) {
		if n == rest {
			return germanOrdinals[n]
		}
		return germanCardinal(n-rest) + germanOrdinals[rest]
	}
	return germanCardinal(n) + "ste"
}

func germanYear(n int64) string {
	if n >= 1100 && n < 2000 {
		return withRest(germanCardinal(n/100)+"hundert", n%100, "", germanCardinal)
	}
	return germanCardinal(n)
}

func germanClock(hour, minute int64, _ string) string {
	words := germanStem(hour) + " Uhr"
	if minute > 0 {
		words += " " + germanCardinal(minute)
	}
	return words
}

// germanDate inflects the day by the word before it: "am dritten April", else "dritter April".
func germanDate(t token, day, month, year int64) string {
	ending, _ := t.germanEnding("")
	words := germanOrdinal(day) + ending + " " + germanMonths[month-1]
	if year > 0 {
		words += " " + germanYear(year)
	}
	return words
}

func germanCents(whole, rest string) string {
	if rest == "ein Cent" {
		return whole + " eins"
	}
	return whole + " " + strings.TrimSuffix(rest, " Cent")
}

var germanMonths = [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
	"November", "Dezember"}

var german = language{
	decimal: ',', cardinal: germanCardinal, ordinal: germanOrdinal, year: germanYear, counted: germanStem,
	fraction: oneByOne([10]string(germanOnes[:10])), digit: [10]string(germanOnes[:10]), groups: pairs,
	point: "Komma", minus: "minus", plus: "plus", to: "bis", per: "pro", and: "und", times: "mal", percent: "Prozent",
	number: "Nummer", by: "mal", against: "zu", at: "at", dot: "Punkt", dash: "Bindestrich", underscore: "Unterstrich", slash: "Schrägstrich",
	question: "Fragezeichen", equals: "gleich", equalsMark: "gleich", hash: "Raute", tilde: "Tilde",
	signs:     map[rune]string{'±': "plus minus", '~': "etwa", '≈': "etwa", '≥': "mindestens", '≤': "höchstens", '§': "Paragraph"},
	streets:   map[string]string{"str": "straße", "pl": "platz", "wg": "weg"},
	codeWords: strings.Fields("pin code kennwort durchwahl kundennummer bestellnummer auftragsnummer buchungsnummer referenz vorgangsnummer"),
	callWords: strings.Fields("wählen wähle ruf rufen notruf die unter"),
	monthNames: monthsOf("januar februar märz april mai juni juli august september oktober november dezember " +
		"jan feb mrz apr _ jun jul aug sep okt nov dez jänner _ _ _ _ _ _ _ sept"),
	months: germanMonths, weekdays: weekdaysOf("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
		"Mo Di Mi Do Fr Sa So", "mo di do fr so", "bis"),
	date: germanDate, dateWords: []string{"am", "bis", "ab", "vom", "zum"}, clock: germanClock, oclock: "Uhr",
	currencies: germanMoney, cents: germanCents,
	scales: map[string]string{
		"tausend": "tausend", "Million": "Million", "Millionen": "Millionen", "Milliarde": "Milliarde", "Milliarden": "Milliarden",
		"Mio.": "Millionen", "Mio": "Millionen", "Mrd.": "Milliarden", "Mrd": "Milliarden",
	},
	units: germanUnits, fractions: germanFractions, halves: germanHalves, mixed: " ", exact: germanExact,
	abbreviations: germanAbbreviations,
}
