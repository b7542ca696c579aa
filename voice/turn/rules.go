package turn

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Limits that no plan sets.
const (
	wordsLimit     = 3100 * time.Millisecond // a transcriber that says nothing is not waited for longer
	noiseLimit     = 15 * time.Second        // of a sound without a new word: the caller is in a noisy place
	wordless       = time.Second             // of a sound, behind interim words: it is not the caller who makes it
	noisyFor       = 3 * time.Second         // such a sound goes on
	othersWait     = time.Second             // behind words that others may have added to the caller's
	suspicion      = 130 * time.Millisecond  // that it takes to tell speech from another sound
	lookAgain      = 100 * time.Millisecond  // whether a caller who pauses goes on
	nextWord       = 270 * time.Millisecond  // within which an acknowledgement goes on behind a word that begins other things, too
	judgement      = 500 * time.Millisecond  // the same behind one that judgements begin with, which are longer words
	understood     = 880 * time.Millisecond  // and behind one of "I understand", where what begins otherwise has shorter words
	courtesy       = 750 * time.Millisecond  // the same behind "no", of which a pause tells as well that it was meant
	soundAlone     = time.Second             // of the caller interrupts, where the transcriber should have given words
	resumeAfter    = 2 * time.Second         // without words an interruption was none
	repeatPatience = 3                       // failures in a row of transcriber or model that end the call
	cutOffSoon     = 1500 * time.Millisecond // into a reply: whoever talks then was cut off by it
	ackWindow      = time.Second             // "yes" this close to the end of a question answers it
	failsSoon      = 5 * time.Second         // two failures of the model within this do not mean that it hangs
	retryPause     = 2 * time.Second         // before a reply is tried a third time: what is overrun, or restarts, needs a while
	farewellLimit  = 20 * time.Second        // of closing words
	menuPause      = 1500 * time.Millisecond // a menu goes on after shorter ones
	overtimeLimit  = 7 * time.Second         // of closing words after the maximum duration
)

// The caller never hears more than 4 s of nothing while a reply is made: the assistant says that it takes a moment, half-way to a
// long wait something short, then that it takes longer than usual, and goes on like that in turn.
const (
	fillerAfter = 2500 * time.Millisecond // of waiting for a reply
	longWait    = 8 * time.Second         // for it
	quietLimit  = 3500 * time.Millisecond // of silence, in all
	fillerLeast = time.Second             // before it is looked at again whether the caller still talks
	fillerSoon  = 500 * time.Millisecond  // of waiting for a reply to somebody who has been silent for long
	soundSoon   = time.Second             // behind the words of a reply
)

// sorryLimit is how long a voice that has just failed has for the words that it could not be reached, and still may have made
// before.
const sorryLimit = 500 * time.Millisecond

// retryLimit is how long after a reply was asked for it is asked for again: a model that hangs has had its time.
const retryLimit = 15 * time.Second

// Rules decides the turns of one call by its plan. It never changes.
type Rules struct {
	plan     Plan
	language string // ISO 639-1 of the conversation
	fixed    FixedTexts
	ack      phraseSet // of all languages, for people mix them
	usual    phraseSet // those of them that are waited for: in the conversation's language, if it is known
	rare     phraseSet // those that turn out to be some
	stop     phraseSet
	bye      phraseSet
	parting  phraseSet
}

// NewRules returns the rules of a call with this plan.
func NewRules(plan Plan) *Rules {
	ack, usual, rare := acknowledgementSet, commonSet, rareSet
	if own, known := languageSets[LanguageCode(plan.Language)]; known {
		usual = own
	}
	if !slices.Equal(plan.StopSpeaking.AcknowledgementPhrases, acknowledgements) {
		ack = newPhraseSet(plan.StopSpeaking.AcknowledgementPhrases)
		usual, rare = ack, nil
	}
	stop := interruptionSet
	if !slices.Equal(plan.StopSpeaking.InterruptionPhrases, interruptions) || rare == nil {
		stop = newPhraseSet(plan.StopSpeaking.InterruptionPhrases)
		ack, usual = ack.without(stop), usual.without(stop)
	}
	return &Rules{
		plan:     plan,
		language: cmp.Or(LanguageCode(plan.Language), "en"),
		fixed:    FixedTextsIn(plan.Language),
		ack:      ack,
		usual:    usual,
		rare:     rare,
		stop:     stop,
		bye:      newPhraseSet(asHeard(plan.EndCallPhrases)),

		parting: partingSet,
	}
}

// Interrupts reports whether words ask for the floor, whatever stands beside them.
func (r *Rules) Interrupts(text string) bool { return r.stop.within(text) }

// transition is one step being taken.
type transition struct {
	*Rules
	State
	at      time.Duration
	actions []Action
}

func (t *transition) do(a ...Action) { t.actions = append(t.actions, a...) }

// roleSystem is the role of what the program itself puts before the model.
const roleSystem = "system"

// join returns two pieces of speech as one.
func join(a, b string) string {
	return strings.TrimSpace(strings.TrimSpace(a) + " " + strings.TrimSpace(b))
}
