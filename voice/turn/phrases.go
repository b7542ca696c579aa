package turn

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/voice/sentence"
)

// The phrases of a plan that has none of its own are shared by all calls, and the sets made of them.
var (
	usualPhrases, rarePhrases = acknowledgementsIn(), rareAcknowledgements()
	acknowledgements          = slices.Concat(usualPhrases["en"], usualPhrases["nl"], usualPhrases["de"], rarePhrases)
	languageSets, rareSet     = phraseSetsOf(usualPhrases), newPhraseSet(rarePhrases)
	commonSet                 = languageSets["en"].with(languageSets["nl"]).with(languageSets["de"])
	acknowledgementSet        = commonSet.with(rareSet)

	interruptions       = interruptionPhrases()
	interruptionSet     = newPhraseSet(interruptions)
	partingSet, tailSet = newPhraseSet(farewellPhrases()), newPhraseSet(tailPhrases())
	intensifierSet      = newPhraseSet(intensifiers())
	frameSet, otherSet  = newPhraseSet(judgementFrames()), newPhraseSet(noJudgements())
	wholeSet            = newPhraseSet(wholeWords())
)

// AcknowledgementPhrases returns the English, Dutch and German ways to say "go on, I listen". Nobody may write to them.
func AcknowledgementPhrases() []string { return slices.Clip(acknowledgements) }

// InterruptionPhrases returns the English, Dutch and German words that ask for the floor. Nobody may write to them.
func InterruptionPhrases() []string { return slices.Clip(interruptions) }

func interruptionPhrases() []string {
	return []string{
		"stop", "shut", "up", "enough", "quiet", "silence", "but", "don't", "not", "no", "hold", "wait", "cut",
		"pause", "nope", "nah", "nevermind", "never mind", "never", "bad", "actually",

		"wacht", "ho", "stil", "nee", "niet", "genoeg", "maar", "laat maar", "momentje", "moment", "even wachten",
		"hou op", "eigenlijk", "fout",

		"stopp", "halt", "warte", "warten", "nein", "nicht", "aber", "genug", "falsch", "ruhe", "moment mal", "augenblick", "trotzdem",
		"eigentlich", "niemals",
	}
}

// farewellPhrases returns what callers say into a goodbye: nothing to stop for, but to be answered where the call goes on.
func farewellPhrases() []string {
	return []string{
		"bye", "goodbye", "good bye", "see you", "see you then", "take care", "have a nice day", "have a good day",
		"you too", "same to you",

		"doei", "doeg", "dag", "daag", "tot ziens", "tot dan", "tot horens", "fijne dag", "fijne dag nog", "fijne avond",
		"fijn weekend", "u ook", "jij ook",
		"hetzelfde", "insgelijks",

		"tschüss", "tschüs", "ciao", "auf wiederhören", "auf wiedersehen", "bis dann", "bis bald", "schönen tag", "schönen tag noch",
		"schönen abend", "schönes wochenende", "ihnen auch", "gleichfalls", "ebenfalls", "ebenso",
	}
}

// phraseSet finds phrases in what was said, whatever the case and punctuation. They are sorted: a map would take ten
// times the memory.
type phraseSet []string

func phraseSetsOf(phrases map[string][]string) map[string]phraseSet {
	sets := map[string]phraseSet{}
	for language, of := range phrases {
		sets[language] = newPhraseSet(of)
	}
	return sets
}

func newPhraseSet(phrases []string) phraseSet {
	set := make(phraseSet, 0, len(phrases))
	for _, p := range phrases {
		if key := strings.Join(sentence.Words(p), " "); key != "" {
			set = append(set, key)
		}
	}
	slices.Sort(set)
	return slices.Clip(slices.Compact(set))
}

// with returns the set and those of another.
func (set phraseSet) with(other phraseSet) phraseSet {
	both := slices.Concat(set, other)
	slices.Sort(both)
	return slices.Clip(slices.Compact(both))
}

// without returns the set without those of another.
func (set phraseSet) without(other phraseSet) phraseSet {
	among := func(phrase string) bool {
		_, found := slices.BinarySearch(other, phrase)
		return found
	}
	if !slices.ContainsFunc(set, among) {
		return set
	}
	return slices.DeleteFunc(slices.Clone(set), among)
}

