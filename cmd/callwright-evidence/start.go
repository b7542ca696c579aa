package main

import "github.com/callwright/callwright/voice/turn/evidence"

// start are weights set by hand, from what English and Dutch speakers do: what every fit starts from, so that it does not drift
// from one to the next.
var start = evidence.Weighing{
	evidence.Open:         3.5,
	evidence.Comma:        2.4,
	evidence.WholeWord:    -0.7,
	evidence.Whole:        -2.9,
	evidence.QuestionMark: -3.2,
	evidence.AskedOpen:    1.4,
	evidence.AskedUnclear: -0.2,
	evidence.AskedStop:    0.2,
	evidence.Asked:        -1.7,
	evidence.Auxiliary:    2.4,
	evidence.Unfinished:   1.4,
	evidence.Answer:       -1.7,
	evidence.Place:        1.4,
	evidence.Stop:         -1.7,
	evidence.Pause:        1.4,
	evidence.Statement:    -0.2,
	evidence.Named:        -1.7,
	evidence.Placed:       -1.7,
	evidence.Timed:        -0.7,
	evidence.Hedged:       0.5,
	evidence.TermVoice:    1,
	evidence.TermHabit:    1,
	evidence.TermBrevity:  0.25,
	evidence.TermStopped:  0.1,
	evidence.TermMarks:    1,
	evidence.TermPolite:   -1.5,
	evidence.TermJoined:   -0.5,
}
