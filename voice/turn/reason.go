package turn

import (
	"maps"
	"slices"
)

// Reason is why a call ended that was answered, in one word that is public contract: it is stored, sent in events and
// documented. Reasons are added, never renamed.
type Reason string

// Fault says who made the call end, or is to blame that it did.
type Fault string

// The faults.
const (
	FaultCustomer  Fault = "customer"  // the person at the other telephone
	FaultAssistant Fault = "assistant" // the assistant, its limits, or its owner through the API
	FaultCarrier   Fault = "carrier"   // the telephone network
	FaultProvider  Fault = "provider"  // a speech or language service
	FaultPlatform  Fault = "platform"  // this program
)

// The reasons for which conversations end. Calls that nobody answers end for others, which this package does not know.
const (
	CustomerEndedCall               Reason = "customer-ended-call"
	CustomerEndedCallDuringTransfer Reason = "customer-ended-call-during-transfer"
	CustomerConnectionLost          Reason = "customer-connection-lost" // of a browser, which the customer brings
	SilenceTimedOut                 Reason = "silence-timed-out"
	Voicemail                       Reason = "voicemail"

	AssistantEndedCall              Reason = "assistant-ended-call"
	AssistantEndedCallAfterMessage  Reason = "assistant-ended-call-after-message-spoken"
	AssistantSaidEndCallPhrase      Reason = "assistant-said-end-call-phrase"
	AssistantForwardedCall          Reason = "assistant-forwarded-call"
	AssistantRequestReturnedForward Reason = "assistant-request-returned-forwarding-phone-number"
	ExceededMaxDuration             Reason = "exceeded-max-duration"
	ManuallyCanceled                Reason = "manually-canceled"

	CarrierDroppedCall       Reason = "carrier-dropped-call"
	CustomerAudioNotReceived Reason = "assistant-did-not-receive-customer-audio"

	ProviderLLMFailed         Reason = "provider-llm-failed"
	ProviderVoiceFailed       Reason = "provider-voice-failed"
	ProviderTranscriberFailed Reason = "provider-transcriber-failed"

	WorkerShutdown Reason = "worker-shutdown"
	PlatformError  Reason = "platform-error"
)

func faults() map[Reason]Fault {
	return map[Reason]Fault{
		CustomerEndedCall:               FaultCustomer,
		CustomerEndedCallDuringTransfer: FaultCustomer,
		CustomerConnectionLost:          FaultCustomer,
		SilenceTimedOut:                 FaultCustomer,
		Voicemail:                       FaultCustomer,

		AssistantEndedCall:              FaultAssistant,
		AssistantEndedCallAfterMessage:  FaultAssistant,
		AssistantSaidEndCallPhrase:      FaultAssistant,
		AssistantForwardedCall:          FaultAssistant,
		AssistantRequestReturnedForward: FaultAssistant,
		ExceededMaxDuration:             FaultAssistant,
		ManuallyCanceled:                FaultAssistant,

		CarrierDroppedCall:       FaultCarrier,
		CustomerAudioNotReceived: FaultCarrier,

		ProviderLLMFailed:         FaultProvider,
		ProviderVoiceFailed:       FaultProvider,
		ProviderTranscriberFailed: FaultProvider,

		WorkerShutdown: FaultPlatform,
		PlatformError:  FaultPlatform,
	}
}

// Fault returns whose doing the ending is. An unknown reason is the platform's fault.
func (r Reason) Fault() Fault {
	if fault, ok := faults()[r]; ok {
		return fault
	}
	return FaultPlatform
}

// Reasons returns all of them, sorted.
func Reasons() []Reason { return slices.Sorted(maps.Keys(faults())) }
