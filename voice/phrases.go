package voice

import (
	"strings"
	"unicode"
)

// AcknowledgementPhrases are the English and Dutch ways to say "go on, I listen".
func AcknowledgementPhrases() []string {
	return []string{
		"i understand", "i see", "i got it", "i hear you", "i'm listening", "i'm with you", "right", "okay", "ok",
		"sure", "alright", "got it", "understood", "yeah", "yes", "uh-huh", "mm-hmm", "mm", "hmm", "gotcha", "mhmm",
		"ah", "of course", "go on",

		"ja", "ja hoor", "jawel", "jazeker", "oké", "oke", "prima", "goed", "is goed", "precies", "juist", "klopt",
		"dat klopt", "ik snap het", "snap ik", "begrepen", "ik begrijp het", "duidelijk", "helder", "zeker",
		"natuurlijk", "uhu", "aha", "o ja", "ga door",
	}
}

// InterruptionPhrases are the English and Dutch words that ask for the floor.
func InterruptionPhrases() []string {
	return []string{
		"stop", "shut", "up", "enough", "quiet", "silence", "but", "don't", "not", "no", "hold", "wait", "cut",
		"pause", "nope", "nah", "nevermind", "never mind", "never", "bad", "actually",

		"wacht", "ho", "stil", "nee", "niet", "genoeg", "maar", "laat maar", "momentje", "moment", "even wachten",
		"hou op", "eigenlijk", "fout",
	}
}

// phraseSet finds phrases in what was said, whatever the case and punctuation.
type phraseSet map[string]bool

func newPhraseSet(phrases []string) phraseSet {
	set := make(phraseSet, len(phrases))
	for _, p := range phrases {
		if key := strings.Join(words(p), " "); key != "" {
			set[key] = true
		}
	}
	return set
}

// within reports whether one of the phrases occurs in text as whole words.
func (set phraseSet) within(text string) bool {
	padded := " " + strings.Join(words(text), " ") + " "
	for phrase := range set {
		if strings.Contains(padded, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// covers reports whether text consists of nothing but these phrases.
func (set phraseSet) covers(text string) bool {
	rest := words(text)
	if len(rest) == 0 {
		return false
	}
	for len(rest) > 0 {
		n := set.prefix(rest)
		if n == 0 {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// prefix is the length in words of the longest phrase that said begins with.
func (set phraseSet) prefix(said []string) int {
	const longest = 4
	for n := min(longest, len(said)); n > 0; n-- {
		if set[strings.Join(said[:n], " ")] {
			return n
		}
	}
	return 0
}

// words splits text into lower-case words without punctuation; "don't" is one word.
func words(text string) []string {
	text = strings.ToLower(strings.NewReplacer("'", "", "’", "").Replace(text))
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
