package turn

import "time"

// Action is something that the session is to do.
type Action interface{ isAction() }

// What the assistant says.
type (
	// Respond makes and speaks a reply to the conversation.
	Respond struct {
		Words   string        // of the caller, not on record yet; empty: nobody asked anything
		Delay   time.Duration // before the model is asked
		Guessed bool          // it is the reply of the Guess before
	}
	// Guess begins a reply as Respond does, which is not heard, and does nothing, before a Respond confirms it. One at a time.
	Guess struct {
		Words string // of the caller, who may go on
	}
	// DropGuess gives the Guess before up.
	DropGuess struct{}
	// Speak speaks a fixed text behind what is being spoken.
	Speak struct {
		Text  string
		First bool // before all of which nothing could be made audible so far
	}
	// SpeakOneOf speaks one of these texts.
	SpeakOneOf struct {
		Texts []string
	}
	// Duck makes the sound quieter until Unduck, Pause or Cut: it is unclear whether the caller interrupts.
	Duck struct{}
	// Unduck makes the sound as loud as before.
	Unduck struct{}
	// Pause stops the sound and keeps what was to be said.
	Pause struct{}
	// Resume goes on where Pause stopped.
	Resume struct{}
	// Cut forgets what was not played, and records what was.
	Cut struct {
		Interrupted bool          // the caller did it
		Since       time.Duration // when what was played began to be heard, since the answer; 0: nothing was heard
	}
)

// EndSpeech ends the caller's speech now: a SpeechEnded follows, and the transcriber is to say what it understood.
type EndSpeech struct{}

// AskTurnEnd asks whoever judges turns for how long the caller may go on. A TurnEndJudged with its ID answers it.
type AskTurnEnd struct {
	ID    int
	Words string        // of the turn so far
	At    time.Duration // when it began, since the answer
}

// What is put on record.
type (
	// RecordUserTurn records what the caller said.
	RecordUserTurn struct {
		Text string
		At   time.Duration // when it began, since the answer
	}
	// RecordOperatorTurn records what a colleague said who has barged in.
	RecordOperatorTurn struct {
		Text string
		At   time.Duration // when it began, since the answer
	}
	// AppendMessage puts a message before the model.
	AppendMessage struct {
		Role, Content string
	}
	// AskWhoAnswered asks the model who has answered. An AnswererNamed may answer it.
	AskWhoAnswered struct {
		Words string // of the greeting so far
	}
	// ReportMachine notes that no person took the call.
	ReportMachine struct {
		Sign string // by which an answering machine was found; menu, screener or fax
	}
	// ReplaceTranscriber gives up a transcriber that owes words for too long. A TranscriberFailed answers it.
	ReplaceTranscriber struct{}
	// ReportDelay notes that the caller waits long for a reply.
	ReportDelay struct{}
	// ConfirmCommand reports that a command was carried out.
	ConfirmCommand struct {
		ID string
	}
	// RefuseCommand reports that a command was not carried out.
	RefuseCommand struct {
		ID, Reason string
	}
)

// What happens to the call.
type (
	// StartTransfer hands the caller over. A TransferEnded answers it.
	StartTransfer struct {
		ID     string        // of the command; empty: nobody's
		Target string        // E.164 or SIP URI
		Plan   *TransferPlan // nil: a blind transfer
	}
	// Attend leaves the caller's side to a colleague who has barged in, until Unattend: nothing of ours is heard there.
	Attend struct{}
	// Unattend ends that.
	Unattend struct{}
	// PressKeys sends keys to the far end.
	PressKeys struct {
		Digits string // 0-9 * # A-D; a comma is half a second
	}
	// HangUp ends the call. It is the last action of a call.
	HangUp struct {
		Reason Reason
	}
)

func (Respond) isAction()            {}
func (Guess) isAction()              {}
func (DropGuess) isAction()          {}
func (Speak) isAction()              {}
func (SpeakOneOf) isAction()         {}
func (Duck) isAction()               {}
func (Unduck) isAction()             {}
func (EndSpeech) isAction()          {}
func (AskTurnEnd) isAction()         {}
func (Pause) isAction()              {}
func (Resume) isAction()             {}
func (Cut) isAction()                {}
func (RecordUserTurn) isAction()     {}
func (RecordOperatorTurn) isAction() {}
func (Attend) isAction()             {}
func (Unattend) isAction()           {}
func (AppendMessage) isAction()      {}
func (AskWhoAnswered) isAction()     {}
func (ReportMachine) isAction()      {}
func (ReplaceTranscriber) isAction() {}
func (ReportDelay) isAction()        {}
func (ConfirmCommand) isAction()     {}
func (RefuseCommand) isAction()      {}
func (StartTransfer) isAction()      {}
func (PressKeys) isAction()          {}
func (HangUp) isAction()             {}
