package turn

import (
	"slices"

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
	t.paused, t.ducked, t.cutAt = true, false, t.at
	t.do(Pause{})
}

// weighWords decides whether words spoken into the assistant's speech take the floor.
func (t *transition) weighWords() {
	if !t.interruptible() {
		return
	}
	said, plan := join(t.heard, t.interim), t.plan.StopSpeaking
	switch {
	case t.stop.within(said) && !t.ack.covers(said): // "fair enough" is no "enough"
		t.interrupt()
	case t.ack.covers(said, t.parting), t.interim != "" && t.ack.mayCover(said, t.parting):
		t.acknowledging(said)
	case len(sentence.Words(said)) >= max(plan.NumWords, t.wordsWithoutSound()):
		t.interrupt()
	}
}

// acknowledging goes on speaking, or does so again, while words only show that the caller listens. Where they are a word with which
// anything may begin, the next one is not waited for longer than it takes to say it in an acknowledgement.
func (t *transition) acknowledging(said string) {
	if t.stage != speaking || !t.talks {
		return
	}
	if opener(said) {
		if t.plan.StopSpeaking.NumWords == 0 && !t.paused {
			t.dueInterruption = t.at + nextWord
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
	return t.ack.mayCover(said, t.parting) && (!opener(said) || t.at < t.wordAt+nextWord)
}

// opener reports whether a text is one of the words with which acknowledgements begin, and more often something else.
func opener(said string) bool {
	words := sentence.Words(said)
	return len(words) == 1 && slices.Contains(openers, words[0])
}

var openers = []string{"i", "im", "that", "thats", "same", "you", "ik", "dat", "is", "hetzelfde", "tot", "u"}

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