// within reports whether one of the phrases occurs in text as whole words.
func (set phraseSet) within(text string) bool {
	padded := " " + strings.Join(sentence.Words(text), " ") + " "
	for _, phrase := range set {
		if strings.Contains(padded, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// covers reports whether text consists of nothing but these phrases, those of more, tails behind one of them, and intensifiers.
func (set phraseSet) covers(text string, more ...phraseSet) bool {
	words := sentence.Words(text)
	return set.coverWords(words, more) || set.coverWords(plain(words), more)
}

func (set phraseSet) coverWords(rest []string, more []phraseSet) bool {
	if len(rest) == 0 {
		return false
	}
	for begun := false; len(rest) > 0; begun = true {
		n := max(set.prefix(rest), judges(rest))
		for _, other := range more {
			n = max(n, other.prefix(rest))
		}
		if begun {
			n = max(n, tailSet.prefix(rest))
		}
		if n == 0 {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// plain returns words without intensifiers.
func plain(words []string) []string {
	intensifies := func(word string) bool {
		_, found := slices.BinarySearch(intensifierSet, word)
		return found
	}
	if !slices.ContainsFunc(words, intensifies) {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), intensifies)
}

// mayCover reports whether text, and words that may follow it, consist of nothing but these phrases, those of more, and
// intensifiers. Of phrases that are under way only those count that are among usual.
func (set phraseSet) mayCover(text string, usual phraseSet, more ...phraseSet) bool {
	words := sentence.Words(text)
	if len(words) == 0 {
		return false
	}
	core := plain(words)
	return len(core) == 0 || set.mayCoverWords(words, phraseSet.continues, usual, more) ||
		set.mayCoverWords(core, phraseSet.continues, usual, more)
}

// mayCoverHalf is mayCover for text whose last word is not whole.
func (set phraseSet) mayCoverHalf(text string, usual phraseSet) bool {
	words := sentence.Words(text)
	if len(words) == 0 {
		return false
	}
	half := words[len(words)-1]
	_, whole := slices.BinarySearch(wholeSet, half)
	_, other := slices.BinarySearch(otherSet, half)
	return !whole && !other && utf8.RuneCountInString(half) > 1 && set.mayCoverWords(plain(words), phraseSet.completes, usual, nil)
}

// mayCoverWords reports whether phrases cover all of rest, or all but its end, with which one of them goes on.
func (set phraseSet) mayCoverWords(rest []string, goesOn func(phraseSet, string) bool, usual phraseSet, more []phraseSet) bool {
	under := append([]phraseSet{usual}, more...)
	for first := true; len(rest) > 0; first = false {
		if !first {
			under = append(under[:len(more)+1], tailSet)
		}
		begun, n := strings.Join(rest, " ")+" ", max(judges(rest), set.prefix(rest))
		for _, other := range under {
			n = max(n, other.prefix(rest))
			if goesOn(other, begun) {
				return true
			}
		}
		if n == 0 {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// continues reports whether one of the phrases begins with these words and goes on.
func (set phraseSet) continues(begun string) bool {
	at, _ := slices.BinarySearch(set, begun)
	return at < len(set) && strings.HasPrefix(set[at], begun)
}

// completes reports whether one of the phrases begins with these words, of which the last has more letters there.
func (set phraseSet) completes(begun string) bool {
	half := strings.TrimSuffix(begun, " ")
	at, _ := slices.BinarySearch(set, half+"!") // behind those that go on with another word
	return at < len(set) && strings.HasPrefix(set[at], half)
}

// prefix returns the length in words of the longest phrase that said begins with.
func (set phraseSet) prefix(said []string) int {
	const longest = 6
	for n := min(longest, len(said)); n > 0; n-- {
		if _, found := slices.BinarySearch(set, strings.Join(said[:n], " ")); found {
			return n
		}
	}
	return 0
}

// asHeard returns texts as they are heard.
func asHeard(texts []string) []string {
	heard := make([]string, len(texts))
	for i, text := range texts {
		heard[i] = strings.Join(sentence.Split(text), " ")
	}
	return heard
}
