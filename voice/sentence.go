package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitter cuts streamed text into sentences that can be spoken, each as soon as it is
// complete. The zero value is ready.
type splitter struct{ text string }

// Sentences longer than this are cut at a comma, else at a space: a listener waits for
// the first words of a reply, and a synthesiser for the end of a sentence.
const longSentence = 240 // bytes

// closers may stand between the end of a sentence and the white space behind it.
const closers = "\"'”’»)]*_"

// push adds text and returns the sentences that it completes.
func (s *splitter) push(text string) []string {
	s.text += text
	var out []string
	for {
		end := s.boundary()
		if end == 0 {
			return out
		}
		if sentence := speakable(s.text[:end]); sentence != "" {
			out = append(out, sentence)
		}
		s.text = s.text[end:]
	}
}

// rest is the last sentence, which may lack its full stop.
func (s *splitter) rest() string {
	sentence := speakable(s.text)
	s.text = ""
	return sentence
}

// boundary is where the first complete sentence ends; 0 when none is complete yet. A full
// stop ends one only when the white space behind it has arrived: "9.30" has none.
func (s *splitter) boundary() int {
	for i, r := range s.text {
		end := i + utf8.RuneLen(r)
		switch {
		case r == '\n':
			return end
		case strings.ContainsRune("。？！", r):
			return end
		case strings.ContainsRune(".?!…", r):
			behind := strings.TrimLeft(s.text[end:], closers)
			next, _ := utf8.DecodeRuneInString(behind)
			if behind != "" && unicode.IsSpace(next) && (r != '.' || !abbreviated(s.text[:i])) {
				return len(s.text) - len(behind)
			}
		}
	}
	if len(s.text) < longSentence {
		return 0
	}
	if comma := strings.LastIndex(s.text[:longSentence], ", "); comma > 0 {
		return comma + 1
	}
	return strings.LastIndexByte(s.text[:longSentence], ' ') + 1
}

// abbreviated reports whether the full stop behind text belongs to its last word.
func abbreviated(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	if strings.TrimSpace(text) == word && strings.Trim(word, "0123456789") == "" {
		return true // "10." before an item of a list
	}
	word = strings.TrimLeft(word, "(\"'*_")
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "drs", "prof", "ph.d", "ir", "ing", "mw", "mevr", "dhr", "st", "jr", "sr", "vs", "etc", "approx", "dept", "ltd", "inc",
		"nr", "bijv", "bv", "ca", "tel", "blz", "evt", "excl", "incl", "resp", "zgn":
		return true
	}
	for part := range strings.SplitSeq(word, ".") { // an initial, or "p.m", "e.g", "i.v.m"
		if letter, size := utf8.DecodeRuneInString(part); size != len(part) || !unicode.IsLetter(letter) {
			return utf8.RuneCountInString(word) == 1 // "1."
		}
	}
	return true
}

// sentences splits a text that is known completely.
func sentences(text string) []string {
	var s splitter
	out := s.push(text)
	if last := s.rest(); last != "" {
		out = append(out, last)
	}
	return out
}
