package sentence

import (
	"regexp"
	"strings"
	"unicode"
)

// writing finds what belongs to written text and a voice would read out.
type writing struct{ line, link, address, emphasis, underlined, tag, source *regexp.Regexp }

var markdown = writing{
	line:     regexp.MustCompile(`^(?:#{1,6}\s+|[-–•*>+]\s+|\[[ xX]\]\s+)+`),
	link:     regexp.MustCompile(`!?\[([^\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`),
	address:  regexp.MustCompile(`(?i)<?\bhttps?://[^\s<>]+>?`),
	emphasis: regexp.MustCompile(`\*([^*\s](?:[^*]*[^*\s])?)\*`),

	underlined: regexp.MustCompile(`(^|[\s("'])_([^_\s](?:[^_]*[^_\s])?)_($|[\s.,;:!?)"'])`),
	tag:        regexp.MustCompile(`(?i)</?(?:b|i|u|s|p|br|em|strong|li|ul|ol|span|div|h[1-6]|code|sup|sub)\b[^<>]*>`),
	source:     regexp.MustCompile(` ?(?:\[\^?\d{1,2}\](?:\B|$)|【[^】]*】)`),
}

// marks have no meaning to a listener wherever they stand.
var marks = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")

// speakable returns what a voice should read of a written sentence: without the marks of Markdown, without pictures, and of an
// address only what people say. The keys of a telephone stay: "press # or *".
func speakable(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = markdown.line.ReplaceAllString(cells(text), "")
	text = markdown.tag.ReplaceAllStringFunc(text, untagged)
	text = markdown.link.ReplaceAllString(text, "$1")
	text = markdown.address.ReplaceAllStringFunc(text, sayable)
	text = markdown.source.ReplaceAllString(text, "")
	text = markdown.underlined.ReplaceAllString(plainStars(marks.Replace(text)), "$1$2$3")
	if plain := strings.Map(unpictured, text); plain != text {
		text = closedUp.Replace(strings.Join(strings.Fields(plain), " "))
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(Words(text)) == 0 {
		return ""
	}
	return text
}

// untagged returns what stands for a tag of HTML: a space where it parts words.
func untagged(tag string) string {
	if strings.ContainsAny(tag[:min(3, len(tag))], "rRpPlLdDhH") && !strings.HasPrefix(strings.ToLower(tag), "<sp") {
		return " "
	}
	return ""
}

// closedUp takes the space away that a picture leaves before a mark.
var closedUp = strings.NewReplacer(" !", "!", " ?", "?", " .", ".", " ,", ",")

// cells returns the cells of a row of a table, with commas between.
func cells(text string) string {
	if !strings.HasPrefix(text, "|") && !strings.HasSuffix(text, "|") {
		return text
	}
	var out []string
	for cell := range strings.SplitSeq(text, "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			out = append(out, cell)
		}
	}
	return strings.Join(out, ", ")
}

// prose are the kinds of blocks between ``` that are read; all other named ones are code.
var prose = map[string]bool{"": true, "text": true, "txt": true, "plaintext": true, "markdown": true, "md": true}

// fence reports whether a line begins or ends a block between ```, and whether one that begins is code.
func fence(line string) (is, code bool) {
	kind, is := strings.CutPrefix(strings.TrimSpace(line), "```")
	if !is || strings.Contains(kind, "`") {
		return false, false
	}
	kind, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(kind)), " ")
	return true, !prose[kind]
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
