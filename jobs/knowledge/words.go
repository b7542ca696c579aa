package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxWord = 40 // runes; what is longer is no word that anybody says
	// What is shorter is neither corrected nor looked for within other words.
	minAlikeWord = 4
	minPartWord  = 5

	likenessOfSlip   = 0.8 // one word, misspelled
	likenessOfPart   = 0.7 // one word within the other
	likenessOfOrigin = 0.5 // two words that begin alike
)

// Words returns the words of a text in lower case and without accents, in their order.
func Words(text string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word[:min(len(word), maxWord)]))
			word = word[:0]
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // the accent of the letter before
		case unicode.IsLetter(r), unicode.IsDigit(r):
			word = append(word, unicode.ToLower(r))
		case r == '\'' || r == '’': // "auto's" is one word, and so is "don't"
		default:
			end()
		}
	}
	end()
	return words
}

// distinct returns the words without repetitions, sorted.
func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// vocabulary returns the words of a text that a misspelled one may stand for.
func vocabulary(texts ...string) []string {
	var words []string
	for _, text := range texts {
		for _, word := range Words(text) {
			if len([]rune(word)) >= minAlikeWord && !strings.ContainsFunc(word, unicode.IsDigit) {
				words = append(words, word)
			}
		}
	}
	return distinct(words)
}

// plain writes every run of one letter once: Dutch doubles letters as a word is inflected (betaal, betalen; man, mannen).
func plain(word string) []rune { return slices.Compact([]rune(word)) }

// trigramsOf returns the runs of three letters of a word, its beginning and end marked, in their order.
func trigramsOf(word string) []string {
	padded := slices.Concat([]rune("__"), plain(word), []rune("_"))
	var grams []string
	for i := range len(padded) - 2 {
		grams = append(grams, string(padded[i:i+3]))
	}
	return grams
}

// likeness returns how well a word of the vocabulary stands for one of a question; 0: they have nothing in common.
func likeness(asked, term string) float64 {
	if min(utf8.RuneCountInString(asked), utf8.RuneCountInString(term)) < minAlikeWord {
		return 0
	}
	a, b := plain(asked), plain(term)
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	allowed := 1
	if shorter >= 8 {
		allowed = 2
	}
	same := commonPrefix(a, b)
	if longer-shorter <= allowed && distance(a[same:], b[same:]) <= allowed {
		return likenessOfSlip
	}
	if shorter < minPartWord {
		return 0
	}
	if same == shorter || commonSuffix(a, b) == shorter {
		return likenessOfPart
	}
	if same >= minPartWord && 3*same >= 2*shorter {
		return likenessOfOrigin
	}
	return 0
}

func commonPrefix(a, b []rune) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func commonSuffix(a, b []rune) int {
	for i := range min(len(a), len(b)) {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// distance counts the letters to insert, delete, change or swap with their neighbour (optimal string alignment).
func distance(a, b []rune) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range a {
		current[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			current[j+1] = min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				current[j+1] = min(current[j+1], before[j-1]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
