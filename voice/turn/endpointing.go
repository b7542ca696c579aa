package turn

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callwright/callwright/voice/turn/evidence"
)

// scheduleReply sets the deadline after which the caller's turn counts as over.
func (t *transition) scheduleReply() {
	said := join(t.heard, t.interim)
	if t.talks || t.untranscribed > 0 || t.stage != quiet || t.phase != talking || t.dueKeys != 0 {
		return
	}
	switch {
	case t.entered:
		t.dueReply = max(t.quietUntil(), t.at)
	case said != "":
		t.dueReply = max(t.turnEnds(said), t.quietUntil(), t.at)
	case t.owesReply || t.after != nil || len(t.says) > 0:
		t.dueReply = max(t.quietUntil(), t.at)
	}
}

// quietUntil returns the end of the silence kept after an interruption.
func (t *transition) quietUntil() time.Duration {
	if t.cutAt == 0 {
		return 0
	}
	return t.cutAt + t.plan.StopSpeaking.Backoff
}

// turnEnds returns when the caller has been silent for long enough behind these words.
func (t *transition) turnEnds(said string) time.Duration {
	plan := &t.plan.StartSpeaking
	if t.AtMenu() {
		return t.endsBy(EndByMenu, t.wordAt, menuPause)
	}
	for _, rule := range plan.Rules {
		if rule.matches(t.last, said) {
			return t.endsBy(EndByCustomRule, t.wordAt, rule.Wait)
		}
	}
	if plan.Endpointing == ByPunctuation {
		rule, wait := t.punctuationWait(said)
		return t.endsBy(rule, t.wordAt, wait)
	}
	silentSince := t.stopped
	if t.at < t.noisyUntil || t.turnAt > t.stopped { // sound says nothing of when the words ended
		silentSince = t.wordAt
	}
	due := t.endsByEvidence(silentSince, t.continues(said, true), said)
	if plan.Endpointing == ByServer {
		return t.judgedEnd(said, due)
	}
	return due
}

// continues returns the probability that the caller goes on behind these words. Complete ones have all their marks.
func (t *transition) continues(said string, complete bool) float64 {
	return evidence.Continues(t.signs(&t.State, said, complete))
}

func (r *Rules) signs(s *State, said string, complete bool) evidence.Signs {
	return evidence.Signs{
		Language: r.language, Asked: s.last, Said: said, Complete: complete, Melody: s.melody, Voice: s.voice, Marks: s.marks,
		Habit: s.habit,
	}
}

// CallerPause is a silence of the caller behind words that are complete.
type CallerPause struct {
	Since time.Duration
	Signs evidence.Signs // by which it is judged
}

// CallerPause returns the one that lasts, and false where the caller talks, has said nothing, or is being answered.
func (r *Rules) CallerPause(s *State) (CallerPause, bool) {
	lasts := !s.talks && s.untranscribed == 0 && s.heard != "" && s.interim == "" && s.stage == quiet && s.phase == talking
	return CallerPause{s.stopped, r.signs(s, s.heard, true)}, lasts
}

func (t *transition) evidenceWait(continues float64, said string) time.Duration {
	if f := t.plan.StartSpeaking.WaitFunction; f != nil {
		return f(continues)
	}
	return evidence.Wait(continues, said)
}

// callerPauses ends the caller's speech early where the words so far may be all: then the transcriber says the rest sooner.
func (t *transition) callerPauses(melody float64) {
	t.melody, t.pausing, t.atPause = melody, true, join(t.heard, t.interim)
	if t.stop.within(t.atPause) || t.paused && t.atPause != "" { // what might have gone on as an acknowledgement did not
		t.weighWords()
	}
	if !t.talks || t.interim == "" || t.phase != talking || t.stage != quiet || t.plan.StartSpeaking.Endpointing == ByPunctuation {
		return
	}
	if t.continues(join(t.heard, t.interim), false) <= mayBeOver {
		t.do(EndSpeech{})
	}
}

// mayBeOver is the highest probability that the caller goes on for which a pause is worth to be taken for an end.
const mayBeOver = 0.6

// notePause learns how long this caller pauses within a turn.
func (t *transition) notePause(since time.Duration) {
	pause := since - t.stopped
	if t.stopped == 0 || pause < evidence.ShortestWait || pause > evidence.LongestWait || join(t.heard, t.interim)+t.asked == "" {
		return
	}
	if t.habit == 0 {
		t.habit = pause
		return
	}
	t.habit += (pause - t.habit) / 3
}

// learn takes a pause behind said for what it was: the caller went on with the next words, or had finished.
func (t *transition) learn(said, next string, melody float64) {
	t.marks = t.marks.Learn(said, next)
	t.voice = t.voice.Learn(melody, next != "")
}

// relearn takes the pause that is being answered for one within the turn.
func (t *transition) relearn() {
	t.learned = t.before
	if t.asked != "" {
		t.learn(t.asked, join(t.heard, t.interim), t.melodyBefore)
		return
	}
	t.voice = t.voice.Learn(t.melodyBefore, true)
}

// punctuationWait returns how long after these words the caller may still go on, and by which rule: short behind a full stop,
// longer behind a number, longest behind a comma or no punctuation at all.
func (t *transition) punctuationWait(said string) (EndRule, time.Duration) {
	last, _ := utf8.DecodeLastRuneInString(said)
	switch {
	case strings.ContainsRune(".?!…。？！", last):
		return EndByPunctuation, t.plan.StartSpeaking.OnPunctuation
	case unicode.IsNumber(last):
		return EndByNumber, t.plan.StartSpeaking.OnNumber
	default:
		return EndByNoPunctuation, t.plan.StartSpeaking.OnNoPunctuation
	}
}
