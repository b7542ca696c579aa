package turn

// stoodBack tells the model that it has the caller again.
const stoodBack = "Your colleague has left the caller to you again. Go on from there."

// bargeIn leaves the caller to a colleague. What the assistant was about to say, and to do after it, is given up.
func (t *transition) bargeIn(cmd BargeIn) {
	switch t.phase {
	case attended, joined:
		t.refuse(cmd.ID, operatorSpeaks)
		return
	case atMachine:
		t.refuse(cmd.ID, machineHasCall)
		return
	case transferring:
		t.refuse(cmd.ID, transferPending)
		return
	}
	t.recordAsked()
	t.silence()
	t.putKeys()
	t.recordHeard()
	if t.after != nil {
		t.refuse(t.after.command(), operatorSpeaks)
		t.after = nil
	}
	t.dueReply, t.dueInterruption, t.dueRepeat, t.dueScreen, t.dueLeave, t.dueFiller = 0, 0, 0, 0, 0, 0
	t.phase, t.attendant, t.owesReply, t.repeating, t.reminding = attended, cmd.ID, false, false, false
	t.do(Attend{})
	t.confirm(cmd.ID)
}

// stepBack gives the caller back to the assistant, who answers where the caller spoke last, and else waits.
func (t *transition) stepBack(cmd StepBack) {
	if t.phase != attended || t.attendant != cmd.BargeIn {
		return
	}
	t.phase, t.owesReply, t.unanswered = talking, t.owesReply || t.unanswered, false
	t.do(Unattend{}, AppendMessage{roleSystem, stoodBack})
	t.scheduleReply()
}
