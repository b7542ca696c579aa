package spoken

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	germanPoint  = regexp.MustCompile(`^(\d{1,3})\.(?:[ ,-]|$)`)
	germanDecade = regexp.MustCompile(`^(\d{0,2}\d0)er\b`)
	oneOfAList   = regexp.MustCompile(`^\d{1,3}\.(?:\d{1,2}\.)?$`)
	weakBefore   = strings.Fields("am im zum zur vom beim dem den des einem einer eines einen jeden jedem diesem diesen dieser meinem " +
		"meiner ihrem ihrer unserem unserer ab seit")
	strongBefore  = strings.Fields("die das eine jede jedes diese dieses dieser ins jeder")
	beforeLast    = strings.Fields("am vom zum der dem den des") // an ordinal that ends the sentence
	joining       = strings.Fields("und oder bis")
	prepositions  = strings.Fields("in an auf mit von zu bei nach aus seit vor hinter über unter neben zwischen ab bis")
	feminineNouns = strings.Fields("Etage Klasse Woche Stunde Frage Reihe Tür Straße Runde Auflage Person Seite Möglichkeit Option Mahnung " +
		"Rate")
	neuterNouns = strings.Fields("Mal Kapitel Quartal Jahr Jahrhundert Stockwerk Obergeschoss Untergeschoss Kind Semester " +
		"Angebot OG UG")
)

// readGermanOrdinal reads "im 3. Stock". A full stop may also end the sentence: what stands around it decides.
func readGermanOrdinal(t token) (string, int) {
	if t.language != &german {
		return "", 0
	}
	if f := germanDecade.FindStringSubmatch(t.text); f != nil {
		value, _ := whole(f[1])
		if len(f[1]) == 4 {
			return germanYear(value) + "er", len(f[0])
		}
		return germanCardinal(value) + "er", len(f[0])
	}
	f := germanPoint.FindStringSubmatch(t.text)
	if f == nil {
		return "", 0
	}
	value, _ := whole(f[1])
	length := len(f[1]) + 1
	behind := strings.TrimLeft(t.text[length:], " ,")
	ending, inflected := t.germanEnding(behind)
	next, _ := utf8.DecodeRuneInString(behind)
	listed := oneOfAList.MatchString(firstWord(behind)) || strings.HasSuffix(t.before, ". und ") ||
		strings.HasSuffix(t.before, ". oder ")
	if !inflected && !listed && !unicode.IsLower(next) && next != '-' &&
		!isNoun(behind, feminineNouns) && !isNoun(behind, neuterNouns) {
		return "", 0
	}
	if behind == "" && !listed && (value > 31 || !slices.Contains(beforeLast, t.previous())) {
		return "", 0
	}
	return germanOrdinal(value) + ending, length
}

// germanEnding returns the ending of an ordinal by the word that goes before it, others of the same list left aside, and whether
// there is such a word. Without one the noun behind it decides.
func (t token) germanEnding(behind string) (string, bool) {
	fields := strings.Fields(strings.ToLower(strings.NewReplacer("-", " ", ",", " ").Replace(t.before)))
	until := false
	for len(fields) > 0 && (oneOfAList.MatchString(fields[len(fields)-1]) || slices.Contains(joining, fields[len(fields)-1])) {
		until = until || fields[len(fields)-1] == "bis"
		fields = fields[:len(fields)-1]
	}
	last, before := "", ""
	if len(fields) > 0 {
		last = fields[len(fields)-1]
	}
	if len(fields) > 1 {
		before = fields[len(fields)-2]
	}
	switch {
	case slices.Contains(weakBefore, last) || last == "der" && slices.Contains(prepositions, before):
		return "n", true
	case last == "der" || slices.Contains(strongBefore, last):
		return "", true
	case until && last == "":
		return "n", true
	case last == "ein" && isNoun(behind, neuterNouns):
		return "s", true
	case last == "ein":
		return "r", true
	case isNoun(behind, feminineNouns):
		return "", false
	case isNoun(behind, neuterNouns):
		return "s", false
	}
	return "r", false
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimRight(word, ",")
}

// isNoun reports whether the first word of text is among nouns.
func isNoun(text string, nouns []string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(text)
	}
	return slices.Contains(nouns, text[:end])
}
