package evidence

import (
	"strings"
	"unicode"
)

// Marks is how a recogniser has put marks in a call: some write a full stop wherever somebody pauses, some only where a sentence
// is over, some none at all. The zero value is one of which nothing is known.
type Marks struct {
	Open  uint8 // pauses without a mark at the end, where the speaker went on
	Bare  uint8 // ends without a mark
	Right uint8 // ends with one
	Wrong uint8 // full stops where the speaker went on within the sentence
}

// Learn returns what is known after a pause behind said, where next tells whether the speaker went on, and with what words.
func (m Marks) Learn(said, next string) Marks {
	more := next != ""
	switch ended := endsWith(said, fullStops); {
	case !ended && !formatted(said), more && endsWith(said, pauseMarks):
	case !ended && more:
		m.Open++
	case !ended:
		m.Bare++
	case more && beginsLow(next):
		m.Wrong++
	case !more:
		m.Right++
	}
	return m
}

const (
	fullStops  = ".?!…。？！"
	pauseMarks = ",;:–-"
)

// asMeant reports whether the recogniser leaves marks out where a sentence goes on.
func (m Marks) asMeant() bool { return m.Open > 0 && m.Open >= m.Bare && m.Wrong == 0 }

// anywhere reports whether its full stops mean nothing.
func (m Marks) anywhere() bool { return m.Wrong > 0 && m.Open == 0 }

// formatted reports whether the recogniser writes capitals or marks.
func formatted(said string) bool {
	return strings.ContainsAny(said, fullStops+",;:") || strings.ContainsFunc(said, unicode.IsUpper)
}

// beginsLow reports whether words do not begin as a sentence does.
func beginsLow(words string) bool {
	for _, first := range words {
		return unicode.IsLower(first)
	}
	return false
}

// sentenceWords is how many words a recogniser takes for a sentence: behind fewer most put no mark.
const sentenceWords = 4

// What marks add to the odds.
const (
	markTrusted = -2.5 // a full stop of a recogniser that puts them as meant
	markMissing = 4.0  // none, of such a recogniser
	markUnknown = 2.5  // none, of one that may put them as meant
)

// odds returns what the marks at the end of what was said add to the odds.
func (m Marks) odds(said string, words int) float64 {
	switch {
	case endsWith(said, fullStops):
		if m.asMeant() {
			return markTrusted
		}
		return 0
	case !formatted(said):
		return 0
	case m.asMeant():
		return markMissing
	case m.Bare > m.Open, words < sentenceWords:
		return 0
	default:
		return markUnknown
	}
}
