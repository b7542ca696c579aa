package turn

import (
	"cmp"
	"slices"
)

// transferFailed says to the model what it has to go on from.
const transferFailed = "The transfer failed; the caller is still on the line."

// lastMessage ends a call in which somebody wanted a message to be the last.
var lastMessage = End{Reason: AssistantEndedCallAfterMessage}

// command carries out a command, or has it wait for its time.
func (t *transition) command(cmd Command) {
	if t.phase == closing {
		t.refuse(cmd.command(), commandTooLate)
		return
	}
	switch cmd := cmd.(type) {
	case Say:
		t.commandSay(cmd)
	case AddMessage:
		t.do(AppendMessage{cmd.Role, cmd.Content})
		t.confirm(cmd.ID)
		if cmd.TriggerResponse {
			t.owesReply = true
			t.scheduleReply()
		}
	case SendDigits:
		t.do(PressKeys{cmd.Digits})
		t.confirm(cmd.ID)
	case End:
		t.commandEnd(cmd)
	case Transfer:
		t.commandTransfer(cmd)
	case BargeIn:
		t.bargeIn(cmd)
	case StepBack:
		t.stepBack(cmd)
	case Operator:
		t.unanswered = false
		t.do(RecordOperatorTurn(cmd))
	}
}

func (t *transition) commandSay(cmd Say) {
	if cmd.Interrupt && t.stage != quiet && t.phase == talking {
		t.owesReply = t.owesReply || t.asked != ""
		t.recordAsked()
		t.cut(false)
	}
	if cmd.Interrupt && t.phase == talking {
		t.says = slices.Insert(t.says, 0, cmd)
		t.sayNext()
		return
	}
	t.says = append(t.says, cmd)
	t.scheduleReply()
}

func (t *transition) sayNext() {
	next := t.says[0]
	t.says = t.says[1:]
	t.say(next.Content)
	t.confirm(next.ID)
	if next.EndAfter {
		t.follow(lastMessage)
		t.locked = true
	}
}

func (t *transition) commandEnd(cmd End) {
	reason := cmp.Or(cmd.Reason, ManuallyCanceled)
	t.confirm(cmd.ID)
	if cmd.Farewell {
		t.close(reason, t.plan.EndCallMessage, farewellLimit)
		return
	}
	t.finish(reason)
}

// commandTransfer hands the caller over once the assistant has finished its sentence and what others wanted to be said.
func (t *transition) commandTransfer(cmd Transfer) {
	switch {
	case t.phase == transferring:
		t.refuse(cmd.ID, transferPending)
	case t.phase == atMachine:
		t.refuse(cmd.ID, machineHasCall)
	case t.phase == attended:
		t.refuse(cmd.ID, operatorSpeaks)
	case t.stage != quiet, t.phase == talking && len(t.says) > 0: // which were asked for before
		t.follow(cmd)
	case cmd.Announcement != "":
		text := cmd.Announcement
		cmd.Announcement = ""
		t.say(text)
		t.follow(cmd)
	default:
		t.putKeys()
		t.recordHeard()
		t.phase, t.reason, t.dueReply = transferring, cmp.Or(cmd.Reason, AssistantForwardedCall), 0
		t.through = cmd.Plan
		t.do(StartTransfer{ID: cmd.ID, Target: cmd.Target, Plan: cmd.Plan})
	}
}

// toolCommand takes the command of a tool: ending and handing over wait for the reply, and a reply without words does not
// leave the caller without any. What came from outside stands.
func (t *transition) toolCommand(cmd Command, mute bool) {
	switch wanted := cmd.(type) {
	case End:
		if mute && wanted.Farewell && !ordered(t.after) {
			t.close(cmp.Or(wanted.Reason, ManuallyCanceled), t.farewell(), farewellLimit)
			return
		}
	case Transfer:
		if mute && wanted.Announcement == "" {
			wanted.Announcement = t.fixed.Transferring
		}
		cmd = wanted
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

// follow has a command wait until the assistant has spoken. One that waits for that already gives way, unless the words being
// spoken are to be the last.
func (t *transition) follow(cmd Command) {
	if t.after == Command(lastMessage) && t.locked {
		t.refuse(cmd.command(), commandTooLate)
		return
	}
	if t.after != nil {
		t.refuse(t.after.command(), commandReplaced)
	}
	t.after = cmd
}

// goOn does what waited for the assistant to finish, behind the words that others wanted to be said.
func (t *transition) goOn() {
	if len(t.says) > 0 && t.after != Command(lastMessage) {
		t.sayNext()
		return
	}
	cmd := t.after
	t.after = nil
	t.command(cmd)
}
