package voice

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/sentence"
)

// callerStarts notes sound from the caller and, when the assistant has the floor, sets
// the moment at which it is long enough to stop for.
func (t *turn) callerStarts(since time.Duration) {
	if t.phase == atMachine {
		t.settleGreeting()
	}
	t.talks, t.since = true, since
	if t.heard+t.interim == "" {
		t.turnAt = since
	}
	t.dueReply, t.dueWords, t.dueLeave = 0, 0, 0
	t.dueNoise = t.at + noiseLimit
	if t.phase == screening {
		t.screenStarts()
	}
	t.armHold()
}

func (t *turn) armHold() {
	if t.talks && t.interruptible() && !t.held && t.script.StopSpeaking.NumWords == 0 {
		t.dueHold = max(t.since+t.script.StopSpeaking.Voice, t.at)
	}
}

func (t *turn) interruptible() bool {
	return t.phase == talking && t.stage != quiet && !t.locked
}

// suspectInterruption stops the assistant's sound: the caller has talked long enough.
// Words will tell whether it was an interruption.
func (t *turn) suspectInterruption() {
	if !t.talks || !t.interruptible() || t.held || t.ack.covers(join(t.heard, t.interim), t.parting) {
		return
	}
	t.held, t.cutAt = true, t.at
	t.do(hold{})
}

// callerStops starts the wait for words, or for more of them.
func (t *turn) callerStops(end time.Duration) {
	t.talks, t.stopped, t.dueHold, t.dueNoise = false, end, 0, 0
	t.owed++
	t.dueWords = t.at + wordsLimit
	if t.held {
		t.dueWords = t.at + resumeAfter
	}
	if t.phase == screening {
		t.screenStops()
	}
	t.awaitBeep()
}

// callerSays collects words and lets them interrupt. Recognisers write noise as dots or notes, in which nothing was said.
func (t *turn) callerSays(text string, final bool) {
	t.deafs = 0
	if len(sentence.Words(text)) == 0 {
		text = ""
	}
	if text != "" {
		t.entered = false
		if t.script.Idle.ResetOnSpeech {
			t.idles = 0
		}
	}
	if final {
		t.heard, t.interim = join(t.heard, text), ""
		t.owed = max(t.owed-1, 0)
	} else {
		t.interim = text
	}
	if text != "" {
		if t.turnAt == 0 { // words without a sound that we noticed
			t.turnAt = t.at
		}
		t.wordAt = t.at
		if t.talks {
			t.dueNoise = t.at + noiseLimit
		}
		if t.screenWords() {
			return
		}
		t.weighWords()
	}
	if t.owed == 0 && !t.talks {
		t.wordsComplete()
	}
}

// weighWords decides whether words spoken into the assistant's speech take the floor.
func (t *turn) weighWords() {
	if !t.interruptible() {
		return
	}
	said, plan := join(t.heard, t.interim), t.script.StopSpeaking
	switch {
	case t.stop.within(said):
		t.interrupt()
	case t.ack.covers(said, t.parting):
	case len(sentence.Words(said)) >= plan.NumWords:
		t.interrupt()
	}
}

// interrupt gives the floor to the caller. What a reply that was not heard yet would
// have answered belongs to the caller's turn again.
func (t *turn) interrupt() {
	if t.asked != "" {
		t.heard, t.turnAt, t.asked = join(t.asked, t.heard), t.askedAt, ""
	}
	if t.cutAt == 0 || !t.held {
		t.cutAt = t.at
	}
	t.do(cut{interrupted: t.stage == speaking})
	t.dueHold = 0
	if t.dropIdeas() {
		t.do(inform{llm.RoleSystem, wishDropped})
	}
	t.rest()
}

// dropIdeas forgets what a tool wanted, and reports whether that was anything; what came through the API stands.
func (t *turn) dropIdeas() bool {
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

// rest is the state of an assistant that has nothing to say.
func (t *turn) rest() {
	t.stage, t.held, t.locked, t.tries, t.dueFiller = quiet, false, false, 0, 0
}

// wordsComplete follows a pause in which the recogniser has said all it knows.
func (t *turn) wordsComplete() {
	t.dueWords = 0
	if t.phase == screening && t.hello != 0 {
		t.screenStops()
	}
	if t.held { // it was no interruption
		t.held = false
		t.do(resume{})
		return
	}
	t.scheduleReply()
}

// overhear lets the conversation go on in a noise: until that ends, words alone tell that the caller speaks.
func (t *turn) overhear() {
	if t.phase != talking {
		t.dueNoise = t.at + noiseLimit
		return
	}
	t.talks, t.dueHold, t.owed = false, 0, 0
	t.wordsComplete()
}

func (t *turn) stopWaitingForWords() {
	if t.held { // words that come later still interrupt
		t.held = false
		t.do(resume{})
		return
	}
	t.owed = 0
	t.wordsComplete()
}

// scheduleReply sets the moment at which the caller's turn counts as over.
func (t *turn) scheduleReply() {
	said := join(t.heard, t.interim)
	if t.talks || t.owed > 0 || t.stage != quiet || t.phase != talking || t.dueKeys != 0 {
		return
	}
	switch {
	case t.entered:
		t.dueReply = max(t.quietUntil(), t.at)
	case said != "":
		t.dueReply = max(t.stopped+t.script.StartSpeaking.Wait, t.wordAt+t.patience(said), t.quietUntil(), t.at)
	case t.owesTurn || t.after != nil || len(t.says) > 0:
		t.dueReply = max(t.quietUntil(), t.at)
	}
}

// quietUntil is the end of the silence kept after an interruption.
func (t *turn) quietUntil() time.Duration {
	if t.cutAt == 0 {
		return 0
	}
	return t.cutAt + t.script.StopSpeaking.Backoff
}

// patience is how long after these words the caller may still go on.
func (t *turn) patience(said string) time.Duration {
	for _, rule := range t.script.StartSpeaking.Rules {
		if rule.matches(t.last, said) {
			return rule.Wait
		}
	}
	last, _ := utf8.DecodeLastRuneInString(said)
	switch {
	case strings.ContainsRune(".?!…。？！", last):
		return t.script.StartSpeaking.OnPunctuation
	case unicode.IsNumber(last):
		return t.script.StartSpeaking.OnNumber
	default:
		return t.script.StartSpeaking.OnNoPunctuation
	}
}

// recogniserFails asks the caller to repeat what was lost, and gives up in the end.
func (t *turn) recogniserFails() {
	t.deafs++
	lost := t.owed > 0 // of speech that goes on, the rest will tell
	t.owed, t.dueWords = 0, 0
	switch {
	case t.deafs >= repeatPatience:
		t.shut(ProviderTranscriberFailed, t.fixed.apology, farewellLimit)
	case t.held:
		t.wordsComplete()
	case lost && t.phase == talking && t.stage == quiet:
		t.say(t.fixed.repeat)
	}
}

// join puts two pieces of speech together.
func join(a, b string) string {
	return strings.TrimSpace(strings.TrimSpace(a) + " " + strings.TrimSpace(b))
}
