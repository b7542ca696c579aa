package turn

import (
	"strings"
	"time"

	"github.com/callwright/callwright/voice/sentence"
)

// toolDropped says to the model that what its tools wanted is not done.
const toolDropped = "The caller interrupted you: the call was not ended or transferred."

// suspectInterruption stops the assistant's sound: the caller has talked long enough. Words will tell whether it was an
// interruption.
func (t *transition) suspectInterruption() {
	said := join(t.heard, t.interim)
	if !t.talks || !t.interruptible() || t.paused || t.mayAcknowledge(said) {
		return
	}
	switch {
	case t.pausing:
		t.dueInterruption = t.at + lookAgain
		return
	case said != "" || !t.streams && !t.vague:
	case t.vague && t.streams:
		return
	case t.at < t.since+soundAlone:
		t.dueInterruption = t.since + soundAlone
		return
	}
	t.hold()
}

// hold stops the assistant's sound until it is clear what the caller means.
func (t *transition) hold() {
	if !t.paused {
		t.paused, t.ducked, t.cutAt = true, false, t.at
		t.do(Pause{})
	}
}

// weighWords decides whether words spoken into the assistant's speech take the floor.
func (t *transition) weighWords() {
	if !t.interruptible() {
		return
	}
	said, fresh, plan := join(t.heard, t.interim), t.fresh(), t.plan.StopSpeaking
	switch {
	case t.stop.within(fresh) && !t.ack.covers(fresh) && !t.mayBeginAcknowledgement() && !t.mayTurnOut(): // "fair enough" is no "enough"
		t.interrupt()
	case t.ack.covers(said, t.parting), (t.interim != "" || goesOn(said)) && t.mayCover(said):
		t.acknowledging()
	case t.mayTurnOut():
		t.hold()
	case len(sentence.Words(said)) >= max(plan.NumWords, t.wordsWithoutSound()):
		t.interrupt()
	}
}

// acknowledging goes on speaking, or does so again, while words only show that the caller listens. Where they are a word with
// which anything may begin, the next one is not waited for longer than it takes to say it in an acknowledgement.
func (t *transition) acknowledging() {
	if t.stage != speaking || !t.talks {
		return
	}
	if wait := t.afterOpener(); wait > 0 {
		if t.plan.StopSpeaking.NumWords == 0 && !t.paused {
			t.dueInterruption = t.at + wait
		}
		return
	}
	if t.paused {
		t.paused, t.ducked = false, true
		t.do(Resume{}, Duck{})
	}
}

// mayAcknowledge reports whether words, and more that may follow soon, only show that the caller listens.
func (t *transition) mayAcknowledge(said string) bool {
	wait := t.afterOpener()
	return t.mayCover(said) && (wait == 0 || t.at < t.wordAt+wait)
}

// mayCover reports whether words, and more or the rest of the last, are nothing but acknowledgements.
func (t *transition) mayCover(said string) bool {
	return t.ack.mayCover(said, t.usual, t.parting) || t.halfWord()
}

// halfWord reports whether the words so far end within a word of an acknowledgement, perhaps: recognisers write some before they
// are whole.
func (t *transition) halfWord() bool {
	fresh := t.fresh()
	return t.interim != "" && t.talks && !t.pausing && !t.ack.mayCover(fresh, t.usual, t.parting) && t.ack.mayCoverHalf(fresh, t.usual)
}

// mayBeginAcknowledgement reports whether a word that asks for the floor may be the first of an acknowledgement that is being
// spoken: "no" of "no problem".
func (t *transition) mayBeginAcknowledgement() bool {
	return t.interim != "" && t.talks && !t.pausing && t.stage == speaking && t.plan.StopSpeaking.NumWords == 0 &&
		t.afterOpener() > 0 && t.ack.mayCover(t.fresh(), t.usual)
}

// mayTurnOut reports whether words that are being spoken may become one of the rare acknowledgements.
func (t *transition) mayTurnOut() bool {
	return t.interim != "" && t.talks && !t.pausing && t.stage == speaking && t.plan.StopSpeaking.NumWords == 0 &&
		t.ack.mayCover(t.fresh(), t.rare)
}

// goesOn reports whether a text has words enough to be the beginning of an acknowledgement behind which the caller has paused. A
// single word is what the caller had to say.
func goesOn(said string) bool { return len(sentence.Words(said)) > 1 }

// fresh returns the words of the caller, without those that were acknowledgements alone before more are being spoken.
func (t *transition) fresh() string {
	if t.interim != "" && t.ack.covers(t.heard, t.parting) {
		return t.interim
	}
	return join(t.heard, t.interim)
}

// afterOpener returns how long the next word is waited for behind one with which acknowledgements begin, and more often something
// else; 0: the last was no such word, behind acknowledgements or at the beginning.
func (t *transition) afterOpener() time.Duration {
	words := sentence.Words(t.fresh())
	for n := t.ack.prefix(words); n > 0 && n < len(words); n = t.ack.prefix(words) {
		words = words[n:]
	}
	if t.halfWord() {
		return nextWord
	}
	return openers[strings.Join(plain(words), " ")]
}

// openers are followed by short words where no acknowledgement begins with them; only of those that begin much else is the next
// word not waited for as long as it may take.
var openers = map[string]time.Duration{
	"i": understood, "that": understood, "thats": understood, "ik": understood, "dat": understood, "ich": courtesy, "das": understood,
	"im": judgement, "same": nextWord, "you": nextWord, "hetzelfde": nextWord, "tot": nextWord, "u": nextWord, "please": nextWord,
	"have": nextWord, "see": nextWord, "je": nextWord, "da": nextWord, "bis": nextWord,
	"is": judgement, "ist": judgement, "its": judgement, "no": courtesy, "kein": courtesy,
}

// wordsWithoutSound returns how many words interrupt where no sound is heard with them: one is the rest of what was said before.
func (t *transition) wordsWithoutSound() int {
	if t.talks || t.untranscribed > 0 {
		return 1
	}
	return 2
}

// interrupt gives the floor to the caller. What a reply that was not heard yet would have answered belongs to the caller's
// turn again.
func (t *transition) interrupt() {
	if t.asked != "" || t.at < t.audibleAt+cutOffSoon {
		t.relearn()
	}
	if t.asked != "" {
		t.heard, t.turnAt, t.asked = join(t.asked, t.heard), t.askedAt, ""
	}
	heard := t.stage == speaking
	if heard && (t.cutAt == 0 || !t.paused) {
		t.cutAt = t.at
	}
	t.cut(heard)
	t.dueInterruption = 0
	if t.dropToolCommand() {
		t.do(AppendMessage{roleSystem, toolDropped})
	}
}

// dropToolCommand forgets what a tool wanted, and reports whether that was anything. What came from outside stands.
func (t *transition) dropToolCommand() bool {
	if t.after == nil || ordered(t.after) {
		return false
	}
	t.after = nil
	return true
}

// ordered reports whether a command is not the model's own wish.
func ordered(cmd Command) bool {
	transfer, is := cmd.(Transfer)
	return cmd != nil && (cmd.command() != "" || is && transfer.Firm)
}
