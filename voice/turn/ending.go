package turn

import "time"

// farewell returns what is said when the call must end although nobody said goodbye.
func (t *transition) farewell() string {
	if t.plan.EndCallMessage != "" {
		return t.plan.EndCallMessage
	}
	return t.fixed.Goodbye
}

// close stops the conversation, speaks last words and hangs up, at the latest after limit. Words that cannot be spoken are
// left out.
func (t *transition) close(reason Reason, words string, limit time.Duration) {
	if t.phase == closing {
		if reason == ProviderVoiceFailed {
			t.finish(t.reason)
		}
		return
	}
	away := t.phase == joined || t.phase == attended // and hears no words of ours
	t.stopConversation()
	t.phase, t.reason = closing, reason
	if words == "" || away {
		t.finish(reason)
		return
	}
	t.say(words)
	t.locked = true
	t.limitFarewell(limit)
}

// limitFarewell sets when closing words are cut off.
func (t *transition) limitFarewell(limit time.Duration) {
	t.dueEnd = t.at + limit
	if t.plan.MaxDuration > 0 {
		t.dueEnd = max(min(t.dueEnd, t.plan.MaxDuration+overtimeLimit), t.at)
	}
}

// stopConversation puts everything said so far on record and forgets what was to be said.
func (t *transition) stopConversation() {
	t.recordAsked()
	t.silence()
	t.putKeys()
	t.recordHeard()
	t.dropCommands()
	t.dueReply, t.dueInterruption, t.dueWords, t.dueNoise, t.dueMax, t.dueScreen, t.dueLeave, t.dueRepeat = 0, 0, 0, 0, 0, 0, 0, 0
}

// dropCommands refuses what nobody will come to do now.
func (t *transition) dropCommands() {
	for _, say := range t.says {
		t.refuse(say.ID, commandTooLate)
	}
	if t.after != nil {
		t.refuse(t.after.command(), commandTooLate)
	}
	t.says, t.after = nil, nil
}

// finish is the one place where a call ends.
func (t *transition) finish(reason Reason) {
	t.stopConversation()
	t.phase, t.reason, t.dueEnd, t.dueSilence = over, reason, 0, 0
	t.do(HangUp{reason})
}

// disconnect ends a call whose leg is over.
func (t *transition) disconnect(reason Reason) {
	switch {
	case t.phase == closing:
		reason = t.reason
	case t.phase == atMachine && reason == CustomerEndedCall:
		reason = Voicemail
	case t.phase == joined && reason == CustomerEndedCall:
		reason = t.reason
	case t.phase == transferring && reason == CustomerEndedCall:
		reason = CustomerEndedCallDuringTransfer
	}
	t.finish(reason)
}
