// Package turn decides who speaks in a call, and when: pure functions from a state and an event to the next state and the
// actions that follow.
//
// It knows the caller's sound, words and keys as events, the assistant's speech as actions, the plan of a script, and
// every deadline of a call. It has no clock, no goroutine and no I/O: whoever holds the call calls Rules.Step with what
// happened and when, carries out the actions in order, and steps with Tick when State.NextDeadline has come. So every rule
// is a row in a table of a test. It must not know telephones, providers, sound, or who holds the call.
package turn

import (
	"cmp"
	"slices"
	"time"
)

// Step returns the state of a call after an event, and the actions to be carried out in order. At is when the event
// happened, since the answer; it never decreases from step to step. Step changes nothing that it is given, and after
// HangUp it does nothing.
func (r *Rules) Step(s State, at time.Duration, e Event) (State, []Action) {
	if s.phase == over {
		return s, nil
	}
	s.says = slices.Clone(s.says)
	t := &transition{Rules: r, State: s, at: max(at, 1)} // time 0 means never
	t.apply(e)
	t.reviewGuess(s.ahead)
	t.watchSilence()
	return t.State, t.actions
}

func (t *transition) apply(e Event) {
	if t.whileJoined(e) {
		return
	}
	switch e := e.(type) {
	case Answered:
		t.open()
	case SpeechSuspected:
		t.callerMayStart()
	case SpeechStarted:
		t.vague = e.Vague
		t.callerStarts(e.Since)
	case SpeechPaused:
		t.callerPauses(e.Melody)
		t.thinkAhead()
	case SpeechResumed:
		t.pausing, t.atPause = false, ""
	case SpeechEnded:
		t.others = e.Others
		t.callerStops(e.End)
	case OthersHeard:
		t.othersTalk()
	case Transcribed:
		t.callerSays(e.Text, e.Final)
	case EchoTranscribed:
		t.vague, t.streams = true, t.streams || !e.Final
	case TranscriberFailed:
		t.transcriberFails()
	case PlaybackStarted:
		t.playbackStarts()
	case PlaybackEnded:
		t.playbackEnds(e.Text)
	case ReplyFailed:
		t.replyFails(e.Spoken)
	case ReplyBegun:
		t.replyBegins()
	case FellQuiet:
		t.fallsQuiet()
	case HeardAgain:
		t.dueFiller = 0
	case VoiceFailed:
		t.close(ProviderVoiceFailed, t.fixed.Apology, sorryLimit)
	case CommandReceived:
		t.command(e.Command)
	case ToolCommand:
		t.toolCommand(e.Command, e.Mute)
	case KeyPressed:
		t.callerPresses(e.Key)
	case BeepHeard:
		t.beeps()
	case FaxHeard:
		t.findFax()
	case TurnEndJudged:
		t.turnJudged(e)
	case AnswererNamed:
		t.guessed(e.Kind)
	case TransferEnded:
		t.transferEnds(e)
	case ToolsRan:
		t.recordAsked()
	case ShuttingDown:
		t.close(WorkerShutdown, t.farewell(), farewellLimit)
	case Disconnected:
		t.disconnect(e.Reason)
	case Tick:
		t.meetDeadline()
	}
}

// meetDeadline does what is due, the most urgent one of several.
func (t *transition) meetDeadline() {
	passed := func(due *deadline) bool {
		if *due == 0 || *due > t.at {
			return false
		}
		*due = 0
		return true
	}
	switch {
	case passed(&t.dueEnd):
		t.finish(t.reason)
	case passed(&t.dueMax):
		t.close(ExceededMaxDuration, t.farewell(), overtimeLimit)
	case passed(&t.dueScreen):
		t.screened()
	case passed(&t.dueLeave):
		t.leaveMessage()
	case passed(&t.dueInterruption):
		t.suspectInterruption()
	case passed(&t.dueWords):
		t.stopWaitingForWords()
	case passed(&t.dueNoise):
		t.ignoreNoise()
	case passed(&t.dueReply):
		t.reply()
	case passed(&t.dueFiller):
		t.fillSilence()
	case passed(&t.dueRepeat):
		t.askAgain()
	case passed(&t.dueKeys):
		t.enterKeys()
	case passed(&t.dueSilence):
		t.close(SilenceTimedOut, cmp.Or(t.plan.Idle.SilenceMessage, t.farewell()), farewellLimit)
	case passed(&t.dueIdle):
		t.remind()
	}
}
