package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/db/jsonb"
)

// AssistantSettings is jsonb.Assistant in a response: every field, also without a value.
type AssistantSettings struct {
	LLMContent                       string               `json:"llm_content" doc:"Behaviour instructions; the system message where model.messages has none."`
	Functions                        string               `json:"functions" doc:"JSON text listing the functions that the assistant may call."`
	FirstMessage                     string               `json:"first_message" doc:"First message on incoming calls."`
	FirstMessageOutbound             string               `json:"first_message_outbound" doc:"First message on outgoing calls."`
	FirstMessageMode                 string               `json:"first_message_mode" enum:"assistant-speaks-first,assistant-speaks-first-with-model-generated-message,assistant-waits-for-user" doc:"Who speaks first."`
	FirstMessageInterruptionsEnabled bool                 `json:"first_message_interruptions_enabled" doc:"Whether the caller may interrupt the first message."`
	EndCallMessage                   string               `json:"end_call_message" doc:"Spoken before the assistant hangs up."`
	EndCallPhrases                   []string             `json:"end_call_phrases" nullable:"false" doc:"The call ends when the assistant says one of these, in any case."`
	VoicemailMessage                 string               `json:"voicemail_message" doc:"Left on voicemail."`
	VoicemailDetection               any                  `json:"voicemail_detection" doc:"off, detect, leave-message or a plan; null: leave-message where there is a message, else detect."`
	BookingMessage                   string               `json:"booking_message" doc:"Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} name it."`
	Booking                          *jsonb.Booking       `json:"booking" doc:"How the assistant makes appointments."`
	SMSMessage                       string               `json:"sms_message" doc:"Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is your company's name."`
	NotificationsEmail               string               `json:"notifications_email"`
	PostCallEmails                   []string             `json:"post_call_emails" nullable:"false"`
	PostCallEmailEnabled             bool                 `json:"post_call_email_enabled"`
	MaxDurationSeconds               int                  `json:"max_duration_seconds" doc:"Longest call, in seconds."`
	BackgroundSound                  string               `json:"background_sound" doc:"off, office, or the URL of a sound."`
	AnalysisPlan                     jsonb.Object         `json:"analysis_plan" nullable:"true"`
	MessagePlan                      jsonb.Object         `json:"message_plan" nullable:"true" doc:"idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled, silenceTimeoutMessage."`
	CompliancePlan                   jsonb.Object         `json:"compliance_plan" nullable:"true" doc:"With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are removed, also from its events. The rest is kept and not used."`
	StartSpeakingPlan                jsonb.Object         `json:"start_speaking_plan" nullable:"true" doc:"waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their place where smart endpointing is not asked for. With the provider custom-endpointing-model your server (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true): the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."`
	StopSpeakingPlan                 jsonb.Object         `json:"stop_speaking_plan" nullable:"true" doc:"numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption), acknowledgementPhrases, interruptionPhrases."`
	KeypadInputPlan                  jsonb.Object         `json:"keypad_input_plan" nullable:"true" doc:"enabled, timeoutSeconds, delimiters."`
	Transcriber                      jsonb.Object         `json:"transcriber" nullable:"true" doc:"provider, model, language."`
	Model                            jsonb.Object         `json:"model" nullable:"true" doc:"provider, model, messages."`
	Voice                            jsonb.Object         `json:"voice" nullable:"true" doc:"provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements, formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written; Markdown is never read out."`
	VoiceID                          string               `json:"voice_id" doc:"A voice of the library; earlier form."`
	KnowledgeBaseEnabled             bool                 `json:"knowledge_base_enabled"`
	EndCallFunctionEnabled           bool                 `json:"end_call_function_enabled" doc:"Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."`
	DialKeypadFunctionEnabled        bool                 `json:"dial_keypad_function_enabled" doc:"Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."`
	CallTransfers                    []jsonb.CallTransfer `json:"call_transfers" nullable:"false" doc:"Numbers to which the assistant may transfer the caller. It can dial no others."`
	Metadata                         jsonb.Object         `json:"metadata" nullable:"true" doc:"Yours; stored and returned unchanged."`
	ServerURLType                    string               `json:"server_url_type" enum:"external"`
}

func renderSettings(config jsonb.Assistant) AssistantSettings {
	settings := AssistantSettings(config)
	if settings.EndCallPhrases == nil {
		settings.EndCallPhrases = []string{}
	}
	if settings.PostCallEmails == nil {
		settings.PostCallEmails = []string{}
	}
	if settings.CallTransfers == nil {
		settings.CallTransfers = []jsonb.CallTransfer{}
	}
	return settings
}

// assistantUpdate is any part of an assistant. The resulting assistant is what is checked.
type assistantUpdate jsonb.Object

// UnmarshalJSON implements json.Unmarshaler: numbers in free-form objects keep their digits.
func (u *assistantUpdate) UnmarshalJSON(data []byte) error {
	return (*jsonb.Object)(u).UnmarshalJSON(data)
}

// Schema implements huma.SchemaProvider: the fields of an assistant, none of them required, each of them null to set
// its default. It has no defaults, because a field that is left out may keep its value.
func (assistantUpdate) Schema(registry huma.Registry) *huma.Schema {
	whole := huma.SchemaFromType(registry, reflect.TypeFor[assistantBody]())
	update := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
		Description: "Any part of an assistant; null sets the default.",
	}
	for name, property := range whole.Properties {
		update.Properties[name] = optional(property)
	}
	update.PrecomputeMessages()
	return update
}

// assistantPut is assistantUpdate with the additional fields of the earlier form.
type assistantPut jsonb.Object

// UnmarshalJSON implements json.Unmarshaler.
func (p *assistantPut) UnmarshalJSON(data []byte) error {
	return (*jsonb.Object)(p).UnmarshalJSON(data)
}

// Schema implements huma.SchemaProvider.
func (assistantPut) Schema(registry huma.Registry) *huma.Schema {
	update := assistantUpdate{}.Schema(registry)
	update.Description = "A whole assistant, or in the earlier form any part of one."
	update.Properties["phone_number_id"] = &huma.Schema{
		Type: huma.TypeString, Nullable: true,
		Description: "Earlier form only: links one of your custom numbers; null unlinks. As it was read it means nothing.",
	}
	for _, field := range assistantAsRead {
		update.Properties[field] = AsRead{}.Schema(registry)
	}
	update.PrecomputeMessages()
	return update
}

func optional(property *huma.Schema) *huma.Schema {
	if property.Ref != "" {
		return &huma.Schema{AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}}
	}
	if property.Type == "" { // any value
		return property
	}
	loose := *property
	loose.Nullable, loose.Default = true, nil
	return &loose
}
