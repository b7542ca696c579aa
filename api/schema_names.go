package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaNames are the names of schemas that the names of Go types would not give, by those.
var schemaNames = map[string]string{
	"AccountOfOne":                 "AccountMembership",
	"ApiKeyCreateInputBody":        "APIKeyInput",
	"ApiKeyRotateInputBody":        "APIKeyRotation",
	"BudgetPutInputBody":           "BudgetInput",
	"AssistantBody":                "AssistantInput",
	"AssistantServerIn":            "AssistantServerInput",
	"AvailableNumbersOutputBody":   "AvailablePhoneNumberList",
	"Body":                         "ErrorObject",
	"CallDirectInputBody":          "DirectCallInput",
	"CallMessageInputBody":         "CallMessageInput",
	"ContactCreateInputBody":       "ContactInput",
	"ContactUpdateInputBody":       "ContactUpdate",
	"EventReplayInputBody":         "EventReplayInput",
	"FaqGenerateInputBody":         "FAQGenerationInput",
	"FaqsGenerated":                "GeneratedFAQs",
	"GroupFields":                  "VerificationGroupInput",
	"GroupName":                    "VerificationGroupName",
	"GroupOrderInputBody":          "GroupNumberOrderInput",
	"InstantAgentBody":             "InstantAgentInput",
	"InstantFAQ":                   "FAQInput",
	"KnowledgeCreateInputBody":     "KnowledgeDocumentInput",
	"KnowledgeDocuments":           "KnowledgeDocumentLimit",
	"KnowledgeFound":               "KnowledgeResults",
	"KnowledgeQueryInputBody":      "KnowledgeQuery",
	"Latency":                      "ResponseLatency",
	"Link":                         "SignInLink",
	"LinkCheckInputBody":           "SignInLinkCheck",
	"LinkInputBody":                "PhoneNumberLinkInput",
	"LinkMade":                     "PhoneNumberLinkResult",
	"LinkMadeDataStruct":           "PhoneNumberLinkChange",
	"LinkRemoved":                  "PhoneNumberUnlinkResult",
	"LinkRemovedDataStruct":        "PhoneNumberUnlinkChange",
	"LinkShown":                    "PhoneNumberLink",
	"LinkShownDataStruct":          "PhoneNumberLinkState",
	"LinkUseInputBody":             "SignInLinkUse",
	"Media":                        "MediaQuality",
	"MemberInviteInputBody":        "MemberInput",
	"MemberPatchInputBody":         "MemberUpdate",
	"NumberOrderInputBody":         "PhoneNumberOrderInput",
	"NumberOrdered":                "PhoneNumberOrderResult",
	"NumberOrderedDataStruct":      "PhoneNumberOrderPlaced",
	"Pagination":                   "PaginationMeta",
	"PasswordInputBody":            "PasswordChange",
	"ProfilePatchInputBody":        "ProfileUpdate",
	"ResetInputBody":               "PasswordReset",
	"Retry":                        "RetryPlan",
	"ScheduledCallCreateInputBody": "ScheduledCallInput",
	"ScheduledCallUpdateInputBody": "ScheduledCallUpdate",
	"SessionAccountInputBody":      "AccountSwitch",
	"SessionPatchInputBody":        "SessionUpdate",
	"SipConnectionCreateInputBody": "SIPConnectionInput",
	"StockPagination":              "AvailablePaginationMeta",
	"WebhookPutInputBody":          "WebhookInput",
	"WebhookRotateInputBody":       "WebhookSecretRotation",
	"Window":                       "CallWindow",

	"BudgetReached":        "WebhookBudgetReached",
	"ReachedBudget":        "WebhookBudget",
	"CallCommandUpdate":    "WebhookCallCommandUpdate",
	"CallListenerUpdate":   "WebhookCallListenerUpdate",
	"Destination":          "WebhookDestination",
	"EndOfCallReport":      "WebhookEndOfCallReport",
	"EndpointingMessage":   "WebhookEndpointingRequest",
	"Message":              "WebhookMessage",
	"MessageAssistant":     "WebhookAssistant",
	"MessageCall":          "WebhookCall",
	"MessageCommand":       "WebhookCallCommand",
	"MessageCustomer":      "WebhookCustomer",
	"MessageListener":      "WebhookCallListener",
	"MessageOverrides":     "WebhookAssistantOverrides",
	"MessagePhoneNumber":   "WebhookPhoneNumber",
	"MessageSIPConnection": "WebhookSIPConnection",
	"MessageScheduledCall": "WebhookScheduledCall",
	"OpenAIMessage":        "WebhookOpenAIMessage",
	"OpenAIToolCall":       "WebhookOpenAIToolCall",
	"ReportAnalysis":       "WebhookAnalysis",
	"ReportArtifact":       "WebhookArtifact",
	"ReportAssistant":      "WebhookReportAssistant",
	"PerformanceMetrics":   "WebhookPerformanceMetrics",
	"ReportEndpointing":    "WebhookEndpointing",
	"ReportGuess":          "WebhookGuess",
	"ReportGuesses":        "WebhookGuesses",
	"ReportLatency":        "WebhookLatency",
	"ReportLatencyStages":  "WebhookLatencyStages",
	"ReportMessage":        "WebhookReportMessage",
	"ReportQuantiles":      "WebhookQuantiles",
	"ReportTiming":         "WebhookTiming",
	"ReportRecording":      "WebhookRecording",
	"ScheduledCallFailed":  "WebhookScheduledCallFailed",
	"SipConnectionStopped": "WebhookSIPConnectionStopped",
	"SpeechUpdate":         "WebhookSpeechUpdate",
	"StatusUpdate":         "WebhookStatusUpdate",
	"Task":                 "WebhookTask",
	"ToolCallFunction":     "WebhookToolCallFunction",
	"ToolCallItem":         "WebhookToolCall",
	"ToolCallsMessage":     "WebhookToolCalls",
	"ToolFunction":         "WebhookToolFunction",
	"ToolMessageServer":    "WebhookToolServer",
	"ToolWithCall":         "WebhookToolWithToolCall",
	"Transcript":           "WebhookTranscript",
	"Transfer":             "WebhookTransfer",
	"TransferUpdate":       "WebhookTransferUpdate",
	"TurnLatency":          "WebhookTurnLatency",
}

// schemaName returns the name of a type's schema: the specification's, else that of the type.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if spelled, known := schemaNames[name]; known {
		return spelled
	}
	if item, is := strings.CutPrefix(name, "ListBody"); is {
		return item + "List"
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, "Body"), "Struct")
}
