package callstate

import "slices"

// The statuses of a second leg: of somebody who is rung for a caller. It has one final status.
const (
	LegDialing    = "dialing"
	LegRinging    = "ringing"
	LegInProgress = "in-progress" // answered, and with the assistant
	LegJoined     = "joined"      // with the caller

	LegCompleted = "completed" // was joined
	LegBusy      = "busy"
	LegNoAnswer  = "no-answer"
	LegVoicemail = "voicemail" // an answering machine took it
	LegDeclined  = "declined"  // whoever answered did not take the caller
	LegCanceled  = "canceled"  // the caller left before
	LegFailed    = "failed"
)

// LegStatuses returns all statuses of a second leg, in the order in which it may enter them.
func LegStatuses() []string {
	return []string{
		LegDialing, LegRinging, LegInProgress, LegJoined,
		LegCompleted, LegBusy, LegNoAnswer, LegVoicemail, LegDeclined, LegCanceled, LegFailed,
	}
}

// LegOver reports whether a second leg of this status is over.
func LegOver(status string) bool {
	return !slices.Contains([]string{LegDialing, LegRinging, LegInProgress, LegJoined}, status)
}
