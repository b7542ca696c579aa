package callstate

import (
	"maps"
	"slices"
)

// The faults: who made a call end, or is to blame that it did.
const (
	FaultCustomer  = "customer"  // the person at the other telephone
	FaultAssistant = "assistant" // the assistant, its limits, or its owner through the API
	FaultCarrier   = "carrier"   // the telephone network
	FaultProvider  = "provider"  // a speech or language service
	FaultConfig    = "config"    // settings that the owner can mend
	FaultPlatform  = "platform"  // this program
)

// The reasons for which calls end. FaultOf assigns each its fault.
const (
	ReasonCustomerEndedCall               = "customer-ended-call"                 // the person hung up
	ReasonCustomerEndedCallDuringTransfer = "customer-ended-call-during-transfer" // the person hung up while being transferred
	ReasonCustomerEndedCallBeforeAnswer   = "customer-ended-call-before-answer"   // the caller hung up while it rang
	// the person's browser was closed, or lost its network
	ReasonCustomerConnectionLost = "customer-connection-lost"
	ReasonCustomerBusy           = "customer-busy"           // SIP 486, 600
	ReasonCustomerDidNotAnswer   = "customer-did-not-answer" // no final response in time, or SIP 408, 480, 487
	ReasonCustomerRejectedCall   = "customer-rejected-call"  // SIP 603, 607
	ReasonSilenceTimedOut        = "silence-timed-out"       // nobody spoke for the silence timeout
	ReasonVoicemail              = "voicemail"               // an answering machine took the call, or a fax: then error says so

	ReasonAssistantEndedCall = "assistant-ended-call" // the assistant decided to end the call
	// a message was to be the last, and was spoken
	ReasonAssistantEndedCallAfterMessage = "assistant-ended-call-after-message-spoken"
	ReasonAssistantSaidEndCallPhrase     = "assistant-said-end-call-phrase"
	ReasonAssistantForwardedCall         = "assistant-forwarded-call" // the call was transferred
	ReasonExceededMaxDuration            = "exceeded-max-duration"
	ReasonManuallyCanceled               = "manually-canceled" // ended or canceled through the API
	ReasonCallDeleted                    = "call-deleted"      // before it was dialed

	// The server returned a destination for the assistant request, and the call was transferred there.
	ReasonAssistantRequestReturnedForward = "assistant-request-returned-forwarding-phone-number"

	// Nobody answered a number without an assistant, because the server named none.
	ReasonAssistantRequestFailed            = "assistant-request-failed"                     // it was not reached, or gave no answer
	ReasonAssistantRequestReturnedInvalid   = "assistant-request-returned-invalid-assistant" // its answer could not be used
	ReasonAssistantRequestReturnedNoneNamed = "assistant-request-returned-no-assistant"      // its answer named nobody

	// the server returned an error for the assistant request
	ReasonAssistantRequestReturnedError = "assistant-request-returned-error"
	ReasonStartErrorNoCarrier           = "call.start.error-get-transport" // there is no carrier to place the call with
	// the account may not dial it, or not any more today
	ReasonStartErrorDestinationNotAllowed = "call.start.error-destination-not-allowed"
	// the account has spent its budget of the month
	ReasonStartErrorBudgetExhausted       = "call.start.error-budget-exhausted"
	ReasonStartErrorSIPCredentialsRefused = "call.start.error-sip-credentials-refused" // SIP 401, 403, 407

	ReasonCarrierFailedToConnect   = "carrier-failed-to-connect-call"           // SIP 4xx, 5xx, 6xx not named here
	ReasonCarrierUnavailable       = "carrier-unavailable"                      // SIP 503
	ReasonCarrierDidNotRespond     = "carrier-did-not-respond"                  // no response at all
	ReasonCarrierReportedMisdialed = "carrier-reported-customer-misdialed"      // the number does not exist: SIP 404, 410, 484, 604
	ReasonCarrierRefusedMedia      = "carrier-refused-media"                    // no common way to carry sound: SIP 488, 606
	ReasonCarrierDroppedCall       = "carrier-dropped-call"                     // the signalling of a live call failed
	ReasonCustomerAudioNotReceived = "assistant-did-not-receive-customer-audio" // no sound arrived from the other side

	ReasonProviderLLMFailed         = "provider-llm-failed"         // its retry failed too
	ReasonProviderVoiceFailed       = "provider-voice-failed"       // its retry failed too
	ReasonProviderTranscriberFailed = "provider-transcriber-failed" // repeatedly

	ReasonWorkerShutdown = "worker-shutdown" // the worker stopped and said goodbye
	ReasonWorkerLost     = "worker-lost"     // the worker died after the call may have rung; another one ended it
	ReasonPlatformError  = "platform-error"  // an error in this program
)

