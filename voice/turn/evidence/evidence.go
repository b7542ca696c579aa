// Package evidence judges from what is known at a pause how likely the speaker goes on: from the words and their marks, from
// what was asked, from the melody of the last syllables, and from how long this speaker's pauses have been.
//
// It is pure functions over text and numbers. It knows English, Dutch and German; of other languages marks and melody. It must not know
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

// How likely speakers go on who dictate something, by how much of it is missing, and who have said nothing.
const (
	certainlyMore = 0.97
	maybeMore     = 0.55
	wordless      = 0.3
	probablyOver  = 0.07
	commaMore     = 0.92
	certainlyOver = 0.03
)

// verdict is what the words say, and what else counts beside them.
type verdict struct {
	reading Reading
	p       float64 // of dictated ones
	voiced  bool    // melody and habit
	marked  bool    // marks
	stated  bool    // length
	listed  bool    // melody counts for half: what is dictated seldom falls before it is over, nor always then
}

// Continues returns the probability that the speaker has not finished.
func Continues(s Signs) float64 {
	if len(sentence.Words(s.Said)) == 0 {
		return wordless
	}
	return fitted.Likelihood(Weigh(s))
}

// Weigh returns the factors of signs, which have words.
func Weigh(s Signs) Factors {
	know := vocabularies[s.Language]
	words := know.fluent(sentence.Words(s.Said))
	v := judge(s, words)
	f := Factors{Reading: v.reading}
	if v.reading == Dictated {
		f.Given = math.Log(v.p / (1 - v.p))
	}
	if know.closes(words) {
		f.Polite = 1
	}
	if v.stated && know.tells(s.Asked, words) {
		f.Told = 1
	}
	if v.stated && know.joinsClauses(words) {
		f.Joined = 1
	}
	if v.voiced {
		f.Voice, f.Melody, f.Habit = s.Voice.odds(s.Melody), s.Melody, habit(s.Habit)
	}
	if v.listed {
		f.Voice, f.Melody = s.Voice.odds(s.Melody)/2, s.Melody/2
	}
	if v.stated && (endsWith(s.Asked, "?") || f.Told != 0) {
		f.Brevity = brevity(len(words))
		if endsWith(s.Said, fullStops) && !s.Marks.anywhere() {
			f.Brevity, f.Stopped = 0, f.Brevity
		}
	}
	if v.marked && s.Complete {
		f.Marks = s.Marks.odds(s.Said, len(words))
	}
	return f
}

// habit returns for how many seconds the speaker's usual pauses are longer than most.
func habit(usual time.Duration) float64 {
	if usual == 0 {
		return 0
	}
	return min(max(usual.Seconds()-0.4, 0), 0.5)
}

// brevity returns how many words an answer is short of the usual ones, as far as it matters: few are as short as four words, few
// longer than a dozen. What answers no question is of any length.
func brevity(words int) float64 { return float64(min(max(usualWords-words, -7), 5)) }

// usualWords is how many words a statement has.
const usualWords = 8

// judge weighs the words.
func judge(s Signs, words []string) verdict {
	know, known := vocabularies[s.Language]
	if !known {
		return verdict{reading: byMark(s), voiced: true, marked: true}
	}
	if v, found := know.dictated(s.Asked, words); found {
		return v
	}
	if know.confirms(words) {
		return verdict{reading: Whole, voiced: true, marked: true}
	}
	if s.Complete && know.strays(s.Said) {
		return verdict{reading: Asked}
	}
	if know.opens(words) {
		return verdict{reading: Open}
	}
	switch {
	case s.Complete && endsWith(s.Said, pauseMarks):
		return verdict{reading: Comma}
	case know.whole.covers(words):
		if len(words) == 1 { // "Yes" often begins a sentence
			return verdict{reading: WholeWord, voiced: true, marked: true}
		}
		return verdict{reading: Whole, voiced: true, marked: true}
	case endsWith(s.Said, "?"):
		return verdict{reading: QuestionMark} // questions end high
	case asksBefore(s.Said):
		return verdict{reading: Asked, marked: true}
	case know.asks(words):
		return verdict{reading: asked(s, know, words), marked: true, stated: !formatted(s.Said) && !know.asksAll(words)}
	}
	return know.judgeStatement(s, words)
}

