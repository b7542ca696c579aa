package main

import "strings"

// An operation's name is in the document as words with hyphens.

func pascal(id string) string {
	var text strings.Builder
	for _, word := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' }) {
		text.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return text.String()
}

func camel(id string) string {
	text := pascal(id)
	return strings.ToLower(text[:1]) + text[1:]
}

func snake(id string) string { return strings.ReplaceAll(id, "-", "_") }

// wrap breaks a text into lines of at most so many characters, where a word is not longer.
func wrap(text string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}
