package sentence

import (
	"regexp"
	"strings"
	"unicode"
)

// writing finds what belongs to written text and a voice would read out.
type writing struct{ line, link, address, emphasis *regexp.Regexp }

var markdown = writing{
	line:     regexp.MustCompile(`^(?:#{1,6}\s+|[-–•*>]\s+)+`),
	link:     regexp.MustCompile(`!?\[([^\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`),
	address:  regexp.MustCompile(`(?i)<?\bhttps?://[^\s<>]+>?`),
	emphasis: regexp.MustCompile(`\*([^*\s](?:[^*]*[^*\s])?)\*`),
}

// marks have no meaning to a listener wherever they stand.
var marks = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")

// speakable returns what a voice should read of a written sentence: without the marks of Markdown, without pictures, and of an
// address only what people say. The keys of a telephone stay: "press # or *".
func speakable(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = markdown.line.ReplaceAllString(text, "")
	text = markdown.link.ReplaceAllString(text, "$1")
	text = markdown.address.ReplaceAllStringFunc(text, sayable)
	text = plainStars(marks.Replace(text))
	text = strings.Join(strings.Fields(strings.Map(unpictured, text)), " ")
	if len(Words(text)) == 0 {
		return ""
	}
	return text
}

// sayable returns an address as people say it.
func sayable(address string) string {
	address = strings.Trim(address, "<>")
	_, address, _ = strings.Cut(address, "://")
	if len(address) > 4 && strings.EqualFold(address[:4], "www.") {
		address = address[4:]
	}
	name := strings.TrimRight(address, ".,;:!?)")
	return strings.TrimSuffix(name, "/") + address[len(name):]
}

// plainStars takes stars away that emphasise words, one side of which may be in another sentence. Those in codes such as
// *21# are keys.
func plainStars(text string) string {
	text = markdown.emphasis.ReplaceAllStringFunc(text, func(found string) string {
		if strings.ContainsFunc(found, unicode.IsLetter) {
			return strings.Trim(found, "*")
		}
		return found
	})
	if rest, found := strings.CutPrefix(text, "*"); found && strings.IndexFunc(rest, unicode.IsLetter) == 0 {
		text = rest
	}
	if rest, found := strings.CutSuffix(text, "*"); found && strings.TrimRight(rest, ".?!…") != rest {
		text = rest
	}
	return text
}

// unpictured drops emoji and the like, for which a voice has names.
func unpictured(r rune) rune {
	switch {
	case r == 0xfe0f, r == 0x20e3, r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0020 && r <= 0xe007f: // they change the look of others
		return -1
	case r >= 0x2190 && r <= 0x21ff: // arrows
		return ' '
	case unicode.Is(unicode.So, r) && (r >= 0x2300 && r <= 0x2bff || r >= 0x1f000):
		return ' '
	}
	return r
}
