package spoken

import (
	"regexp"
	"strings"
)

// rewrite is writing that stands for other writing, which the matchers know.
type rewrite struct {
	kind  Formatter
	holds string // what text must hold, to look no further
	from  *regexp.Regexp
	to    map[*language]string // in languages that read it so; nil key: in all
}

func everywhere(to string) map[*language]string { return map[*language]string{nil: to} }

// stamp is a moment as machines write it. Its zone is that of whoever is told of it, where it is not UTC.
var stamp = regexp.MustCompile(`\b(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?:([Zz])\b|[+-]\d{2}:?\d{2})?`)

func inEnglish(to string) map[*language]string {
	return map[*language]string{&american: to, &english: to}
}

// pointedHours are "8.00-12.00": two times, since money and numbers have a comma where these are written. What stands before is no
// currency.
var pointedHours = regexp.MustCompile(`(^|[^€$£\s\d.,] ?)\b([01]?\d|2[0-4])\.([0-5]\d) ?- ?([01]?\d|2[0-4])\.([0-5]\d)\b`)

const shortMonths = "[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|May|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ep|[Oo]ct|[Nn]ov|[Dd]ec|[Mm]aa|[Mm]ei|[Oo]kt|Mär|Mai|Dez"

var rewrites = []rewrite{
	{Times, "T", stamp, map[*language]string{
		&dutch: "$1 om $2", &german: "$1 um $2 Uhr", &american: "$1 at $2", &english: "$1 at $2",
	}},
	{Numbers, "/", regexp.MustCompile(`\+/[-−] ?(\d)|\+/[-−]`), everywhere("±$1")},
	{Numbers, "+er", regexp.MustCompile(`(\d)\+(?:'|-)?ers\b`), map[*language]string{&dutch: "$1 plussers"}},
	{Numbers, "No", regexp.MustCompile(`\b[Nn]o\. ?(\d)`), map[*language]string{&dutch: "nr. $1", &german: "Nr. $1"}},
	{Numbers, ".", regexp.MustCompile(`\b(\d)\.([OU]G)\b`), map[*language]string{&german: "$1. $2"}},
	{Money, ".-", regexp.MustCompile(`([$€£] ?\d+)\.[-–—]+(\s|$|[.,;!?])`), everywhere("$1$2")},
	{Times, "h", regexp.MustCompile(`\b(abends|morgens|mittags|nachmittags|vormittags|um|ab|gegen) (\d{1,2}) ?h\b`),
		map[*language]string{&german: "$1 $2 Uhr"}},
	{Distances, "x", regexp.MustCompile(`\b([mck]?m|in|ft|inch|feet) ?[x×] ?(\d)`), map[*language]string{
		&dutch: "$1 bij $2", &german: "$1 mal $2", &american: "$1 by $2", &english: "$1 by $2",
	}},
	{Numbers, "WO", regexp.MustCompile(`\bWO ?(I{1,2})\b`), map[*language]string{&dutch: "Wereldoorlog $1"}},
	{Numbers, "WW", regexp.MustCompile(`\bWW(I{1,2})\b`), map[*language]string{&american: "World War $1", &english: "World War $1"}},
	{Numbers, "/", regexp.MustCompile(`\b([Ss]tep|[Pp]age|[Pp]art) (\d+)/(\d+)\b`),
		map[*language]string{&american: "$1 $2 of $3", &english: "$1 $2 of $3"}},
	{Numbers, "/", regexp.MustCompile(`\b((?i:stap|pagina|deel)) (\d+)/(\d+)\b`), map[*language]string{&dutch: "$1 $2 van $3"}},
	{Numbers, "/", regexp.MustCompile(`\b(Schritt|Seite|Teil) (\d+)/(\d+)\b`), map[*language]string{&german: "$1 $2 von $3"}},
	{Abbreviations, "p.", regexp.MustCompile(`\bp\. ?(\d)`), map[*language]string{&dutch: "pagina $1"}},
	{Times, "@", regexp.MustCompile(` @ (\d)`), map[*language]string{&american: " at $1", &english: " at $1"}},
	{Distances, "ft", regexp.MustCompile(`\b(\d) ?ft\.? ?(\d{1,2})in\b\.?`), map[*language]string{
		&american: `$1'$2"`, &english: `$1'$2"`,
	}},
	{Distances, "\"", regexp.MustCompile(`(\d)" (wide|tall|long|deep|high|thick)\b`), map[*language]string{
		&american: "$1 inches $2", &english: "$1 inches $2",
	}},
	{Times, ":", regexp.MustCompile(`\b(\d{1,2}:\d{2}) ?([ap])($|[\s,;!?)]|\.$|\.\s)`), inEnglish("$1 ${2}m$3")},
	{Times, "p", regexp.MustCompile(`\b(\d{1,2}) ?([ap]) ?- ?(\d{1,2}) ?([ap])\b`), inEnglish("$1 ${2}m to $3 ${4}m")},
	{Times, ".", pointedHours, map[*language]string{&dutch: "$1$2:$3-$4:$5", &german: "$1$2:$3-$4:$5"}},
	{Money, "-", regexp.MustCompile(`([$€£]) ?(\d[\d.,]*) ?([MmKkB]|bn|mln) ?- ?(\d[\d.,]*) ?([MmKkB]|bn|mln)\b`), everywhere("$1$2$3-$1$4$5")},
	{Money, "ex", regexp.MustCompile(`\bex\.? (btw|BTW|VAT|MwSt)\b`), map[*language]string{
		&dutch: "exclusief $1", &american: "excluding $1", &english: "excluding $1", &german: "exklusive $1",
	}},
	{Numbers, "k", regexp.MustCompile(`\b(\d+(?:\.\d+)?)k\b`), inEnglish("$1 K")},
	{Numbers, "bn", regexp.MustCompile(`\b(\d+(?:\.\d+)?)bn\b`), inEnglish("$1 billion")},
	{Numbers, "v", regexp.MustCompile(`\b(?:[Vv]ersion |[Vv]ersie )?v(\d{1,3}(?:\.\d+)*)\b`), map[*language]string{
		&dutch: "versie $1", &german: "Version $1", &american: "version $1", &english: "version $1",
	}},
	{Numbers, "ersi", regexp.MustCompile(`\b([Vv]ersi(?:e|on)) (\d{1,3})\.(\d)($|[\s,;:!?)]|\.$|\.\s)`), map[*language]string{
		&dutch: "$1 $2 punt $3$4", &german: "$1 $2 Punkt $3$4",
	}},
	{Telephones, "x", regexp.MustCompile(`(\d{4}),? x ?(\d{1,5})\b`), inEnglish("$1 extension $2")},
	{Distances, "ft", regexp.MustCompile(`\bsq\.? ?ft\b\.?`), inEnglish("square feet")},
	{Numbers, "/", regexp.MustCompile(`\b(\d[.,]\d{1,2}) ?/ ?(5|10|100)\b`), map[*language]string{
		&dutch: "$1 van de $2", &german: "$1 von $2", &american: "$1 out of $2", &english: "$1 out of $2",
	}},
	{Numbers, "<", regexp.MustCompile(`(^|[\s(])< ?(\d)`), map[*language]string{
		&dutch: "${1}minder dan $2", &german: "${1}weniger als $2", &american: "${1}less than $2", &english: "${1}less than $2",
	}},
	{Numbers, ">", regexp.MustCompile(`(^|[\s(])> ?(\d)`), map[*language]string{
		&dutch: "${1}meer dan $2", &german: "${1}mehr als $2", &american: "${1}more than $2", &english: "${1}more than $2",
	}},
	{Numbers, "#", regexp.MustCompile(`#([A-Z]{1,3}-?\d)`), map[*language]string{
		&dutch: "nummer $1", &german: "Nummer $1", &american: "number $1", &english: "number $1",
	}},
	{Numbers, "№", regexp.MustCompile(`№ ?(\d)`), everywhere("#$1")},
	{Abbreviations, "p/p", regexp.MustCompile(`\bp/p\b`), inEnglish("per person")},
	{Dates, " - ", regexp.MustCompile(`\b((?:` + shortMonths + `)\w*\.? \d{1,2}) - ((?:` + shortMonths + `)\w*\.? \d)`), inEnglish("$1 to $2")},
	{Dates, " - ", regexp.MustCompile(`\b(\d{1,2}\.? (?:` + shortMonths + `|mrt)\p{L}*\.?) - (\d{1,2}\.? \p{L}{3})`),
		map[*language]string{&dutch: "$1 tot en met $2", &german: "$1 bis $2", &american: "$1 to $2", &english: "$1 to $2"}},
}

