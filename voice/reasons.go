package voice

import (
	"maps"
	"slices"
)

// Reason is why a call ended, in one word that is public contract: it is stored, sent
// in events and documented. Reasons are added, never renamed.
type Reason string

// Fault says who made the call end, or is to blame that it did.
type Fault string

// The faults.
const (
	FaultCustomer  Fault = "customer"  // the person at the other telephone
	FaultAssistant Fault = "assistant" // the assistant, its limits, or its owner through the API
	FaultCarrier   Fault = "carrier"   // the telephone network
	FaultProvider  Fault = "provider"  // a speech or language service
	FaultConfig    Fault = "config"    // settings that the owner can mend
	FaultPlatform  Fault = "platform"  // this program
)

// The reasons. What each means, and whose fault it is, stands in the table below.
const (
	CustomerEndedCall               Reason = "customer-ended-call"
	CustomerEndedCallDuringTransfer Reason = "customer-ended-call-during-transfer"
	CustomerEndedCallBeforeAnswer   Reason = "customer-ended-call-before-answer"
	CustomerBusy                    Reason = "customer-busy"
	CustomerDidNotAnswer            Reason = "customer-did-not-answer"
	CustomerRejectedCall            Reason = "customer-rejected-call"
	SilenceTimedOut                 Reason = "silence-timed-out"
	Voicemail                       Reason = "voicemail"

	AssistantEndedCall             Reason = "assistant-ended-call"
	AssistantEndedCallAfterMessage Reason = "assistant-ended-call-after-message-spoken"
	AssistantSaidEndCallPhrase     Reason = "assistant-said-end-call-phrase"
	AssistantForwardedCall         Reason = "assistant-forwarded-call"
	ExceededMaxDuration            Reason = "exceeded-max-duration"
	ManuallyCanceled               Reason = "manually-canceled"
	CallDeleted                    Reason = "call-deleted"

	AssistantRequestReturnedForward Reason = "assistant-request-returned-forwarding-phone-number"
	AssistantRequestReturnedError   Reason = "assistant-request-returned-error"
	StartErrorNoCarrier             Reason = "call.start.error-get-transport"
	StartErrorSIPCredentialsRefused Reason = "call.start.error-sip-credentials-refused"

	CarrierFailedToConnect    Reason = "carrier-failed-to-connect-call"
	CarrierUnavailable        Reason = "carrier-unavailable"
	CarrierDidNotRespond      Reason = "carrier-did-not-respond"
	CarrierReportedMisdialed  Reason = "carrier-reported-customer-misdialed"
	CarrierRefusedMedia       Reason = "carrier-refused-media"
	CarrierDroppedCall        Reason = "carrier-dropped-call"
	CustomerAudioNotReceived  Reason = "assistant-did-not-receive-customer-audio"
	ProviderLLMFailed         Reason = "provider-llm-failed"
	ProviderVoiceFailed       Reason = "provider-voice-failed"
	ProviderTranscriberFailed Reason = "provider-transcriber-failed"

	WorkerShutdown Reason = "worker-shutdown"
	WorkerLost     Reason = "worker-lost"
	PlatformError  Reason = "platform-error"
)

type reasonText struct {
	fault   Fault
	meaning string
}

// reasonTable is the documentation of the reasons and the only place that assigns fault.
func reasonTable() map[Reason]reasonText {
	return map[Reason]reasonText{
		CustomerEndedCall:               {FaultCustomer, "the person hung up"},
		CustomerEndedCallDuringTransfer: {FaultCustomer, "the person hung up while being transferred"},
		CustomerEndedCallBeforeAnswer:   {FaultCustomer, "the caller hung up while it rang"},
		CustomerBusy:                    {FaultCustomer, "busy (SIP 486, 600)"},
		CustomerDidNotAnswer:            {FaultCustomer, "nobody answered in time (no final response, or SIP 408, 480, 487)"},
		CustomerRejectedCall:            {FaultCustomer, "the person declined (SIP 603, 607)"},
		SilenceTimedOut:                 {FaultCustomer, "nobody spoke for the silence timeout"},
		Voicemail:                       {FaultCustomer, "an answering machine took the call"},

		AssistantEndedCall:             {FaultAssistant, "the assistant decided to end the call"},
		AssistantEndedCallAfterMessage: {FaultAssistant, "a message was to be the last, and was spoken"},
		AssistantSaidEndCallPhrase:     {FaultAssistant, "the assistant spoke one of its end-call phrases"},
		AssistantForwardedCall:         {FaultAssistant, "the call was transferred"},
		ExceededMaxDuration:            {FaultAssistant, "the maximum duration was reached"},
		ManuallyCanceled:               {FaultAssistant, "ended or canceled through the API"},
		CallDeleted:                    {FaultAssistant, "deleted before it was dialed"},

		AssistantRequestReturnedForward: {FaultAssistant, "the server answered the assistant request with a destination, and the call was transferred there"},

		AssistantRequestReturnedError:   {FaultConfig, "the server answered the assistant request with an error"},
		StartErrorNoCarrier:             {FaultConfig, "there is no carrier to place the call with"},
		StartErrorSIPCredentialsRefused: {FaultConfig, "the carrier refused the SIP credentials (SIP 401, 403, 407)"},

		CarrierFailedToConnect:   {FaultCarrier, "the carrier could not connect the call (SIP 4xx, 5xx, 6xx not named here)"},
		CarrierUnavailable:       {FaultCarrier, "the carrier takes no calls now (SIP 503)"},
		CarrierDidNotRespond:     {FaultCarrier, "the carrier gave no response at all"},
		CarrierReportedMisdialed: {FaultCarrier, "the number does not exist (SIP 404, 410, 484, 604)"},
		CarrierRefusedMedia:      {FaultCarrier, "no common way to carry sound (SIP 488, 606)"},
		CarrierDroppedCall:       {FaultCarrier, "the signalling of a live call failed"},
		CustomerAudioNotReceived: {FaultCarrier, "no sound arrived from the other side"},

		ProviderLLMFailed:         {FaultProvider, "the language model failed and its retry too"},
		ProviderVoiceFailed:       {FaultProvider, "the voice failed and its retry too"},
		ProviderTranscriberFailed: {FaultProvider, "the transcriber failed repeatedly"},

		WorkerShutdown: {FaultPlatform, "the worker stopped and said goodbye"},
		WorkerLost:     {FaultPlatform, "the worker died; another one ended the call"},
		PlatformError:  {FaultPlatform, "an error in this program"},
	}
}

// Fault is whose doing the ending was. An unknown reason is the platform's.
func (r Reason) Fault() Fault {
	if text, ok := reasonTable()[r]; ok {
		return text.fault
	}
	return FaultPlatform
}

// Meaning is a sentence for a developer.
func (r Reason) Meaning() string { return reasonTable()[r].meaning }

// Reasons lists all of them, sorted.
func Reasons() []Reason { return slices.Sorted(maps.Keys(reasonTable())) }

// ReasonOfSIP is why a call did not come about when the far end answered with code.
func ReasonOfSIP(code int) Reason {
	switch code {
	case 486, 600:
		return CustomerBusy
	case 408, 480, 487:
		return CustomerDidNotAnswer
	case 603, 607:
		return CustomerRejectedCall
	case 401, 403, 407:
		return StartErrorSIPCredentialsRefused
	case 404, 410, 484, 604:
		return CarrierReportedMisdialed
	case 488, 606:
		return CarrierRefusedMedia
	case 503:
		return CarrierUnavailable
	default:
		return CarrierFailedToConnect
	}
}
