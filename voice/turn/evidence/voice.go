package evidence

// Voice is how a speaker's voice has ended in a call: before pauses behind which more came, and at the end of turns. Some voices
// fall in the middle of a sentence, some never do. The zero value is a voice of which nothing is known.
type Voice struct {
	more, over sum
}

// sum adds up melodies.
type sum struct {
	total float32
	count uint8
}

// Learn returns what is known after a pause of this melody; 0 is none.
func (v Voice) Learn(melody float64, more bool) Voice {
	into := &v.over
	if more {
		into = &v.more
	}
	if melody != 0 && into.count < 100 {
		into.total += float32(melody)
		into.count++
	}
	return v
}

// What is believed of a voice before it was heard, and how many pauses it takes to change that.
const (
	usually = 0.8
	firmly  = 3.0
)

func (s sum) mean(before float64) float64 {
	return (float64(s.total) + firmly*before) / (float64(s.count) + firmly)
}

// What melody adds to the odds, as a logarithm: a voice that has fallen has hardly ever more to say, one that has not is seldom
// done.
const (
	melodyFallen = 3.2
	melodyHeld   = 3.0
	melodySlope  = 6.0
)

// odds returns what a melody adds: less, the less the pauses of this voice differ from its ends.
func (v Voice) odds(melody float64) float64 {
	if melody == 0 {
		return 0
	}
	more, over := v.more.mean(usually), v.over.mean(-usually)
	tells := min(max((more-over)/(2*usually), 0), 1)
	return tells * min(max(melodySlope*(melody-(more+over)/2), -melodyFallen), melodyHeld)
}
