// Package sentence makes of written text what is spoken: sentences, without marks, pictures and addresses that nobody reads
// out, and the words in them. It knows text alone.
package sentence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitter cuts streamed text into sentences that can be spoken, each as soon as it is complete. The zero value is ready.
type Splitter struct {
	text   string
	inCode bool // between two lines of ```
}

// Sentences longer than this are cut at a comma, else at a space: a listener waits for the first words of a reply, and a
// synthesiser for the end of a sentence.
const longSentence = 240 // bytes

// closers may stand between the end of a sentence and the white space behind it.
const closers = "\"'”’»)]*_"

// Push adds text and returns the sentences that it completes.
func (s *Splitter) Push(text string) []string {
	s.text += text
	var out []string
	for {
		end := s.boundary()
		if end == 0 {
			return out
		}
		if sentence := s.spoken(s.text[:end]); sentence != "" {
			out = append(out, sentence)
		}
		s.text = s.text[end:]
	}
}

// Rest returns the last sentence, which may lack its full stop.
func (s *Splitter) Rest() string {
	sentence := s.spoken(s.text)
	s.text = ""
	return sentence
}

// spoken returns what is to be read of a sentence or a line: nothing of code.
func (s *Splitter) spoken(text string) string {
	if is, code := fence(text); is {
		s.inCode = code && !s.inCode
		return ""
	}
	if s.inCode {
		return ""
	}
	return speakable(text)
}

// boundary returns where the first complete sentence ends; 0 when none is complete yet. A full stop ends one only when the
// white space behind it has arrived: "9.30" has none.
func (s *Splitter) boundary() int {
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
			if behind == "" || !unicode.IsSpace(next) || r == '.' && abbreviated(s.text[:i]) {
				continue
			}
			if r == '.' {
				switch goesOn(s.text[:i], strings.TrimSpace(behind)) {
				case yes:
					continue
				case unknown:
					return 0
				}
			}
			return len(s.text) - len(behind)
		}
	}
	if len(s.text) < longSentence {
		return 0
	}
	if comma := strings.LastIndex(s.text[:longSentence], ", "); comma > 0 {
		return comma + 1
	}
	return lastSpace(s.text[:longSentence]) + 1
}

// lastSpace returns where a text without commas may be cut: at no number if there is another space, since "€ 12" and
// "1012 AB" are read as one.
func lastSpace(text string) int {
	last := strings.LastIndexByte(text, ' ')
	for at := last; at > 0; at = strings.LastIndexByte(text[:at], ' ') {
		around := text[max(at-3, 0):min(at+2, len(text))]
		if !strings.ContainsFunc(around, func(r rune) bool { return unicode.IsDigit(r) || unicode.Is(unicode.Sc, r) }) {
			return at
		}
	}
	return last
}

// abbreviated reports whether the full stop behind text belongs to its last word.
func abbreviated(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	if strings.TrimSpace(text) == word && strings.Trim(word, "0123456789") == "" {
		return true // "10." before an item of a list
	}
	word = strings.TrimLeft(word, "(\"'*_")
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "drs", "prof", "ph.d", "ir", "ing", "mw", "mevr", "dhr", "st", "jr", "sr", "vs", "etc",
		"approx", "dept", "ltd", "inc", "nr", "bijv", "bv", "ca", "tel", "blz", "evt", "excl", "incl", "resp", "zgn", "fam",
		"bzw", "ggf", "evtl", "inkl", "exkl", "zzgl", "bspw", "bzgl", "hr", "fr", "mio", "mrd", "mln", "mld", "gov", "lt", "mt", "capt",
		"sgt", "rev":
		return true
	}
	for part := range strings.SplitSeq(word, ".") { // an initial, or "p.m", "e.g", "i.v.m"
		if letter, size := utf8.DecodeRuneInString(part); size != len(part) || !unicode.IsLetter(letter) {
			return utf8.RuneCountInString(word) == 1 // "1."
		}
	}
	return true
}

// Split returns the sentences of a text that is known completely.
func Split(text string) []string {
	var s Splitter
	out := s.Push(text)
	if last := s.Rest(); last != "" {
		out = append(out, last)
	}
	return out
}

// Words returns the words of text in lower case, without punctuation; "don't" is one word.
func Words(text string) []string {
	text = strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
