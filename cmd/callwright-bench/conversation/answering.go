package conversation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/answerer"
	"github.com/callwright/callwright/voice/audio"
)

// openings is a call that we placed and somebody or something takes.
func openings(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s := m.basics(random, i, func(string) []string { return nil })
		s.outbound = true
		s.first = "Hello, this is the practice. Do you have a minute?"
		if s.language == "nl" {
			s.first = "Hallo, u spreekt met de praktijk. Hebt u even?"
		}
		m.record(s, s.first)
		who := []answerer.Kind{
			answerer.Person, answerer.Person, answerer.Machine, answerer.Machine, answerer.Menu, answerer.Screener,
		}[(i/2)%6]
		var fitting []opening
		for n, o := range m.texts[s.language].Openings {
			if o.Who == who && (n%2 == 0) == (half == Dev) {
				fitting = append(fitting, o)
			}
		}
		o := pick(random, fitting)
		by := m.caller(random, s)
		var parts []part
		for piece := range strings.SplitSeq(o.Text, "|") {
			parts = append(parts, part{m.say(by, strings.TrimSpace(piece)), time.Duration(300+random.IntN(600)) * time.Millisecond})
		}
		beep := audio.Beep(time.Duration(200+random.IntN(600)) * time.Millisecond)
		before := time.Duration(100+random.IntN(900)) * time.Millisecond
		return scene{s, func(r *room) []Check { return []Check{r.answer(o, parts, before, beep)} }}
	}
}

// answer takes the call and looks for whom the session has taken it.
func (r *room) answer(o opening, parts []part, before time.Duration, beep []int16) Check {
	r.prepare("Mm.")
	r.pass(before)
	for n, p := range parts {
		r.talk(p.clip, n == len(parts)-1)
		r.pass(p.pause)
	}
	if o.Who == answerer.Machine {
		r.talk(clip{pcm: beep}, false)
	}
	r.pass(4 * time.Second)
	taken := r.takenFor()
	c := Check{Kind: "answerer", Bad: taken != o.Who}
	c.Note = fmt.Sprintf("%s: %q is a %s, taken for a %s", r.language, o.Text, o.Who, taken)
	if o.Who == answerer.Person {
		c.Kind = "answerer person"
	}
	return c
}

// takenFor returns what the session's journal says of who answered, in the end.
func (r *room) takenFor() answerer.Kind {
	notes := r.journal.Notes(voice.MachineDetected)
	if len(notes) == 0 {
		return answerer.Person
	}
	switch who := answerer.Kind(notes[len(notes)-1].Text); who {
	case answerer.Menu, answerer.Screener, answerer.Fax:
		return who
	default: // the sign by which a machine was found
		return answerer.Machine
	}
}
