package evidence

// Reading is what the words at a pause say of whether more comes.
type Reading uint8

// The readings.
const (
	Dictated     Reading = iota // a number, a name or an address, judged by its length
	Open                        // it stops where no clause ends
	Comma                       // the recogniser has put a mark within a sentence
	WholeWord                   // one word that may be all
	Whole                       // words that need no more
	QuestionMark                // a question with its mark
	AskedOpen                   // a question that asks for nothing yet
	AskedUnclear                // one behind a word that seldom ends it
	AskedStop                   // one with a full stop
	Asked                       // one that may be complete
	Auxiliary                   // a verb that has another one behind it, as a rule
	Unfinished                  // a clause that may want more
	Answer                      // of what was asked for
	Place                       // less of a place than was asked for
	Stop                        // a statement with a full stop
	Pause                       // one with another mark
	Statement                   // one without any
	Named                       // a name where one was asked for
	Placed                      // a place where one was asked for, with the town or the like
	Timed                       // a time where one was asked for
	Hedged                      // a proposal where a time was asked for
	readings
)

// Factors are signs as they are weighed. Those that say nothing beside a reading are 0.
type Factors struct {
	Reading Reading // what the words say
	Given   float64 // the odds of a dictated reading, as a logarithm
	Voice   float64 // what the melody adds to the odds, as this voice uses it
	Melody  float64 // of the last syllables
	Habit   float64 // the speaker's usual pauses, in seconds, as far as they are longer than most
	Brevity float64 // how many words a statement is short of the usual ones
	Stopped float64 // the same, behind a full stop that may be meant
	Marks   float64 // what the recogniser's marks add to the odds
	Polite  float64 // 1: it ends as most polite requests do
	Told    float64 // 1: a statement where a story was asked for
	Joined  float64 // 1: a statement of two clauses
}

// The terms of a sum of odds, behind those of the readings.
const (
	TermVoice = int(readings) + iota
	TermMelody
	TermHabit
	TermBrevity
	TermStopped
	TermMarks
	TermPolite
	TermTold
	TermJoined
	terms
)

// Weighing is what each reading says, as a logarithm of odds for more, and what the other factors weigh.
type Weighing [terms]float64

// Weights returns those in use.
func Weights() Weighing { return fitted }

// Terms returns what the weights are multiplied with.
func (f Factors) Terms() (x [terms]float64) {
	if f.Reading != Dictated {
		x[f.Reading] = 1
	}
	x[TermVoice], x[TermMelody], x[TermHabit] = f.Voice, f.Melody, f.Habit
	x[TermBrevity], x[TermStopped], x[TermMarks], x[TermPolite], x[TermTold] = f.Brevity, f.Stopped, f.Marks, f.Polite, f.Told
	x[TermJoined] = f.Joined
	return x
}

// Likelihood returns the probability of more by these factors.
func (w Weighing) Likelihood(f Factors) float64 {
	odds := f.Given
	for i, x := range f.Terms() {
		odds += w[i] * x
	}
	return logistic(odds)
}

// TermName returns the name of a term in this package.
func TermName(term int) string {
	return [...]string{
		"Dictated", "Open", "Comma", "WholeWord", "Whole", "QuestionMark", "AskedOpen", "AskedUnclear", "AskedStop", "Asked",
		"Auxiliary",
		"Unfinished", "Answer", "Place", "Stop", "Pause", "Statement", "Named", "Placed", "Timed", "Hedged",
		"TermVoice", "TermMelody", "TermHabit", "TermBrevity", "TermStopped",
		"TermMarks", "TermPolite", "TermTold", "TermJoined",
	}[term]
}
