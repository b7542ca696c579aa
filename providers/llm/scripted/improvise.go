package scripted

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// language is what a reply without a rule is made of.
type language struct {
	telling   []string // words that only this language has
	empty     []string // words that say nothing about the subject
	orders    []string // beginnings of sentences that tell the model what to do
	thanks    []string
	farewells []string
	consent   []string
	greeting  string
	goOn      string
	welcome   string
	farewell  string
	unknown   string
	done      string
}

func english() *language {
	return &language{
		telling: strings.Fields("the is are what you your of and thank thanks bye goodbye hello"),
		empty: strings.Fields(`a an the is are am was be do does did can could will would shall should may i you he she it
			we they me my your our their this that these those of on in at to for from by with and or not no yes what
			which who when where how why there here please have has had like want know tell about so if`),
		orders:    strings.Fields("you be never always do don't answer speak say ask keep use greet help if try please"),
		thanks:    strings.Fields("thanks thank"),
		farewells: strings.Fields("bye goodbye"),
		consent:   strings.Fields("yes yeah sure okay ok certainly"),
		greeting:  "Hello, how can I help you?",
		goOn:      "Good. How can I help you?",
		welcome:   "You are welcome. Is there anything else I can do for you?",
		farewell:  "Thank you for calling. Goodbye.",
		unknown:   "I am sorry, I do not know that. Is there anything else I can help you with?",
		done:      "That is done.",
	}
}

func dutch() *language {
	return &language{
		telling: strings.Fields("de het een is van wat ik je jij u uw en bent bedankt dank doei hallo goedendag niet"),
		empty: strings.Fields(`de het een is zijn was ben bent doe doet kan kunt kunnen zal zou mag ik je jij u hij zij ze
			wij we mij mijn uw jouw ons onze hun dit dat deze die van op in aan te voor door met en of niet geen nee ja
			wat welke wie wanneer waar hoe waarom er daar hier graag heb heeft had wil weten over dus als om`),
		orders:    strings.Fields("je jij u wees nooit altijd beantwoord spreek zeg vraag gebruik begroet help als probeer"),
		thanks:    strings.Fields("bedankt dank dankjewel dankuwel"),
		farewells: strings.Fields("doei dag ziens hoi houdoe"),
		consent:   strings.Fields("ja jawel prima oke ok zeker"),
		greeting:  "Goedendag, waarmee kan ik u helpen?",
		goOn:      "Fijn. Waarmee kan ik u helpen?",
		welcome:   "Graag gedaan. Kan ik nog iets voor u doen?",
		farewell:  "Bedankt voor het bellen. Tot ziens.",
		unknown:   "Het spijt me, dat weet ik niet. Kan ik u ergens anders mee helpen?",
		done:      "Dat is geregeld.",
	}
}

// improvise replies without a rule; facts is what the system messages say besides rules.
func (c *conversation) improvise(facts string) string {
	tongue := c.language()
	said := words(c.last)
	switch {
	case c.result != nil:
		if plain := strings.TrimSpace(c.result.Content); plain != "" && !strings.ContainsAny(plain[:1], "{[") {
			return plain
		}
		return tongue.done
	case len(said) == 0:
		return tongue.greeting
	case overlaps(said, tongue.farewells):
		return tongue.farewell
	}
	if fact := tongue.bestFact(facts, said); fact != "" {
		return fact
	}
	switch {
	case overlaps(said, tongue.thanks):
		return tongue.welcome
	case overlaps(said, tongue.consent):
		return tongue.goOn
	}
	return tongue.unknown
}

// language is the one with more of its own words in what the caller said, or, before that
// tells, in the system messages.
func (c *conversation) language() *language {
	en, nl := english(), dutch()
	for _, text := range []string{c.heard, c.system} {
		inText := words(text)
		switch difference := count(inText, nl.telling) - count(inText, en.telling); {
		case difference > 0:
			return nl
		case difference < 0:
			return en
		}
	}
	return en
}

// bestFact is the sentence that shares most words that say something; the first of equals. A question, as lists of answers
// have them, stands for the sentence behind it.
func (l *language) bestFact(facts string, said []string) string {
	about := slices.DeleteFunc(slices.Clone(said), func(word string) bool { return slices.Contains(l.empty, word) })
	best, bestScore := "", 0
	all := sentences(facts)
	for i, sentence := range all {
		inSentence := words(sentence)
		if len(inSentence) == 0 || slices.Contains(l.orders, inSentence[0]) {
			continue
		}
		score := count(stems(inSentence), stems(about))
		if strings.HasSuffix(sentence, "?") {
			if i+1 == len(all) || strings.HasSuffix(all[i+1], "?") {
				continue
			}
			sentence = all[i+1]
		}
		if score > bestScore {
			best, bestScore = sentence, score
		}
	}
	return best
}

// sentences parts at line ends and behind full stops that a space follows.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "-*# ")
		for line != "" {
			end := sentenceEnd(line)
			out = append(out, line[:end])
			line = strings.TrimSpace(line[end:])
		}
	}
	return out
}

func sentenceEnd(line string) int {
	for i := range len(line) - 1 {
		if strings.IndexByte(".!?", line[i]) >= 0 && line[i+1] == ' ' {
			return i + 1
		}
	}
	return len(line)
}

// count is how many different words of set are in text.
func count(text, set []string) int {
	n := 0
	for i, word := range set {
		if slices.Contains(text, word) && !slices.Contains(set[:i], word) {
			n++
		}
	}
	return n
}

func overlaps(text, set []string) bool { return count(text, set) > 0 }

// stems makes plurals and singulars alike, roughly.
func stems(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		for _, ending := range []string{"ing", "en", "es", "s", "e"} {
			if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 3 {
				word = short
				break
			}
		}
		out[i] = word
	}
	return out
}

// words are the words of text in lower case, without accents.
func words(text string) []string {
	return strings.FieldsFunc(fold(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// fold takes accents off letters.
func fold(text string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	if err != nil {
		return text // it is not UTF-8: then it has no accents that we know
	}
	return plain
}
