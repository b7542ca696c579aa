package turn

import (
	"time"

	"github.com/callwright/callwright/voice/answerer"
)

// Event is something that happens in a call. Times in events are durations since the answer.
type Event interface{ isEvent() }

// What the caller does, as it is noticed.
type (
	// SpeechSuspected reports a sound that may become speech of the caller.
	SpeechSuspected struct{}
	// SpeechStarted reports sound of the caller.
	SpeechStarted struct {
		Since time.Duration // when it began, a moment ago
		Vague bool          // it may be what is left of the assistant's own voice
	}
	// SpeechPaused reports a silence of the caller, who may go on. EndSpeech makes it the end.
	SpeechPaused struct {
		Melody float64 // of the last syllables, from -1 (they fell, as at an end) to 1 (they did not)
	}
	// SpeechResumed reports that the caller goes on behind a SpeechPaused.
	SpeechResumed struct{}
	// SpeechEnded reports that the caller has fallen silent.
	SpeechEnded struct {
		End    time.Duration // when the sound ended, a moment ago
		Others bool          // somebody else was heard since
	}
	// OthersHeard reports that somebody else is heard shortly behind a SpeechEnded that said nothing of it.
	OthersHeard struct{}
	// Transcribed reports what the transcriber understood.
	Transcribed struct {
		Text  string // of a Final one all words since the last Final one, else those so far
		Final bool   // the words no longer change; one Final answers each SpeechEnded
	}
	// EchoTranscribed reports that the transcriber has understood the assistant's own words, which are left out of what it says.
	EchoTranscribed struct {
		Final bool
	}
	// TranscriberFailed reports that the words of the speech that is going on may be lost.
	TranscriberFailed struct{}
	// KeyPressed reports a key of the caller's telephone.
	KeyPressed struct {
		Key byte // 0-9 * # A-D
	}
	// BeepHeard reports the end of a beep, such as that of an answering machine.
	BeepHeard struct{}
	// FaxHeard reports the tone of a fax.
	FaxHeard struct{}
	// TurnEndJudged answers an AskTurnEnd.
	TurnEndJudged struct {
		ID     int
		Wait   time.Duration // since it was asked, that the caller may go on for
		Failed bool          // there is no judgement
	}
	// AnswererNamed reports whom the model takes for the one that answered.
	AnswererNamed struct {
		Kind answerer.Kind
	}
)

// What becomes of what the assistant is to say.
type (
	// PlaybackStarted reports that the assistant's turn begins to be heard.
	PlaybackStarted struct{}
	// PlaybackEnded reports that all of the assistant's turn was made and played.
	PlaybackEnded struct {
		Text string
	}
	// ReplyFailed reports that the model made no reply.
	ReplyFailed struct {
		Spoken bool // it made a part, which is being spoken
	}
	// ReplyBegun reports that a sentence of the reply was made, or of what is said while tools work.
	ReplyBegun struct{}
	// FellQuiet reports that all sound that was made was played, and that more is to come.
	FellQuiet struct{}
	// HeardAgain reports that the assistant is heard behind a FellQuiet.
	HeardAgain struct{}
	// VoiceFailed reports that words cannot be made audible.
	VoiceFailed struct{}
	// ToolsRan reports that the reply in the making has had effects.
	ToolsRan struct{}
	// ToolCommand is the command of a tool that the reply in the making called, to be done when that was spoken.
	ToolCommand struct {
		Command Command
		Mute    bool // the reply has no words
	}
)

// What happens to the call.
type (
	// Answered begins a call.
	Answered struct{}
	// CommandReceived is a command from outside the call.
	CommandReceived struct {
		Command Command
	}
	// TransferEnded reports how a StartTransfer ended.
	TransferEnded struct {
		Failed bool
		Why    string        // it failed, for the model; empty: unknown
		Joined bool          // the caller talks to a colleague, on legs of ours
		Limit  time.Duration // of that; 0: unlimited
	}
	// ColleagueLeft reports that the colleague of a joined caller has hung up.
	ColleagueLeft struct{}
	// ShuttingDown reports that the program stops: the call is to end soon.
	ShuttingDown struct{}
	// Disconnected reports that the leg is over.
	Disconnected struct {
		Reason Reason
	}
	// Tick reports that the time of State.NextDeadline has come.
	Tick struct{}
)

func (SpeechSuspected) isEvent()   {}
func (SpeechStarted) isEvent()     {}
func (SpeechPaused) isEvent()      {}
func (SpeechResumed) isEvent()     {}
func (OthersHeard) isEvent()       {}
func (SpeechEnded) isEvent()       {}
func (Transcribed) isEvent()       {}
func (EchoTranscribed) isEvent()   {}
func (TranscriberFailed) isEvent() {}
func (KeyPressed) isEvent()        {}
func (BeepHeard) isEvent()         {}
func (FaxHeard) isEvent()          {}
func (TurnEndJudged) isEvent()     {}
func (AnswererNamed) isEvent()     {}
func (PlaybackStarted) isEvent()   {}
func (PlaybackEnded) isEvent()     {}
func (ReplyFailed) isEvent()       {}
func (ReplyBegun) isEvent()        {}
func (FellQuiet) isEvent()         {}
func (HeardAgain) isEvent()        {}
func (VoiceFailed) isEvent()       {}
func (ToolsRan) isEvent()          {}
func (ToolCommand) isEvent()       {}
func (Answered) isEvent()          {}
func (CommandReceived) isEvent()   {}
func (TransferEnded) isEvent()     {}
func (ColleagueLeft) isEvent()     {}
func (ShuttingDown) isEvent()      {}
func (Disconnected) isEvent()      {}
func (Tick) isEvent()              {}
