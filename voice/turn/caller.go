package turn

import (
	"strings"
	"time"

	"github.com/callwright/callwright/voice/sentence"
)

// callerMayStart holds a reply back that would begin into the first syllable of the caller, once in a turn.
func (t *transition) callerMayStart() {
	if t.dueReply != 0 && !t.suspected {
		t.suspected, t.dueReply = true, max(t.dueReply, t.at+suspicion)
	}
}

// callerStarts notes sound of the caller.
func (t *transition) callerStarts(since time.Duration) {
	if t.phase == atMachine {
		t.recordGreeting()
	}
	if t.at < t.noisyUntil {
		return
	}
	t.notePause(since)
	t.talks, t.since, t.pausing, t.atPause = true, since, false, ""
	t.melodyBefore, t.melody = t.melody, 0
	if t.heard+t.interim == "" {
		t.turnAt = since
	}
	t.dueReply, t.dueWords, t.dueLeave, t.dueRepeat = 0, 0, 0, 0
	t.dueNoise = t.at + noiseLimit
	if t.phase == screening {
		t.screenStarts()
	}
	t.armInterruption()
}

// callerStops starts the wait for words, or for more of them.
func (t *transition) callerStops(end time.Duration) {
	t.talks, t.pausing, t.stopped, t.dueInterruption, t.dueNoise = false, false, end, 0, 0
	t.untranscribed++
	t.dueWords = t.at + wordsLimit
	if t.paused || t.ducked {
		t.dueWords = t.at + resumeAfter
	}
	if t.phase == screening {
		t.screenStops()
	}
	if t.phase == talking && t.goesOnGreeting() {
		t.greetTo = end
	}
	t.awaitBeep()
}

// callerSays collects words and lets them interrupt. Transcribers write noise as dots or notes, in which nothing was said.
func (t *transition) callerSays(text string, final bool) {
	t.sttFailures = 0
	text = t.untaken(text, final)
	if len(sentence.Words(text)) == 0 {
		text = ""
	}
	if text != "" {
		t.entered = false
		if t.plan.Idle.ResetOnSpeech {
			t.reminders = 0
		}
	}
	if final {
		if t.heard != "" && text != "" {
			t.learn(t.heard, text, t.melodyBefore)
		}
		t.heard, t.interim = join(t.heard, text), ""
		t.learnLag(t.heard)
		t.untranscribed = max(t.untranscribed-1, 0)
	} else {
		t.interim = text
		t.streams = t.streams || text != ""
	}
	if text != "" {
		if t.turnAt == 0 { // words whose sound was not noticed
			t.turnAt = t.at
		}
		t.wordAt = t.at
		if t.talks {
			t.dueNoise = t.at + t.noiseWait()
		}
		if t.screenWords() {
			return
		}
		t.weighWords()
	}
	if t.untranscribed == 0 && !t.talks {
		t.wordsComplete()
	}
}

// untaken returns what of some words is new. Those that were answered as interim words come once more when they are final.
func (t *transition) untaken(text string, final bool) string {
	taken := len(sentence.Words(t.taken))
	if final {
		t.taken = ""
	}
	fields := strings.Fields(text)
	for taken > 0 && len(fields) > 0 {
		taken -= len(sentence.Words(fields[0]))
		fields = fields[1:]
	}
	return strings.Join(fields, " ")
}

// transcriberFails asks the caller to repeat what was lost, and gives up in the end.
func (t *transition) transcriberFails() {
	t.sttFailures++
	lost := t.untranscribed > 0 // of speech that goes on, the rest will tell
	t.untranscribed, t.dueWords, t.taken = 0, 0, ""
	switch {
	case t.sttFailures >= repeatPatience && t.plan.WithoutWords:
		if t.sttFailures == repeatPatience && t.plan.Keypad.Enabled {
			t.commandSay(Say{Content: t.fixed.PressToTake})
		}
		t.wordsComplete()
	case t.sttFailures >= repeatPatience && t.phase != attended && t.phase != transferring: // where nobody needs to be understood
		t.close(ProviderTranscriberFailed, t.fixed.Apology, farewellLimit)
	case t.paused || t.ducked:
		t.wordsComplete()
	case lost && t.phase == talking && t.stage == quiet:
		t.say(t.fixed.Repeat)
		t.repeating = true
	}
}

// askAgain asks once more to repeat what was lost: whoever was not understood may not have been heard, either.
func (t *transition) askAgain() {
	if t.phase == talking && t.stage == quiet && !t.talks && t.untranscribed == 0 && t.heard+t.interim == "" {
		t.say(t.fixed.RepeatAgain)
	}
}

// wordsComplete follows a pause in which the transcriber has said all it knows.
func (t *transition) wordsComplete() {
	t.dueWords = 0
	if t.phase == screening && t.hello != 0 {
		t.screenStops()
	}
	if t.phase == attended { // nobody of ours answers
		t.unanswered = t.unanswered || t.heard+t.interim != ""
		t.recordHeard()
		return
	}
	if !t.resume() {
		t.scheduleReply()
	}
}

// stopWaitingForWords goes on without them. Words that come later still interrupt what is resumed.
func (t *transition) stopWaitingForWords() {
	if t.resume() {
		return
	}
	if t.heard+t.interim == "" && t.untranscribed > 0 && t.phase == talking {
		t.do(ReplaceTranscriber{})
		return
	}
	t.untranscribed = 0
	t.wordsComplete()
}

// noiseWait returns how long a sound may go on without a new word. Where the transcriber gives words as they are spoken, one
// that goes on without them is not the caller's.
func (t *transition) noiseWait() time.Duration {
	said := join(t.heard, t.interim)
	if t.interim == "" || t.phase != talking || t.plan.StartSpeaking.Endpointing == ByPunctuation {
		return noiseLimit
	}
	return wordless + t.evidenceWait(t.continues(said, false), said)
}

// ignoreNoise lets the conversation go on in a noise: until that ends, words alone tell that the caller speaks.
func (t *transition) ignoreNoise() {
	if t.phase != talking {
		t.dueNoise = t.at + noiseLimit
		return
	}
	t.dueInterruption, t.untranscribed = 0, 0
	if t.interim != "" {
		t.noisyUntil = t.at + noisyFor
		t.do(EndSpeech{}) // the words are to become final
		return
	}
	t.talks = false
	t.wordsComplete()
}
