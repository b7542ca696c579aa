package turn

import "time"

// Command is something that others ask of a live call, such as Say, AddMessage, SendDigits, End or Transfer. One that carries an
// ID is answered by one ConfirmCommand or RefuseCommand; for a Transfer that has begun, its outcome is the answer. BargeIn,
// StepBack and Operator are those of a colleague who listens in.
type Command interface{ command() string }

// Say speaks a fixed text, as soon as nobody speaks.
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
	Target       string        // E.164 or SIP URI
	Announcement string        // spoken to the caller first; empty: nothing
	Reason       Reason        // of the call's end, when it succeeds; empty: AssistantForwardedCall
	Firm         bool          // the caller's words do not stop it, as they stop one that the model wants; with an ID they never do
	Plan         *TransferPlan // nil: a blind transfer
}

// BargeIn has a colleague speak to the caller in the assistant's place, who falls silent and listens.
type BargeIn struct{ ID string }

// StepBack ends what the BargeIn of that ID began, and nothing else: the assistant answers the caller again.
type StepBack struct{ BargeIn string }

// Operator is what the colleague has said.
type Operator struct {
	Text string
	At   time.Duration // when it began, since the answer
}

// What commands are refused with.
const (
	commandTooLate  = "the call is ending"
	commandReplaced = "another command took its place"
	transferPending = "a transfer is under way"
	machineHasCall  = "an answering machine took the call"
	operatorSpeaks  = "a colleague speaks to the caller"
)

func (c Say) command() string        { return c.ID }
func (c AddMessage) command() string { return c.ID }
func (c SendDigits) command() string { return c.ID }
func (c End) command() string        { return c.ID }
func (c Transfer) command() string   { return c.ID }
func (c BargeIn) command() string    { return c.ID }
func (StepBack) command() string     { return "" }
func (Operator) command() string     { return "" }
