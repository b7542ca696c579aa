package flite

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What Flite needs for a text, of time and memory, grows faster than the text: it gets lines and words of bounded length.
const (
	maxLine    = 300 // letters, about 20 s of speech
	maxWord    = 40  // bytes
	digitTakes = 6   // letters: seven is one digit
)

// money is an amount behind its sign, which people say before it.
var money = regexp.MustCompile(`([€£¥])\s?(\d[\d.,]*\d|\d)`)

// spelled are signs and letters that Unicode does not take apart, as an English voice reads them.
var spelled = strings.NewReplacer(
	"€", " euros ", "£", " pounds ", "¥", " yen ", "¢", " cents ", "°", " degrees ", "×", " times ", "÷", " divided by ", "±", " plus or minus ",
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "–", "-", "—", ", ", "‑", "-", "•", ", ", "·", ", ",
	"¿", "", "¡", "", "®", "", "™", "", "©", "",
	"ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "þ", "th", "Þ", "Th",
	"ð", "d", "Ð", "D", "ı", "i",
)

// readable returns text as lines of ASCII, each with its line end: letters lose their accents, and what Flite has no sound
// for is left out. There are none when nothing can be said.
func readable(text string) []string {
	text = spelled.Replace(money.ReplaceAllString(text, "$2 $1"))
	var words []string
	for word := range strings.FieldsSeq(strings.Map(plain, norm.NFKD.String(text))) {
		for len(word) > maxWord {
			words, word = append(words, word[:maxWord]), word[maxWord:]
		}
		words = append(words, word)
	}
	var lines []string
	for len(words) > 0 {
		n := fitting(words)
		if line := strings.Join(words[:n], " "); hasWords(line) {
			lines = append(lines, line+"\n")
		}
		words = words[n:]
	}
	return lines
}

// plain keeps ASCII. Accents, and letters that are joined to others, vanish; anything else parts words.
func plain(r rune) rune {
	switch {
	case r >= ' ' && r < unicode.MaxASCII:
		return r
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
		return -1
	}
	return ' '
}

// fitting is how many words make a line: as many as it holds, up to the end of a sentence if there is one.
func fitting(words []string) int {
	length, sentence := 0, 0
	for i, word := range words {
		if length += spokenLength(word); length > maxLine {
			return cmp.Or(sentence, i)
		}
		if strings.ContainsAny(word[len(word)-1:], ".?!") {
			sentence = i + 1
		}
	}
	return len(words)
}

// spokenLength is how many letters word has when it is written as it is spoken, and the space behind it.
func spokenLength(word string) int {
	length := len(word) + 1
	for _, r := range word {
		if unicode.IsDigit(r) {
			length += digitTakes - 1
		}
	}
	return length
}
