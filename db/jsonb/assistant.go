package jsonb

import (
	"cmp"
	"strings"
)

// Assistant is everything configured about an assistant besides its name, number and server. A call stores the one it
// started with.
type Assistant struct {
	LLMContent                       string         `json:"llm_content,omitempty" maxLength:"50000" doc:"Behaviour instructions; the system message where model.messages has none."`
	Functions                        string         `json:"functions,omitempty" maxLength:"50000" doc:"JSON text listing the functions that the assistant may call, as OpenAI lists them: [{name, description, parameters}] or [{type: function, function: {…}}]. Calling one asks the assistant's server, else your webhook, with a tool-calls message. Names have 1 to 64 of the characters A-Z, a-z, 0-9, _ and -; parameters are the JSON Schema of an object."`
	FirstMessage                     string         `json:"first_message,omitempty" maxLength:"5000" doc:"First message on incoming calls."`
	FirstMessageOutbound             string         `json:"first_message_outbound,omitempty" maxLength:"5000" doc:"First message on outgoing calls."`
	FirstMessageMode                 string         `json:"first_message_mode,omitempty" enum:"assistant-speaks-first,assistant-speaks-first-with-model-generated-message,assistant-waits-for-user" default:"assistant-speaks-first" doc:"Who speaks first."`
	FirstMessageInterruptionsEnabled bool           `json:"first_message_interruptions_enabled" required:"false" default:"false" doc:"Whether the caller may interrupt the first message."`
	EndCallMessage                   string         `json:"end_call_message,omitempty" maxLength:"5000" doc:"Spoken before the assistant hangs up."`
	EndCallPhrases                   []string       `json:"end_call_phrases,omitempty" maxItems:"50" doc:"The call ends when the assistant says one of these, in any case."`
	VoicemailMessage                 string         `json:"voicemail_message,omitempty" maxLength:"5000" doc:"Left on voicemail."`
	VoicemailDetection               any            `json:"voicemail_detection,omitempty" doc:"What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up), leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up, enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold, backoffPlan (machines are looked for until its last look)}; other keys are kept and not used. Persons, answering machines, menus, call screeners and faxes are told apart by words, timing, tones and, where these leave it open, by the language model. In a menu the assistant presses keys where it may (dial_keypad_function_enabled); a screener is told who calls and why."`
	BookingMessage                   string         `json:"booking_message,omitempty" maxLength:"5000" doc:"Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} tell which."`
	Booking                          *Booking       `json:"booking,omitempty" doc:"How the assistant makes appointments."`
	SMSMessage                       string         `json:"sms_message,omitempty" maxLength:"1000" doc:"Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is your company's name."`
	NotificationsEmail               string         `json:"notifications_email,omitempty" maxLength:"320"`
	PostCallEmails                   []string       `json:"post_call_emails,omitempty" maxItems:"50"`
	PostCallEmailEnabled             bool           `json:"post_call_email_enabled" required:"false" default:"false"`
	MaxDurationSeconds               int            `json:"max_duration_seconds,omitempty" minimum:"10" maximum:"43200" default:"600" doc:"Longest call, in seconds."`
	BackgroundSound                  string         `json:"background_sound,omitempty" maxLength:"2048" default:"off" doc:"off, office, or the URL of a WAV file (16-bit PCM, 8 to 48 kHz, at most 5 MiB), which is played in a loop. A file that cannot be fetched leaves the call without a background."`
	AnalysisPlan                     Object         `json:"analysis_plan,omitempty"`
	MessagePlan                      Object         `json:"message_plan,omitempty" doc:"idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled, silenceTimeoutMessage."`
	CompliancePlan                   Object         `json:"compliance_plan,omitempty" doc:"With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are removed, also from its events. The rest is kept and not used."`
	StartSpeakingPlan                Object         `json:"start_speaking_plan,omitempty" doc:"waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their place where smart endpointing is not asked for. With the provider custom-endpointing-model your server (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true): the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."`
	StopSpeakingPlan                 Object         `json:"stop_speaking_plan,omitempty" doc:"numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption), acknowledgementPhrases, interruptionPhrases."`
	KeypadInputPlan                  Object         `json:"keypad_input_plan,omitempty" doc:"enabled, timeoutSeconds, delimiters."`
	Transcriber                      Object         `json:"transcriber,omitempty" doc:"provider, model, language."`
	Model                            Object         `json:"model,omitempty" doc:"provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60, default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name, description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."`
	Voice                            Object         `json:"voice,omitempty" doc:"provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements, formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written; Markdown is never read out."`
	VoiceID                          string         `json:"voice_id,omitempty" maxLength:"200" doc:"A voice of the library; earlier form."`
	KnowledgeBaseEnabled             bool           `json:"knowledge_base_enabled" required:"false" default:"false"`
	EndCallFunctionEnabled           bool           `json:"end_call_function_enabled" required:"false" default:"false" doc:"Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."`
	DialKeypadFunctionEnabled        bool           `json:"dial_keypad_function_enabled" required:"false" default:"false" doc:"Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."`
	CallTransfers                    []CallTransfer `json:"call_transfers,omitempty" maxItems:"50" doc:"Telephones to which the assistant may hand the caller over. It can dial no others."`
	Metadata                         Object         `json:"metadata,omitempty" doc:"Yours; kept and answered as it is."`
	ServerURLType                    string         `json:"server_url_type,omitempty" enum:"external" default:"external"`
}

// CallTransfer is a telephone to which the assistant may hand a caller over.
type CallTransfer struct {
	Name        string `json:"name" minLength:"1" maxLength:"100" doc:"What the assistant calls it."`
	PhoneNumber string `json:"phone_number" minLength:"1" maxLength:"32" doc:"E.164."`
	Description string `json:"description,omitempty" maxLength:"1000" doc:"When to choose it."`
}

// SetDefaults gives the fields that were left out their defaults.
func (a *Assistant) SetDefaults() {
	a.FirstMessageMode = cmp.Or(a.FirstMessageMode, "assistant-speaks-first")
	a.MaxDurationSeconds = cmp.Or(a.MaxDurationSeconds, 600)
	a.BackgroundSound = cmp.Or(a.BackgroundSound, "off")
	a.ServerURLType = cmp.Or(a.ServerURLType, "external")
}

// SystemPrompt is the model's own system messages, else llm_content; the instruction of one call follows.
func (a *Assistant) SystemPrompt(instruction *string) string {
	var parts []string
	messages, _ := a.Model["messages"].([]any)
	for _, message := range messages {
		fields, _ := message.(map[string]any)
		if role, _ := fields["role"].(string); role == "system" {
			content, _ := fields["content"].(string)
			parts = append(parts, content)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, a.LLMContent)
	}
	if instruction != nil {
		parts = append(parts, *instruction)
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}
