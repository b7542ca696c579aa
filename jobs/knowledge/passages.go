package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPassage is the length of a passage in runes: long enough to answer a question, short enough to be read out.
const maxPassage = 800

// passages cuts a text into chunks of at most maxPassage runes that end where sentences or paragraphs do. A heading
// stays with what follows it.
func passages(text string) []string {
	var cut cutter
	for paragraph := range strings.SplitSeq(Tidy(text), "\n") {
		separator := "\n"
		for _, sentence := range sentences(paragraph) {
			cut.add(separator, sentence)
			separator = " "
		}
	}
	cut.flush()
	return cut.done
}

// Tidy keeps what can be read: plain text that Postgres takes, one line per paragraph.
func Tidy(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// sentences splits a paragraph behind the marks that end a sentence; what is still too long is cut between words.
func sentences(paragraph string) []string {
	var found []string
	start := 0
	for i, r := range paragraph {
		if strings.ContainsRune(".!?…", r) {
			if end := i + utf8.RuneLen(r); end < len(paragraph) && paragraph[end] == ' ' {
				found = append(found, fitting(strings.TrimSpace(paragraph[start:end]))...)
				start = end + 1
			}
		}
	}
	if rest := strings.TrimSpace(paragraph[start:]); rest != "" {
		found = append(found, fitting(rest)...)
	}
	return found
}

// fitting cuts what has no end within a passage's length.
func fitting(sentence string) []string {
	var chunks []string
	runes := []rune(sentence)
	for len(runes) > maxPassage {
		end := maxPassage
		for end > maxPassage/2 && runes[end] != ' ' {
			end--
		}
		if runes[end] != ' ' {
			end = maxPassage
		}
		chunks = append(chunks, strings.TrimSpace(string(runes[:end])))
		runes = runes[end:]
	}
	return append(chunks, strings.TrimSpace(string(runes)))
}

// cutter packs sentences into passages.
type cutter struct {
	done    []string
	parts   []string // of the passage in the making: separators and sentences in turn
	written int      // runes of parts
}

func (c *cutter) add(separator, sentence string) {
	length := utf8.RuneCountInString(sentence)
	if c.written+length+1 > maxPassage && len(c.parts) > 0 {
		c.split()
	}
	if c.written+length+1 > maxPassage { // with its heading it would be too long
		c.flush()
	}
	c.parts = append(c.parts, separator, sentence)
	c.written += length + 1
}

// split ends the passage, but for a heading that would stand at its end.
func (c *cutter) split() {
	last := len(c.parts) - 2
	carried := c.parts[last:]
	if last == 0 || carried[0] != "\n" || !isHeading(carried[1]) {
		c.flush()
		return
	}
	c.parts = c.parts[:last]
	c.flush()
	c.parts = append(c.parts, carried...)
	c.written = utf8.RuneCountInString(carried[1]) + 1
}

func (c *cutter) flush() {
	if passage := strings.TrimSpace(strings.Join(c.parts, "")); passage != "" {
		c.done = append(c.done, passage)
	}
	c.parts, c.written = nil, 0
}

// isHeading: short, and no sentence of its own.
func isHeading(line string) bool {
	return utf8.RuneCountInString(line) <= 120 && !strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "!")
}