// faults is the only place that assigns fault.
var faults = map[string]string{
	ReasonCustomerEndedCall:                 FaultCustomer,
	ReasonCustomerEndedCallDuringTransfer:   FaultCustomer,
	ReasonCustomerEndedCallBeforeAnswer:     FaultCustomer,
	ReasonCustomerConnectionLost:            FaultCustomer,
	ReasonCustomerBusy:                      FaultCustomer,
	ReasonCustomerDidNotAnswer:              FaultCustomer,
	ReasonCustomerRejectedCall:              FaultCustomer,
	ReasonSilenceTimedOut:                   FaultCustomer,
	ReasonVoicemail:                         FaultCustomer,
	ReasonAssistantEndedCall:                FaultAssistant,
	ReasonAssistantEndedCallAfterMessage:    FaultAssistant,
	ReasonAssistantSaidEndCallPhrase:        FaultAssistant,
	ReasonAssistantForwardedCall:            FaultAssistant,
	ReasonExceededMaxDuration:               FaultAssistant,
	ReasonManuallyCanceled:                  FaultAssistant,
	ReasonCallDeleted:                       FaultAssistant,
	ReasonAssistantRequestReturnedForward:   FaultAssistant,
	ReasonAssistantRequestFailed:            FaultConfig,
	ReasonAssistantRequestReturnedInvalid:   FaultConfig,
	ReasonAssistantRequestReturnedNoneNamed: FaultConfig,
	ReasonAssistantRequestReturnedError:     FaultConfig,
	ReasonStartErrorNoCarrier:               FaultConfig,
	ReasonStartErrorDestinationNotAllowed:   FaultConfig,
	ReasonStartErrorBudgetExhausted:         FaultConfig,
	ReasonStartErrorSIPCredentialsRefused:   FaultConfig,
	ReasonCarrierFailedToConnect:            FaultCarrier,
	ReasonCarrierUnavailable:                FaultCarrier,
	ReasonCarrierDidNotRespond:              FaultCarrier,
	ReasonCarrierReportedMisdialed:          FaultCarrier,
	ReasonCarrierRefusedMedia:               FaultCarrier,
	ReasonCarrierDroppedCall:                FaultCarrier,
	ReasonCustomerAudioNotReceived:          FaultCarrier,
	ReasonProviderLLMFailed:                 FaultProvider,
	ReasonProviderVoiceFailed:               FaultProvider,
	ReasonProviderTranscriberFailed:         FaultProvider,
	ReasonWorkerShutdown:                    FaultPlatform,
	ReasonWorkerLost:                        FaultPlatform,
	ReasonPlatformError:                     FaultPlatform,
}

// Reasons returns all reasons, sorted.
func Reasons() []string { return slices.Sorted(maps.Keys(faults)) }

// Faults returns all faults.
func Faults() []string {
	return []string{FaultCustomer, FaultAssistant, FaultCarrier, FaultProvider, FaultConfig, FaultPlatform}
}

// FaultOf returns whose doing it is that a call ended for reason. An unknown reason is the platform's fault.
func FaultOf(reason string) string {
	if fault, ok := faults[reason]; ok {
		return fault
	}
	return FaultPlatform
}

// StatusAfterAnswer returns the final status of a call that was answered and ended for reason.
func StatusAfterAnswer(reason string) string {
	if reason == ReasonVoicemail {
		return StatusVoicemail
	}
	switch FaultOf(reason) {
	case FaultCustomer, FaultAssistant:
		return StatusCompleted
	}
	return StatusFailed
}

// StatusBeforeAnswer returns the final status of a call that ended for reason before it was answered. One that
// somebody ended through the API is canceled.
func StatusBeforeAnswer(reason string) string {
	switch reason {
	case ReasonCustomerBusy:
		return StatusBusy
	case ReasonCustomerDidNotAnswer:
		return StatusNoAnswer
	case ReasonCustomerEndedCallBeforeAnswer, ReasonAssistantRequestFailed, ReasonAssistantRequestReturnedInvalid, ReasonAssistantRequestReturnedNoneNamed:
		return StatusMissed
	case ReasonManuallyCanceled, ReasonCallDeleted:
		return StatusCanceled
	}
	return StatusFailed
}

// ReasonOfSIP returns why a call did not come about that the far end refused with the final response code (RFC 3261,
// section 21).
func ReasonOfSIP(code int) string {
	switch code {
	case 486, 600:
		return ReasonCustomerBusy
	case 408, 480, 487:
		return ReasonCustomerDidNotAnswer
	case 603, 607:
		return ReasonCustomerRejectedCall
	case 401, 403, 407:
		return ReasonStartErrorSIPCredentialsRefused
	case 404, 410, 484, 604:
		return ReasonCarrierReportedMisdialed
	case 488, 606:
		return ReasonCarrierRefusedMedia
	case 503:
		return ReasonCarrierUnavailable
	default:
		return ReasonCarrierFailedToConnect
	}
}
