package callstate

// The types of events.
const (
	EventStatusUpdate      = "status-update"
	EventEndOfCallReport   = "end-of-call-report"
	EventCallCommandUpdate = "call-command-update" // the outcome of what was asked of a live call

	// somebody of the account has begun or ceased to listen in, or listens otherwise
	EventCallListenerUpdate = "call-listener-update"

	EventScheduledCallFailed  = "scheduled-call-failed"  // it was due and made no call
	EventSIPConnectionStopped = "sip-connection-stopped" // it failed for a day, or the operator took its number back
	EventBudgetReached        = "budget-reached"         // the month's calls cost 80 or 100 percent of the account's budget

	// Live events are optional: they are written only for those who ask for them, because a conversation has far more of
	// them than of the others.
	EventTranscript      = "transcript"
	EventSpeechUpdate    = "speech-update"
	EventUserInterrupted = "user-interrupted"
	EventHang            = "hang" // the caller waits for an answer that takes long
	EventTransferUpdate  = "transfer-update"

	// Questions are asked once, while a call waits for the answer.
	EventAssistantRequest = "assistant-request" // which assistant takes a call that rings
	EventToolCalls        = "tool-calls"        // what a function of the assistant returns

	EventEndpointingRequest = "call.endpointing.request" // for how long a caller who pauses may go on
)

// EventTypes returns the types that a server may ask for.
func EventTypes() []string {
	return []string{
		EventStatusUpdate, EventEndOfCallReport, EventCallCommandUpdate, EventCallListenerUpdate, EventScheduledCallFailed,
		EventSIPConnectionStopped, EventBudgetReached, EventTranscript, EventSpeechUpdate, EventUserInterrupted, EventHang,
		EventTransferUpdate, EventAssistantRequest, EventToolCalls, EventEndpointingRequest,
	}
}

// DefaultEvents returns the types that a server gets which asks for none in particular.
func DefaultEvents() []string { return []string{EventStatusUpdate, EventEndOfCallReport} }

// Questions returns the types that are never sent again.
func Questions() []string {
	return []string{EventAssistantRequest, EventToolCalls, EventEndpointingRequest}
}