// judgeStatement weighs the words of what asks for nothing.
func (v *vocabulary) judgeStatement(s Signs, words []string) verdict {
	switch {
	case v.auxiliary.has(words[len(words)-1]) && !v.answers(s.Asked, words) && !v.tagged(words):
		return verdict{reading: Auxiliary, voiced: true}
	case v.seldomEnds(words), v.waitsForMain(s.Asked, words), v.wantsObject(words), v.lacksNoun(s.Asked, words),
		v.lacksVerb(words):
		return verdict{reading: Unfinished, voiced: true, marked: true, stated: true}
	case v.names(s.Asked, words):
		return verdict{reading: Named, voiced: true, marked: true}
	case v.placed(s.Asked, words):
		return verdict{reading: Placed, voiced: true, marked: true}
	case v.timed(s.Asked, words):
		return verdict{reading: Timed, voiced: true, marked: true}
	case v.proposes(s.Asked, words):
		return verdict{reading: Hedged, voiced: true, marked: true}
	case v.answers(s.Asked, words):
		return verdict{reading: Answer, voiced: true, marked: true}
	case v.askPlace.within(lastQuestion(s.Asked)) && len(words) < placeWords:
		return verdict{reading: Place, voiced: true, marked: true, stated: true}
	}
	return verdict{reading: byMark(s), voiced: true, marked: true, stated: true}
}

// placeWords is how many words a place has at least: a street, a number and a town.
const placeWords = 4

// asked judges a question of which it is not known whether it is complete.
func asked(s Signs, know *vocabulary, words []string) Reading {
	switch {
	case know.asksOfNothing(words), len(words) == 3 && know.requests.has(words[0]) && know.you.has(words[1]), know.leavesOpen(words):
		return AskedOpen
	case know.auxiliary.has(words[len(words)-1]):
		return AskedOpen
	case know.seldomEnds(words) && !know.endsQuestion(words):
		return AskedUnclear
	case s.Complete && endsWith(s.Said, fullStops): // where a question ends, a recogniser writes another mark
		return AskedStop
	}
	return Asked
}

// afterthought is how many words somebody adds at most to a question that was complete; others may have said them, too.
const afterthought = 3

// asksBefore reports whether a question with its mark stands before the last few words.
func asksBefore(said string) bool {
	at := strings.LastIndexAny(strings.TrimRightFunc(said, unicode.IsSpace), "?？")
	return at > 0 && len(sentence.Words(said[at:])) <= afterthought
}

// conjunctions are what a question goes on with most often.
var conjunctions = words(`and or but en of maar und oder aber`)

// strays reports whether one word stands behind a question with its mark. Who asks goes on with a conjunction, or with more at once:
// mostly others have said it, in the same room.
func (v *vocabulary) strays(said string) bool {
	at := strings.LastIndexAny(strings.TrimRightFunc(said, unicode.IsSpace), "?？")
	behind := sentence.Words(said[max(at, 0):])
	return at > 0 && len(behind) == 1 && !conjunctions.has(behind[0]) && !v.joins.has(behind[0])
}

// byMark judges by the mark that the recogniser puts at the end.
func byMark(s Signs) Reading {
	switch {
	case endsWith(s.Said, fullStops) && !s.Marks.anywhere():
		return Stop
	case endsWith(s.Said, pauseMarks):
		return Pause
	default:
		return Statement
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

	unminded = 530 * time.Millisecond
)

// The odds, as a logarithm, from which on it is waited for long: for longer than anybody pauses, or behind a sentence with its marks,
// where few ends look as open as that, for most of it. Without marks, and behind a few words, callers would wait for nothing, and
// in a noise, in which a voice does not seem to fall, they would wait for too long.
const (
	open       = -0.5
	openMarked = -1.2
	mostOfIt   = 0.82
)

// Wait returns how long the speaker is to be silent behind said before the turn counts as over: a little longer already where that
// is not quite certain, and longer than anybody pauses where it is not likely. In between stands what is the least that most do not
// mind: there, more wait keeps few turns whole that less would not.
func Wait(continues float64, said string) time.Duration {
	x := min(max(continues, 0), 1)
	odds := math.Log(x / (1 - x))
	some, most := logistic(6*(odds+3)), logistic(12*(odds-open))
	if formatted(said) && len(sentence.Words(said)) >= sentenceWords {
		most = max(most, mostOfIt*logistic(12*(odds-openMarked)))
	}
	return ShortestWait + time.Duration(float64(unminded)*some+float64(LongestWait-ShortestWait-unminded)*most)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
