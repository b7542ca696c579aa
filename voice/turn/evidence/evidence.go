// Package evidence judges from what is known at a pause how likely the speaker goes on: from the words and their marks, from
// what was asked, from the melody of the last syllables, and from how long this speaker's pauses have been.
//
// It is pure functions over text and numbers. It knows English and Dutch; of other languages marks and melody. It must not know
// calls, clocks or what is done with the result.
package evidence

import (
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/callwright/callwright/voice/sentence"
)

// Signs are what is known at a pause.
type Signs struct {
	Language string        // ISO 639-1; empty: unknown
	Asked    string        // what was said to the speaker last
	Said     string        // the words of this turn so far
	Complete bool          // these are all of them, with the marks that the recogniser puts; else some marks may be missing
	Melody   float64       // of the last syllables, from -1 (they fell, as at an end) to 1 (they did not); 0: unknown
	Habit    time.Duration // how long the speaker's pauses within turns have been; 0: there were none
}

// How likely speakers go on, by what stands out most.
const (
	certainlyMore = 0.97
	probablyMore  = 0.8
	maybeMore     = 0.55
	unclear       = 0.35
	probablyOver  = 0.15
	shortWhole    = 0.22
	certainlyOver = 0.04
)

// Continues returns the probability that the speaker has not finished.
func Continues(s Signs) float64 {
	words := sentence.Words(s.Said)
	if len(words) == 0 {
		return unclear
	}
	p, firm := judge(s, words)
	if firm {
		return p
	}
	return shift(p, melodyWeight*s.Melody+habit(s.Habit))
}

// melodyWeight is what melody adds to the odds, as a logarithm.
const melodyWeight = 2.8

// shift moves a probability by a logarithm of odds.
func shift(p, by float64) float64 {
	odds := math.Log(p/(1-p)) + by
	return 1 / (1 + math.Exp(-odds))
}

// habit returns what the speaker's usual pauses add to the odds.
func habit(usual time.Duration) float64 {
	if usual == 0 {
		return 0
	}
	return min(max(usual.Seconds()-0.4, 0), 1)
}

// judge weighs the words. Firm evidence needs no melody.
func judge(s Signs, words []string) (p float64, firm bool) {
	know, known := vocabularies[s.Language]
	if !known {
		return byMark(s), false
	}
	if p, found := know.dictated(s.Asked, words); found {
		return p, true
	}
	if know.opens(words) {
		return certainlyMore, true
	}
	last := words[len(words)-1]
	switch {
	case s.Complete && endsWith(s.Said, ",;:"):
		return probablyMore, false
	case know.whole.covers(words):
		if len(words) == 1 { // "Yes" often begins a sentence
			return shortWhole, false
		}
		return certainlyOver, false
	case endsWith(s.Said, "?"):
		return certainlyOver, true // questions end high
	case know.asks(words):
		return asked(know, words), true
	case know.rarelyLast.has(last), know.waitsForMain(words):
		return probablyMore, false
	case know.answers(s.Asked, words):
		return probablyOver, false
	case know.askPlace.within(lastQuestion(s.Asked)) && len(words) < placeWords:
		return probablyMore, false
	}
	return byMark(s), false
}

// placeWords is how many words a place has at least: a street, a number and a town.
const placeWords = 4

// asked judges a question of which it is not known whether it is complete.
func asked(know *vocabulary, words []string) float64 {
	switch {
	case len(words) < 3, know.leavesOpen(words):
		return probablyMore
	case know.rarelyLast.has(words[len(words)-1]):
		return unclear
	}
	return probablyOver
}

// byMark judges by the mark that the recogniser puts at the end.
func byMark(s Signs) float64 {
	switch {
	case endsWith(s.Said, ".?!…。？！"):
		return probablyOver
	case endsWith(s.Said, ",;:–-"):
		return probablyMore
	default:
		return unclear
	}
}

func endsWith(text, marks string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	last := []rune(text)
	return len(last) > 0 && strings.ContainsRune(marks, last[len(last)-1])
}

// The shortest and the longest wait behind speech.
const (
	ShortestWait = 300 * time.Millisecond
	LongestWait  = 2500 * time.Millisecond
)

// Wait returns how long the speaker is to be silent before the turn counts as over.
func Wait(continues float64) time.Duration {
	x := min(max(continues, 0), 1)
	return ShortestWait + time.Duration(float64(LongestWait-ShortestWait)*math.Pow(x, 1.7))
}
