package voice

import (
	"context"
	"time"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/audio"
)

// Leg is the telephone line of one answered call. Its methods never block, except those
// that take a context.
type Leg interface {
	// Incoming is what the far end sends, in order. It is closed when the leg is over.
	Incoming() <-chan audio.Incoming
	// Play appends 8 kHz mono samples to the playout queue, which keeps them: nobody writes to them any more.
	Play(pcm []int16)
	// Flush drops what was not sent yet and returns how much that was.
	Flush() time.Duration
	// Queued is how much was not sent yet.
	Queued() time.Duration
	// Captioned reports whether text travels beside the sound (RFC 4351).
	Captioned() bool
	// Caption sends text beside the sound, where that was negotiated.
	Caption(text string)
	SendDigits(digits string)
	// Record passes what was received and sent to sink, once per frame of the send clock.
	Record(sink func(far, near []int16))
	// Hangup ends the call. It may be called again.
	Hangup(ctx context.Context) error
	// Transfer asks the far end to call target instead and waits for the outcome.
	Transfer(ctx context.Context, target string) error
	// Done is closed when the leg is over; Err then says why, nil after our own Hangup.
	Done() <-chan struct{}
	Err() error
}

// Roles of a Turn.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Turn is what one side said before the other one spoke.
type Turn struct {
	Role        string        // RoleUser or RoleAssistant
	Text        string        // what was heard; of the assistant, what was really played
	At          time.Duration // when it began, since the answer
	Interrupted bool          // the assistant was cut off behind Text
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
	MachineDetected  NoteKind = "machine-detected"  // an answering machine; Text: by what it was found
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
	Command string // id of the Command
	Tool    *ToolUse
	Err     error
}

// ToolUse is what became of a tool that the model called.
type ToolUse struct {
	Call   llm.ToolCall
	Answer string // what the model was told
	Took   time.Duration
}

// Ledger keeps what happens in a call. It is called by the goroutine that owns the call
// and must never block it: an implementation queues. Turns come in the order in which
// they were spoken, notes in the order in which things happened.
type Ledger interface {
	Turn(Turn)
	Note(Note)
}

// Tools are the functions that the language model may call.
type Tools interface {
	List() []llm.Tool
	// Call runs one. It honours ctx, which ends with the call: a caller who interrupts ends the reply, but what a tool
	// has begun is not half done. say speaks a sentence to the caller who waits; it is for the goroutine of Call, before
	// that returns. A failure is told to the model in words: there is nobody else to tell.
	Call(ctx context.Context, call llm.ToolCall, say func(sentence string)) ToolResult
}

// ToolResult is what a tool answers to the model.
type ToolResult struct {
	Content string
	Err     error   // noted; Content still goes to the model
	Say     string  // spoken in place of a reply of the model; empty: the model replies
	Then    Command // carried out after the assistant's reply was spoken; nil: nothing
}

// Command is something that others ask of a live call: Say, AddMessage, SendDigits, End,
// Transfer.
type Command interface{ command() string }

// Say speaks a fixed text, at the next moment when nobody speaks.
type Say struct {
	ID        string
	Content   string
	Interrupt bool // cut off what the assistant is saying
	EndAfter  bool // hang up when it was spoken
}

// AddMessage puts a message before the language model as if it were said.
type AddMessage struct {
	ID              string
	Role            string // system, user or assistant
	Content         string
	TriggerResponse bool // let the assistant answer at once
}

// SendDigits presses keys for the far end to hear, at once.
type SendDigits struct {
	ID     string
	Digits string // 0-9 * # A-D; a comma is half a second
}

// End ends the call.
type End struct {
	ID       string
	Reason   Reason // empty: ManuallyCanceled
	Farewell bool   // speak the end-call message first
}

// Transfer hands the caller to another telephone.
type Transfer struct {
	ID           string
	Target       string // E.164 or SIP URI
	Announcement string // spoken to the caller first; empty: nothing
	Reason       Reason // of the call's end, when it succeeds; empty: AssistantForwardedCall
	Firm         bool   // the caller's words do not stop it, as those of a model's wish do; with an ID they never do
}

func (c Say) command() string        { return c.ID }
func (c AddMessage) command() string { return c.ID }
func (c SendDigits) command() string { return c.ID }
func (c End) command() string        { return c.ID }
func (c Transfer) command() string   { return c.ID }
