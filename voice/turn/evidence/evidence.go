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
	Voice    Voice         // how it has ended before
	Marks    Marks         // how the recogniser has put them
	Habit    time.Duration // how long the speaker's pauses within turns have been; 0: there were none
}

// How likely speakers go on, by what stands out most.
const (
	certainlyMore = 0.97
	probablyMore  = 0.8
	maybeMore     = 0.55
	unclear       = 0.45
	wordless      = 0.35
	probablyOver  = 0.15
	shortWhole    = 0.33
	commaMore     = 0.92
	overAlone     = 0.05
	certainlyOver = 0.04
)

// verdict is what the words say, and what else counts beside them.
type verdict struct {
	p      float64
	voiced bool // melody and habit
	marked bool // marks
	stated bool // length
	listed bool // melody counts for half: what is dictated seldom falls before it is over, nor always then
}

// Continues returns the probability that the speaker has not finished.
func Continues(s Signs) float64 {
	words := sentence.Words(s.Said)
	if len(words) == 0 {
		return wordless
	}
	v, by := judge(s, words), 0.0
	if vocabularies[s.Language].closes(words) {
		by -= politely
	}
	if v.voiced {
		by += s.Voice.odds(s.Melody) + habit(s.Habit)
	}
	if v.listed {
		by += s.Voice.odds(s.Melody) / 2
	}
	if v.stated {
		by += brevity(s, len(words))
	}
	if v.marked && s.Complete {
		by += s.Marks.odds(s.Said, len(words))
	}
	return shift(v.p, by)
}

// politely is what polite words at the end take from the odds.
const politely = 1.5

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
	return min(max(usual.Seconds()-0.4, 0), 0.5)
}

// brevity returns what the length of a statement adds to the odds: few are as short as four words, few longer than a dozen.
// Behind a full stop that may be meant a short one counts as whole.
func brevity(s Signs, words int) float64 {
	if words < usualWords && endsWith(s.Said, fullStops) && !s.Marks.anywhere() {
		return 0
	}
	return 0.25 * float64(min(max(usualWords-words, -7), 5))
}

// usualWords is how many words a statement has.
const usualWords = 8

// judge weighs the words.
func judge(s Signs, words []string) verdict {
	know, known := vocabularies[s.Language]
	if !known {
		return verdict{p: byMark(s), voiced: true, marked: true}
	}
	if v, found := know.dictated(s.Asked, words); found {
		return v
	}
	if know.opens(words) {
		return verdict{p: certainlyMore}
	}
	last := words[len(words)-1]
	switch {
	case s.Complete && endsWith(s.Said, pauseMarks):
		return verdict{p: commaMore}
	case know.whole.covers(words):
		if len(words) == 1 { // "Yes" often begins a sentence
			return verdict{p: shortWhole, voiced: true, marked: true}
		}
		return verdict{p: overAlone, voiced: true, marked: true}
	case endsWith(s.Said, "?"):
		return verdict{p: certainlyOver} // questions end high
	case know.asks(words):
		return verdict{p: asked(s, know, words), marked: true, stated: !formatted(s.Said)}
	case know.auxiliary.has(last) && !know.answers(s.Asked, words):
		return verdict{p: commaMore, voiced: true}
	case know.seldomEnds(words), know.waitsForMain(s.Asked, words), know.wantsObject(words),
		know.lacksNoun(s.Asked, words):
		return verdict{p: probablyMore, voiced: true, marked: true, stated: true}
	case know.answers(s.Asked, words):
		return verdict{p: probablyOver, voiced: true, marked: true}
	case know.askPlace.within(lastQuestion(s.Asked)) && len(words) < placeWords:
		return verdict{p: probablyMore, voiced: true, marked: true, stated: true}
	}
	return verdict{p: byMark(s), voiced: true, marked: true, stated: true}
}

// placeWords is how many words a place has at least: a street, a number and a town.
const placeWords = 4

// asked judges a question of which it is not known whether it is complete.
func asked(s Signs, know *vocabulary, words []string) float64 {
	switch {
	case len(words) < 3, len(words) == 3 && know.requests.has(words[0]) && know.you.has(words[1]), know.leavesOpen(words):
		return probablyMore
	case know.auxiliary.has(words[len(words)-1]):
		return probablyMore
	case know.seldomEnds(words):
		return unclear
	case s.Complete && endsWith(s.Said, fullStops): // where a question ends, a recogniser writes another mark
		return maybeMore
	}
	return probablyOver
}

// byMark judges by the mark that the recogniser puts at the end.
func byMark(s Signs) float64 {
	switch {
	case endsWith(s.Said, fullStops) && !s.Marks.anywhere():
		return probablyOver
	case endsWith(s.Said, pauseMarks):
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

// The shortest and the longest wait behind speech, and how much of what is between them nobody minds, for most pauses are
// shorter.
const (
	ShortestWait = 300 * time.Millisecond
	LongestWait  = 2500 * time.Millisecond

	unminded = 480 * time.Millisecond
)

// Wait returns how long the speaker is to be silent before the turn counts as over: a little longer already where that is not quite
// certain, and nearly as long as anybody pauses where it is not likely. Where both are possible it is a second at most: longer is
// too long behind an end.
func Wait(continues float64) time.Duration {
	x := min(max(continues, 0), 1)
	some := x * x / (x*x + 0.2*(1-x)*(1-x))
	most := x * x * x / (x*x*x + 2*(1-x)*(1-x)*(1-x))
	return ShortestWait + time.Duration(float64(unminded)*some+float64(LongestWait-ShortestWait-unminded)*most)
}
