package voice

import "strings"

// keypadEntry is how keys are told to the model and the transcript.
const keypadEntry = "User's Keypad Entry: "

// longestEntry completes an entry that nothing else does.
const longestEntry = 64

// callerPresses collects keys. One interrupts the assistant as a word does.
func (t *turn) callerPresses(key byte) {
	if !t.script.Keypad.Enabled || t.phase == closing {
		return
	}
	t.dueReply, t.idle, t.idleAt = 0, false, 0
	if t.interruptible() {
		t.interrupt()
	}
	if strings.IndexByte(t.script.Keypad.Delimiters, key) >= 0 {
		t.enterKeys()
		return
	}
	if t.keys == "" {
		t.keysAt = t.at
	}
	t.keys += string(rune(key))
	if t.script.Keypad.Timeout > 0 {
		t.dueKeys = t.at + t.script.Keypad.Timeout
	}
	if len(t.keys) >= longestEntry {
		t.enterKeys()
	}
}

// enterKeys makes the keys a message of the caller, behind the words spoken before.
func (t *turn) enterKeys() {
	t.putKeys()
	t.scheduleReply()
}

func (t *turn) putKeys() {
	t.dueKeys = 0
	if t.keys == "" {
		return
	}
	t.settleHeard()
	t.heard, t.turnAt, t.wordAt, t.entered = keypadEntry+t.keys, t.keysAt, t.at, true
	t.keys = ""
}
