package voice

import (
	"cmp"
	"slices"
	"time"

	"github.com/callwright/callwright/providers/llm"
)

// farewell is what is said when the call must end although nobody said goodbye.
func (t *turn) farewell() string {
	if t.script.EndCallMessage != "" {
		return t.script.EndCallMessage
	}
	return t.fixed.goodbye
}

// shut stops the conversation, speaks last words and hangs up, at the latest after limit.
// Words that cannot be spoken are left out.
func (t *turn) shut(reason Reason, words string, limit time.Duration) {
	if t.phase == closing {
		if reason == ProviderVoiceFailed {
			t.finish(t.reason)
		}
		return
	}
	t.stopConversation()
	t.phase, t.reason = closing, reason
	if words == "" {
		t.finish(reason)
		return
	}
	t.say(words)
	t.locked, t.dueEnd = true, t.at+limit
	if t.script.MaxDuration > 0 {
		t.dueEnd = max(min(t.dueEnd, t.script.MaxDuration+overtimeLimit), t.at)
	}
}

// stopConversation puts everything said so far on record and forgets what was to be said.
func (t *turn) stopConversation() {
	t.settleAsked()
	if t.stage != quiet {
		t.do(cut{})
	}
	t.putKeys()
	t.settleHeard()
	t.rest()
	t.dropCommands()
	t.dueReply, t.dueHold, t.dueWords, t.dueNoise, t.dueMax, t.dueScreen, t.dueLeave = 0, 0, 0, 0, 0, 0, 0
}

// dropCommands refuses what nobody will come to do now.
func (t *turn) dropCommands() {
	for _, say := range t.says {
		t.refuse(say.ID, commandTooLate)
	}
	if t.after != nil {
		t.refuse(t.after.command(), commandTooLate)
	}
	t.says, t.after = nil, nil
}

// finish is the one place where a call ends.
func (t *turn) finish(reason Reason) {
	t.stopConversation()
	t.phase, t.reason, t.dueEnd, t.dueSilence = over, reason, 0, 0
	t.do(hangUp{reason})
}

func (t *turn) lineGone(reason Reason) {
	switch {
	case t.phase == closing:
		reason = t.reason
	case t.phase == atMachine && reason == CustomerEndedCall:
		reason = Voicemail
	case t.phase == transferring && reason == CustomerEndedCall:
		reason = CustomerEndedCallDuringTransfer
	}
	t.finish(reason)
}

// command does what someone asks of the live call.
func (t *turn) command(cmd Command) {
	if t.phase == closing {
		t.refuse(cmd.command(), commandTooLate)
		return
	}
	switch cmd := cmd.(type) {
	case Say:
		t.commandSay(cmd)
	case AddMessage:
		t.do(inform{cmd.Role, cmd.Content})
		t.settle(cmd.ID)
		if cmd.TriggerResponse {
			t.owesTurn = true
			t.scheduleReply()
		}
	case SendDigits:
		t.do(press{cmd.Digits})
		t.settle(cmd.ID)
	case End:
		t.commandEnd(cmd)
	case Transfer:
		t.commandTransfer(cmd)
	}
}

// settle reports a command as carried out. One without an id is our own.
func (t *turn) settle(id string) {
	if id != "" {
		t.do(settled{id})
	}
}

// refuse reports a command as not carried out.
func (t *turn) refuse(id, reason string) {
	if id != "" {
		t.do(refused{id, reason})
	}
}

func (t *turn) commandSay(cmd Say) {
	if cmd.Interrupt && t.stage != quiet && t.phase == talking {
		t.owesTurn = t.owesTurn || t.asked != ""
		t.settleAsked()
		t.do(cut{})
		t.rest()
	}
	if cmd.Interrupt && t.phase == talking {
		t.says = slices.Insert(t.says, 0, cmd)
		t.sayNext()
		return
	}
	t.says = append(t.says, cmd)
	t.scheduleReply()
}

func (t *turn) commandEnd(cmd End) {
	reason := cmd.Reason
	if reason == "" {
		reason = ManuallyCanceled
	}
	t.settle(cmd.ID)
	if cmd.Farewell {
		t.shut(reason, t.script.EndCallMessage, farewellLimit)
		return
	}
	t.finish(reason)
}

// follow does a command when the assistant has spoken. One that waits for that already gives way, unless the words being
// spoken are to be the last.
func (t *turn) follow(cmd Command) {
	if t.after == Command(lastMessage) && t.locked {
		t.refuse(cmd.command(), commandTooLate)
		return
	}
	if t.after != nil {
		t.refuse(t.after.command(), commandReplaced)
	}
	t.after = cmd
}

// commandTransfer hands the caller over once the assistant has finished its sentence and what others wanted to be said.
func (t *turn) commandTransfer(cmd Transfer) {
	switch {
	case t.phase == transferring:
		t.refuse(cmd.ID, transferPending)
	case t.phase == atMachine:
		t.refuse(cmd.ID, machineHasCall)
	case t.stage != quiet, t.phase == talking && len(t.says) > 0: // which were asked for before
		t.follow(cmd)
	case cmd.Announcement != "":
		text := cmd.Announcement
		cmd.Announcement = ""
		t.say(text)
		t.follow(cmd)
	default:
		t.putKeys()
		t.settleHeard()
		t.phase, t.reason, t.dueReply = transferring, cmp.Or(cmd.Reason, AssistantForwardedCall), 0
		t.do(transfer{cmd.ID, cmd.Target})
	}
}

func (t *turn) transferEnds(failed bool) {
	if t.phase != transferring {
		return
	}
	if !failed {
		t.finish(t.reason)
		return
	}
	t.phase, t.reason = talking, ""
	t.do(inform{llm.RoleSystem, transferPhrase})
	t.say(t.fixed.noLine)
}

// afterSpeech is a command that a tool gave: ending and handing over wait for the reply,
// and a reply without words does not leave the caller without any. What came through the API stands.
func (t *turn) afterSpeech(cmd Command, mute bool) {
	switch wish := cmd.(type) {
	case End:
		if mute && wish.Farewell && !ordered(t.after) {
			t.shut(cmp.Or(wish.Reason, ManuallyCanceled), t.farewell(), farewellLimit)
			return
		}
	case Transfer:
		if mute && wish.Announcement == "" {
			wish.Announcement = t.fixed.connect
		}
		cmd = wish
	default:
		t.command(cmd)
		return
	}
	switch {
	case ordered(t.after):
	case t.stage != quiet:
		t.follow(cmd)
	default:
		t.command(cmd)
	}
}
