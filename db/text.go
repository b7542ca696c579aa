package db

import (
	"strings"
	"unicode"
)

// NonEmpty returns the text for a column that is null where there is none.
func NonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// TextOf returns the text of a column that may be null: then it is empty.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Storable returns text as Postgres takes it: valid UTF-8 without NUL.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Legible returns text of an unknown origin as it can be stored and shown: at most limit bytes, without control characters, ends of
// lines and what is invisible: that which turns the direction of writing around shows what follows as something else.
func Legible(text string, limit int) string {
	text = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, text), "")
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}
