package conversation

import (
	"strings"
	"unicode/utf8"
)

// What real calls have and written conversations do not.

// hesitant returns what a caller says, with a sound of hesitation before some pauses within a clause, and the word before others once
// more behind them.
func (m *materials) hesitant(say string) string {
	if m.rough == nil {
		return say
	}
	var out []string
	for field := range strings.FieldsSeq(say) {
		if field != "|" || len(out) == 0 {
			out = append(out, field)
			continue
		}
		switch before := out[len(out)-1]; m.rough.IntN(4) {
		case 0:
			out = append(out, "uh", "|")
		case 1:
			out = append(out, "|", before)
		default:
			out = append(out, "|")
		}
	}
	return strings.Join(out, " ")
}

// underWay returns the first letters of a word that is being spoken, as some recognisers write some.
func (s *transcript) underWay() string {
	now := s.room.now()
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if !s.room.rough || s.judged >= len(s.room.words) {
		return ""
	}
	w := s.room.words[s.judged]
	letters := []rune(strings.ToLower(strings.Trim(w.text, ".,?!")))
	half := w.from + (w.to-w.from)/2
	if w.other || len(letters) < longWord || w.from%3 != 0 || now < half || now >= w.to || !s.wrote(w.word) {
		return ""
	}
	return string(letters[:len(letters)/2])
}

// longWord is how many letters a word has of which a part is written.
const longWord = 5

// numerals are the words that recognisers write as digits among others.
var numerals = map[string]string{
	"zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"nul": "0", "een": "1", "twee": "2", "drie": "3", "vier": "4", "vijf": "5", "zes": "6", "zeven": "7", "acht": "8", "negen": "9",
	"null": "0", "eins": "1", "zwei": "2", "drei": "3", "fünf": "5", "sechs": "6", "sieben": "7", "neun": "9",
}

// inDigits returns a text with several number words in a row as one number.
func inDigits(text string) string {
	var out []string
	var run []string // of number words
	flush := func() {
		var number strings.Builder
		for _, word := range run {
			number.WriteString(numerals[word])
		}
		if utf8.RuneCountInString(number.String()) > 1 {
			run = []string{number.String()}
		}
		out, run = append(out, run...), nil
	}
	for word := range strings.FieldsSeq(text) {
		if numerals[word] != "" {
			run = append(run, word)
			continue
		}
		flush()
		out = append(out, word)
	}
	flush()
	return strings.Join(out, " ")
}
