package voice

import (
	"time"

	"github.com/callwright/callwright/providers/llm"
)

// Roles of a Turn.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Turn is what one side said before the other one spoke.
type Turn struct {
	Role        string        // RoleUser or RoleAssistant
	Operator    bool          // a colleague has said it in the assistant's place
	Text        string        // what was heard; of the assistant, what was really played
	At          time.Duration // when it began, since the answer
	Interrupted bool          // the assistant was cut off behind Text
	Timing      *Timing       // of an answer to the caller; nil: it is none
}

// NoteKind says what a Note reports.
type NoteKind string

// The notes. Role, Text, Command and Err are set where the comment names them.
const (
	SpeechStarted    NoteKind = "speech-started"    // Role
	SpeechStopped    NoteKind = "speech-stopped"    // Role
	UserInterrupted  NoteKind = "user-interrupted"  // the caller cut the assistant off
	AssistantDelayed NoteKind = "assistant-delayed" // the caller waits for long
	DigitPressed     NoteKind = "digit-pressed"     // Text: the key
	// no person took the call; Text: by what an answering machine was found, or menu, screener, fax
	MachineDetected  NoteKind = "machine-detected"
	CommandDone      NoteKind = "command-done"      // Command
	CommandFailed    NoteKind = "command-failed"    // Command, Err
	ToolCalled       NoteKind = "tool-called"       // Tool, whose beginning is At; Err when it failed
	ProviderFailed   NoteKind = "provider-failed"   // Text: llm, voice or transcriber; Err
	TransferStarted  NoteKind = "transfer-started"  // Text: target
	TransferFinished NoteKind = "transfer-finished" // Text: target; Err
)

// Note is anything beside the turns that happened in a call.
type Note struct {
	Kind    NoteKind
	At      time.Duration // since the answer
	Role    string
	Text    string
	Command string // id of the command
	Tool    *ToolUse
	Err     error
}

// ToolUse is what became of a tool that the model called.
type ToolUse struct {
	Call   llm.ToolCall
	Answer string // what the model was given
	Took   time.Duration
}

// Journal keeps what happens in a call. It is called by the goroutine that owns the call and must never block it: an
// implementation queues. Turns come in the order in which they were spoken, notes in the order in which things happened.
type Journal interface {
	Turn(Turn)
	Note(Note)
}