// rewritten returns text with writing that the matchers know in place of other that means the same.
func (r *Reader) rewritten(text string) string {
	for _, w := range rewrites {
		if !r.uses(w.kind) || !strings.Contains(text, w.holds) {
			continue
		}
		to, known := w.to[r.language]
		if !known {
			to, known = w.to[nil]
		}
		if known {
			text = w.from.ReplaceAllString(text, to)
		}
	}
	return text
}

var (
	ratioPattern = regexp.MustCompile(`^(\d{1,3}):(\d{1,6})\b`)
	ratioWords   = strings.Fields("ratio score verhouding stand uitslag beeldverhouding schaal verhältnis maßstab seitenverhältnis " +
		"format formaat aspect scale odds")
)

// readRatio reads 16:9, which is no time: it has no two digits of minutes, or follows a word that says so.
func readRatio(t token) (string, int) {
	f := ratioPattern.FindStringSubmatch(t.text)
	if len(f) == 0 || strings.HasPrefix(t.text[len(f[0]):], ":") || strings.HasSuffix(t.before, ":") {
		return "", 0
	}
	first, _ := whole(f[1])
	second, _ := whole(f[2])
	if len(f[2]) == 2 && second < 60 && first < 25 && !t.isRatio() {
		return "", 0
	}
	return t.language.cardinal(first) + " " + t.language.against + " " + t.language.cardinal(second), len(f[0])
}

// isRatio reports whether one of the two words before says that two numbers are compared.
func (t token) isRatio() bool {
	before := strings.Fields(strings.ToLower(t.before))
	for _, word := range before[max(len(before)-2, 0):] {
		for _, of := range ratioWords {
			if strings.Trim(word, ":.,(") == of {
				return true
			}
		}
	}
	return false
}
