package ddl

import (
	"regexp"
	"strings"
)

// Split returns the statements of a migration without comments, where each is one line of text.
func Split(file string) []string {
	var statements []string
	var one strings.Builder
	end := func() {
		if text := strings.TrimSpace(spaces.ReplaceAllString(one.String(), " ")); text != "" {
			statements = append(statements, text)
		}
		one.Reset()
	}
	for file != "" {
		piece := file[:token(file)]
		file = file[len(piece):]
		switch {
		case piece == ";":
			end()
		case strings.HasPrefix(piece, "--"), strings.HasPrefix(piece, "/*"):
			one.WriteByte(' ')
		default:
			one.WriteString(piece)
		}
	}
	end()
	return statements
}

var (
	spaces = regexp.MustCompile(`\s+`)
	dollar = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z_0-9]*)?\$`)
)

// token is the length of the first token: a comment, something in quotes, or one character.
func token(text string) int {
	quoted := func(opening, closing string) int {
		if end := strings.Index(text[len(opening):], closing); end >= 0 {
			return len(opening) + end + len(closing)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "--"):
		return quoted("--", "\n")
	case strings.HasPrefix(text, "/*"):
		return quoted("/*", "*/")
	case text[0] == '\'', text[0] == '"':
		return quoted(text[:1], text[:1])
	}
	if tag := dollar.FindString(text); tag != "" {
		return quoted(tag, tag)
	}
	return 1
}

// list splits what stands between commas, not those in brackets or quotes.
func list(text string) []string {
	var parts []string
	depth, begun := 0, 0
	for at := 0; at < len(text); {
		length := token(text[at:])
		switch text[at] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[begun:at]))
				begun = at + 1
			}
		}
		at += length
	}
	return append(parts, strings.TrimSpace(text[begun:]))
}
