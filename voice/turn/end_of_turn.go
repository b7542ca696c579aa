package turn

import "time"

// EndRule names what decided how long the caller had to be silent before the turn counted as over. It is public contract: names
// are added, never changed.
type EndRule string

// The rules.
const (
	EndByEvidence      EndRule = "evidence"       // words and melody
	EndByWaitFunction  EndRule = "wait-function"  // the plan's function of the same evidence
	EndByWait          EndRule = "wait-seconds"   // the plan's shortest wait, which the others fell short of
	EndByCustomRule    EndRule = "custom-rule"    // an EndpointingRule of the plan
	EndByPunctuation   EndRule = "punctuation"    // a full stop or the like
	EndByNumber        EndRule = "number"         // a number
	EndByNoPunctuation EndRule = "no-punctuation" // neither
	EndByServer        EndRule = "server"         // the customer's server said so, or did not say in time
	EndByMenu          EndRule = "menu"           // a machine's menu was listened to
	EndByKeypad        EndRule = "keypad"         // an entry was complete
	EndByBackoff       EndRule = "backoff"        // the silence kept after an interruption
)

// EndOfTurn is when and why a turn of the caller counted as over. Times are durations since the answer.
type EndOfTurn struct {
	SpeechEnded time.Duration // when the caller fell silent
	LastWords   time.Duration // when the last words came
	At          time.Duration // when the turn counted as over
	Rule        EndRule
	Wait        time.Duration // that the rule asked for
	Continues   float64       // the probability, by evidence, that the caller would go on; by EndByEvidence and EndByWaitFunction
}

// endState is why the caller's turn is to end, or has ended last.
type endState struct {
	end    EndOfTurn
	endDue time.Duration // by that rule
}

// endsBy returns when a turn ends by a rule that asks for a wait since some time, and by the plan's shortest wait.
func (t *transition) endsBy(rule EndRule, since, wait time.Duration) time.Duration {
	t.end = EndOfTurn{Rule: rule, Wait: wait}
	t.endDue = since + wait
	if least := t.plan.StartSpeaking.Wait; t.stopped+least > t.endDue {
		t.end.Rule, t.end.Wait, t.endDue = EndByWait, least, t.stopped+least
	}
	return t.endDue
}

// endsByEvidence is endsBy for the probability that the caller goes on.
func (t *transition) endsByEvidence(since time.Duration, continues float64, said string) time.Duration {
	rule, wait := EndByEvidence, t.evidenceWait(continues, said)
	if t.plan.StartSpeaking.WaitFunction != nil {
		rule = EndByWaitFunction
	}
	if t.others { // the last words may be theirs
		wait = min(wait, othersWait)
	}
	if least := t.plan.StartSpeaking.Wait; least > wait {
		rule, wait = EndByWait, least
	}
	due := t.endsBy(rule, since, wait)
	t.end.Continues = continues
	return due
}

// othersTalk waits no longer than othersWait behind words that end with theirs, perhaps.
func (t *transition) othersTalk() {
	t.others = true
	if t.dueReply != 0 {
		t.scheduleReply()
	}
}

// endTurn notes that the caller's turn is over, before its words are taken.
func (t *transition) endTurn() {
	switch quiet := t.quietUntil(); {
	case t.entered:
		t.end = EndOfTurn{Rule: EndByKeypad, Wait: t.plan.Keypad.Timeout}
	case quiet > t.endDue:
		t.end.Rule, t.end.Wait = EndByBackoff, t.plan.StopSpeaking.Backoff
	}
	t.end.SpeechEnded, t.end.LastWords, t.end.At = max(t.stopped, t.turnAt), t.wordAt, t.at
}
