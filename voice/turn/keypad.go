package turn

import "strings"

// keypadEntry stands before keys, for the model and in the transcript.
const keypadEntry = "User's Keypad Entry: "

// longestEntry completes an entry that nothing else does.
const longestEntry = 64

// callerPresses collects keys. One interrupts the assistant as a word does.
func (t *transition) callerPresses(key byte) {
	if !t.plan.Keypad.Enabled || t.phase == closing {
		return
	}
	t.dueReply, t.idle, t.idleAt, t.pressedAt = 0, false, 0, t.at
	if t.interruptible() {
		t.interrupt()
	}
	if strings.IndexByte(t.plan.Keypad.Delimiters, key) >= 0 {
		t.enterKeys()
		return
	}
	if t.keys == "" {
		t.keysAt = t.at
	}
	t.keys += string(rune(key))
	if t.plan.Keypad.Timeout > 0 {
		t.dueKeys = t.at + t.plan.Keypad.Timeout
	}
	if len(t.keys) >= longestEntry {
		t.enterKeys()
	}
}

// enterKeys completes an entry and answers it.
func (t *transition) enterKeys() {
	t.putKeys()
	t.scheduleReply()
}

// putKeys makes the keys a turn of the caller, behind the words spoken before.
func (t *transition) putKeys() {
	t.dueKeys = 0
	if t.keys == "" {
		return
	}
	t.recordHeard()
	t.heard, t.turnAt, t.wordAt, t.entered = keypadEntry+t.keys, t.keysAt, t.at, true
	t.keys = ""
}
