package events

import "github.com/callwright/callwright/db/callstate"

// Bodies returns a zero message of every type of event, for who describes what servers receive. Their tags do so in Huma's words.
func Bodies() map[string]any {
	return map[string]any{
		callstate.EventStatusUpdate:         statusUpdate{},
		callstate.EventEndOfCallReport:      endOfCallReport{},
		callstate.EventCallCommandUpdate:    callCommandUpdate{},
		callstate.EventCallListenerUpdate:   callListenerUpdate{},
		callstate.EventScheduledCallFailed:  scheduledCallFailed{},
		callstate.EventSIPConnectionStopped: sipConnectionStopped{},
		callstate.EventBudgetReached:        budgetReached{},
		callstate.EventTranscript:           transcript{},
		callstate.EventSpeechUpdate:         speechUpdate{},
		callstate.EventUserInterrupted:      message{},
		callstate.EventHang:                 message{},
		callstate.EventTransferUpdate:       transferUpdate{},
		callstate.EventAssistantRequest:     message{},
		callstate.EventToolCalls:            toolCallsMessage{},
		callstate.EventEndpointingRequest:   endpointingMessage{},
	}
}
