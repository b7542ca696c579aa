// Package answerer tells who has taken a call that we placed: a person, an answering machine, a menu, a call screener or a fax.
//
// It knows what was said so far, for how long, what tones were heard, and the ways of speaking of each in Dutch, English and
// German. No word decides alone: what speaks for and against a machine is added up, together with how long the greeting lasts,
// because receptions greet at length and machines of friends say nothing that machines say. It is one pure function; it must not
// know calls, nor what follows from who has answered.
package answerer

import (
	"strings"
	"time"

	"github.com/callwright/callwright/voice/sentence"
)

// Kind is who has answered.
type Kind string

// The kinds, as they are noted and as a language model is asked for them.
const (
	Unknown  Kind = ""
	Person   Kind = "person"
	Machine  Kind = "machine"
	Menu     Kind = "menu"
	Screener Kind = "screener"
	Fax      Kind = "fax"
)

// Evidence is what was heard so far.
type Evidence struct {
	Words  string
	Length time.Duration // from the first sound to the last
	Beep   bool          // a machine's, behind the words
	Fax    bool          // the tone of a fax
	Later  bool          // our own words came before: people say of themselves then what only machines begin with
}

// Verdict is who it seems to be.
type Verdict struct {
	Kind Kind
	Sure bool   // more words would hardly change it
	Sign string // by what a machine was found

	// Formal says of a person who is not sure that the words are those of companies, which their menus begin with, too.
	Formal bool
}

// The signs by which an answering machine is found, as noted. The other kinds are signs of their own.
const (
	SignPhrase = "phrase"
	SignLength = "long greeting"
	SignBeep   = "beep"
)

// reception is how long people greet who say for whom they work, and nothing else.
const reception = 5500 * time.Millisecond

// greeting is what nobody goes on for who has taken a call, but for machines.
const greeting = 9 * time.Second

// fewWords are what a person takes a call with who says nothing that people say.
const fewWords = 8

const (
	excuse = 3 // at most, of words that sound like talk
	margin = 1 // by which more speaks for a machine than for a person
	asks   = 2 // of a person, who ends with a question
	enough = 3 // of a score: it is that
	brief  = 1 // of a person, who says no more than that they cannot talk
	twice  = 2 // at most, of greetings
	leans  = 1 // it is rather a machine than a person
)

// Judge weighs the evidence.
func Judge(e Evidence) Verdict {
	if e.Fax {
		return Verdict{Kind: Fax, Sure: true, Sign: string(Fax)}
	}
	said := newSpeech(e.Words)
	if e.Later {
		return said.later()
	}
	recorded := (said.score(recording) > 0 || said.recorder()) && !said.takesBoth()
	machine, person := said.score(machineWords)+said.monologue(e.Words), said.score(personWords)+said.live(e.Words)
	there := person > 0
	question := strings.HasSuffix(e.Words, "?") || said.asksUnmarked(e.Words)
	if question { // only who listens asks
		person += asks
	}
	if e.Length <= reception { // machines say hello, too
		person += min(said.score(hellos), twice)
	}
	if e.Length <= reception && !recorded && (said.has(particles) || said.hasAny(somebodyElse...) ||
		said.beginsWith(firstOnes, 1) && !said.unattended()) {
		// People who cannot talk say more than one of these things, too.
		machine = min(machine, excuse)
	}
	switch screener, menu := said.screenerScore(), said.menuScore(); {
	case question && !recorded && screener >= enough && menu < enough && !said.decides() && !said.has(automatic):
		return Verdict{Kind: Person, Sure: true} // a secretary, who asks for a name alone
	case said.asksNameAlone():
		return Verdict{Kind: Screener, Sure: true, Sign: string(Screener)}
	case screener >= enough && (said.putsThrough() || !recorded && screener >= machine):
		return Verdict{Kind: Screener, Sure: true, Sign: string(Screener)}
	case menu >= enough && (!recorded || menu > machine && (!said.recorder() || said.choices() > 1)):
		return Verdict{Kind: Menu, Sure: true, Sign: string(Menu)}
	case question && !recorded && !e.Beep: // and waits
		return Verdict{Kind: Person, Sure: true}
	case machine >= enough && machine > person+margin && (recorded || said.unattended() || e.Length > greeting):
		return Verdict{Kind: Machine, Sure: true, Sign: SignPhrase}
	case e.Beep && person < enough:
		return Verdict{Kind: Machine, Sure: true, Sign: SignBeep}
	}
	lean := machine - person + lengthScore(e.Length)
	if e.Length <= reception && !said.unattended() {
		lean -= brief
	}
	switch {
	case lean >= leans && machine > 0:
		return Verdict{Kind: Machine, Sign: SignPhrase}
	case lean >= leans, person == 0 && said.recites(e.Words):
		return Verdict{Kind: Machine, Sign: SignLength}
	default:
		formal := person == 0 && said.score(formalWords) > 0
		greets := said.score(hellos) > 0 && sentences(e.Words) == 1
		told := !there && !greets && len(said.words) > fewWords // and neither asked nor greeted, or went on behind that
		sure := !formal && !told && (machine == 0 || lean <= -enough)
		return Verdict{Kind: Person, Sure: sure, Formal: formal}
	}
}

// later judges words in a conversation that has begun.
func (s speech) later() Verdict {
	switch recorded := s.score(recording) > 0; {
	case s.score(screenerWords) > enough && !recorded:
		return Verdict{Kind: Screener, Sure: true, Sign: string(Screener)}
	case s.menuScore() > enough && !recorded:
		return Verdict{Kind: Menu, Sure: true, Sign: string(Menu)}
	case s.score(unmistakable) > 0 && s.score(personWords) == 0:
		return Verdict{Kind: Machine, Sure: true, Sign: SignPhrase}
	default:
		return Verdict{Kind: Person, Sure: true}
	}
}

// lengthScore is what the length of a greeting says: people are brief, and receptions nearly so.
func lengthScore(length time.Duration) int {
	switch seconds := length.Seconds(); {
	case seconds <= 2.5:
		return -2
	case seconds <= 5.5:
		return -1
	case seconds <= 7:
		return 0
	case seconds <= 9:
		return 1
	default:
		return 2
	}
}

// speech is what was said as one finds phrases in it.
type speech struct {
	words  []string
	padded string
}

func newSpeech(text string) speech {
	words := sentence.Words(text)
	return speech{words, " " + strings.Join(words, " ") + " "}
}

// score adds up the weights of the phrases that occur.
func (s speech) score(features []feature) int {
	total := 0
	for _, f := range features {
		if strings.Contains(s.padded, f.phrase) {
			total += f.weight
		}
	}
	return total
}

// Greets reports whether words are such as people begin with.
func Greets(words string) bool {
	said := newSpeech(words)
	return said.score(personWords)+said.score(hellos) > 0
}

// Named returns the kind that a language model has named, in whatever words; Unknown: none.
func Named(answer string) Kind {
	for _, word := range sentence.Words(answer) {
		switch kind := Kind(word); kind {
		case Person, Machine, Menu, Screener, Fax:
			return kind
		}
	}
	return Unknown
}
