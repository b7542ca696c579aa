package turn

import (
	"slices"
	"time"

	"github.com/callwright/callwright/voice/sentence"
)

// Thinking ahead: a reply is begun in a pause of the caller, before it is certain that the turn is over, and nothing of it is
// heard before it is. Such a guess is given up when the caller goes on, when the words turn out to be others, and when
// anything else happens in the conversation.

const (
	guessesPerTurn = 2   // what is thrown away costs money
	guessBelow     = 0.5 // the probability, by evidence, that the caller goes on
)

// guessState is the reply that was begun before the caller's turn was over.
type guessState struct {
	words string        // that it answers; empty: there is none
	since time.Duration // when the sound of those words began
	count int           // guesses made in this turn of the caller, this one included
}

// thinkAhead begins the reply to what was said so far.
func (t *transition) thinkAhead() {
	said := join(t.heard, t.interim)
	if said == "" || t.ahead.words != "" || t.ahead.count == guessesPerTurn || !t.mayThinkAhead() {
		return
	}
	if t.interim != "" && t.lags > 0 || t.continues(said, t.interim == "") > guessBelow {
		return
	}
	t.ahead = guessState{words: said, since: t.since, count: t.ahead.count + 1}
	t.do(Guess{said})
}

// lagLimit is how many pauses it takes at most to believe anew how late the transcriber's words come.
const lagLimit = 2

// learnLag learns from the words that are final behind a pause whether those of the pause were all there.
func (t *transition) learnLag(final string) {
	switch {
	case t.atPause == "":
	case sameWords(t.atPause, final):
		t.lags = max(t.lags-1, -lagLimit)
	default:
		t.lags = min(t.lags+2, lagLimit)
	}
	t.atPause = ""
}

// mayThinkAhead reports whether a pause may be the end of a turn that the model answers.
func (t *transition) mayThinkAhead() bool {
	return t.plan.StartSpeaking.ThinkAhead && t.phase == talking && t.stage == quiet && !t.AtMenu() &&
		t.keys == "" && t.after == nil && len(t.says) == 0
}

// reviewGuess gives up a guess that is no answer to what is said now, and makes another where the end of the turn is a matter of
// time alone. Before is the guess before the event.
func (t *transition) reviewGuess(before guessState) {
	if g := t.ahead; g.words != "" {
		stands := t.mayThinkAhead() && g.since == t.since && sameWords(g.words, join(t.heard, t.interim))
		if !stands || g == before && t.conversationChanges() {
			t.dropGuess()
		}
	}
	if t.dueReply > t.at {
		t.thinkAhead()
	}
}

// conversationChanges reports whether this step puts something before the model.
func (t *transition) conversationChanges() bool {
	return slices.ContainsFunc(t.actions, func(a Action) bool {
		switch a.(type) {
		case AppendMessage, RecordUserTurn:
			return true
		}
		return false
	})
}

// dropGuess gives the guess up before anything else is done. One that this step makes was never begun.
func (t *transition) dropGuess() {
	t.ahead.words = ""
	made := slices.IndexFunc(t.actions, func(a Action) bool { _, is := a.(Guess); return is })
	if made >= 0 {
		t.actions = slices.Delete(t.actions, made, made+1)
		t.ahead.count--
		return
	}
	t.actions = slices.Insert(t.actions, 0, Action(DropGuess{}))
}

// confirmGuess reports whether there is a guess that answers these words of a turn that is over. It is none any more.
func (t *transition) confirmGuess(words string) bool {
	if t.ahead.words == "" || !sameWords(t.ahead.words, words) {
		return false
	}
	t.ahead.words = ""
	return true
}

// sameWords reports whether two texts differ in case and punctuation at most.
func sameWords(a, b string) bool { return slices.Equal(sentence.Words(a), sentence.Words(b)) }
