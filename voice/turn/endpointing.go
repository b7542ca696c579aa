package turn

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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
		t.dueReply = max(t.stopped+t.plan.StartSpeaking.Wait, t.wordAt+t.endpointWait(said), t.quietUntil(), t.at)
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

// endpointWait returns how long after these words the caller may still go on: short behind a full stop, longer behind a number,
// longest behind a comma or no punctuation at all.
func (t *transition) endpointWait(said string) time.Duration {
	if t.AtMenu() {
		return menuPause
	}
	for _, rule := range t.plan.StartSpeaking.Rules {
		if rule.matches(t.last, said) {
			return rule.Wait
		}
	}
	last, _ := utf8.DecodeLastRuneInString(said)
	switch {
	case strings.ContainsRune(".?!…。？！", last):
		return t.plan.StartSpeaking.OnPunctuation
	case unicode.IsNumber(last):
		return t.plan.StartSpeaking.OnNumber
	default:
		return t.plan.StartSpeaking.OnNoPunctuation
	}
}
