// Package callstate spells the words for the state of a call: its status, why it ended and through whose fault, and
// the types of the events about it. They are public contract: stored, sent to customers' servers and documented, so words
// are added and never renamed. The package knows what the words mean and nothing else: no table, no call in progress.
//
// The words are untyped constants, because they travel as text: through SQL, JSON and the types of package voice, which may
// not import this one. A test holds the literals of the queries and the constraints of the schema to them.
package callstate

import "slices"

// The statuses of a call, in the order in which it may enter them. A call has one final status.
const (
	StatusQueued     = "queued"      // waits for a place of its account
	StatusDialing    = "dialing"     // claimed by a worker
	StatusRinging    = "ringing"     // the far end rings, or an inbound call waits for its answer
	StatusInProgress = "in-progress" // answered
	StatusForwarding = "forwarding"  // is being transferred

	StatusCompleted = "completed" // answered, and ended as one of the two sides wanted
	StatusMissed    = "missed"    // inbound; the caller hung up before the answer
	StatusBusy      = "busy"
	StatusNoAnswer  = "no-answer"
	StatusVoicemail = "voicemail" // an answering machine took it
	StatusFailed    = "failed"
	StatusCanceled  = "canceled" // through the API before it was answered
)

// Statuses returns all statuses, in the order in which a call may enter them.
func Statuses() []string {
	return slices.Concat([]string{StatusQueued}, Live(), []string{
		StatusCompleted, StatusMissed, StatusBusy, StatusNoAnswer, StatusVoicemail, StatusFailed, StatusCanceled,
	})
}

// Live returns the statuses of a call that a worker owns: it takes a place of its account.
func Live() []string {
	return []string{StatusDialing, StatusRinging, StatusInProgress, StatusForwarding}
}

// Final reports whether a call of this status is over.
func Final(status string) bool {
	return status != StatusQueued && !slices.Contains(Live(), status)
}
