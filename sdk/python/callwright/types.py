"""What requests, responses and events consist of. Written by callwright-sdk from the OpenAPI document: not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class APIKey(TypedDict):
    created_at: str
    expires_at: str | None
    """null: it does not expire."""
    id: str
    last_used_at: str | None
    """To the minute. null: not used since the database last recovered from a crash."""
    mode: Literal["live", "test"]
    """Calls of a test key stay on the simulated phone network."""
    name: str
    prefix: str
    """The first characters of its text, to identify the key."""
    replaced_by: str | None
    """The key that was made when this one was rotated."""
    requests_per_minute: int
    scopes: list[str]
    """What it may do: read, write or admin, with those that each contains."""


class APIKeyInput(TypedDict):
    expires_at: NotRequired[str]
    """When it stops working; default when the calling key does, if ever."""
    mode: NotRequired[Literal["live", "test"]]
    """Default live."""
    name: NotRequired[str]
    """What the key is for."""
    scopes: NotRequired[list[Literal["read", "write", "admin"]]]
    """What it may do; each scope contains those before it: read, write, admin. Default write."""


class APIKeyList(TypedDict):
    data: list[APIKey]
    pagination: PaginationMeta


class APIKeyRotation(TypedDict):
    expires_at: NotRequired[str]
    """When the new key stops working; default when the old one would have."""
    revoke_now: NotRequired[bool]
    """The key stops working at once, without the day of grace."""


class AccountMembership(TypedDict):
    id: str
    name: str
    role: Literal["owner", "admin", "developer", "viewer"]


class AccountRef(TypedDict):
    id: str
    name: str


class AccountSwitch(TypedDict):
    account_id: str


class AnalysisPlanStructuredDataMultiPlanPlanMessages(TypedDict):
    content: NotRequired[str | None]
    """What is said."""
    role: NotRequired[Literal["system", "user", "assistant", "tool", "function"] | None]
    """Who says it."""


class AnalysisPlanStructuredDataMultiPlanPlan(TypedDict):
    """As structuredDataPlan."""

    enabled: NotRequired[bool | None]
    """Whether they are asked for."""
    messages: NotRequired[list[AnalysisPlanStructuredDataMultiPlanPlanMessages] | None]
    """The prompt, in place of the usual one."""
    schema: NotRequired[dict[str, Any] | None]
    """The JSON Schema of the data."""
    timeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""


class AnalysisPlanStructuredDataMultiPlan(TypedDict):
    key: NotRequired[str | None]
    """The name of the data in structuredDataMulti."""
    plan: NotRequired[AnalysisPlanStructuredDataMultiPlanPlan | None]
    """As structuredDataPlan."""


class AnalysisPlanStructuredDataPlanMessages(TypedDict):
    content: NotRequired[str | None]
    """What is said."""
    role: NotRequired[Literal["system", "user", "assistant", "tool", "function"] | None]
    """Who says it."""


class AnalysisPlanStructuredDataPlan(TypedDict):
    """Data that the conversation contained."""

    enabled: NotRequired[bool | None]
    """Whether they are asked for; with a schema in the flat form they are."""
    messages: NotRequired[list[AnalysisPlanStructuredDataPlanMessages] | None]
    """The prompt, in place of the usual one."""
    schema: NotRequired[dict[str, Any] | None]
    """The JSON Schema of the data; what the model returns is held against it."""
    timeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""


class AnalysisPlanSuccessEvaluationPlanMessages(TypedDict):
    content: NotRequired[str | None]
    """What is said."""
    role: NotRequired[Literal["system", "user", "assistant", "tool", "function"] | None]
    """Who says it."""


class AnalysisPlanSuccessEvaluationPlan(TypedDict):
    """Whether the call was a success."""

    enabled: NotRequired[bool | None]
    """Whether it is judged."""
    messages: NotRequired[list[AnalysisPlanSuccessEvaluationPlanMessages] | None]
    """The prompt, in place of the usual one."""
    rubric: NotRequired[Literal["NumericScale", "DescriptiveScale", "Checklist", "Matrix", "PercentageScale", "LikertScale", "AutomaticRubric", "PassFail"] | None]
    """The scale of the judgement."""
    timeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""


class AnalysisPlanSummaryPlanMessages(TypedDict):
    content: NotRequired[str | None]
    """What is said."""
    role: NotRequired[Literal["system", "user", "assistant", "tool", "function"] | None]
    """Who says it."""


class AnalysisPlanSummaryPlan(TypedDict):
    """The summary."""

    enabled: NotRequired[bool | None]
    """Whether there is one."""
    messages: NotRequired[list[AnalysisPlanSummaryPlanMessages] | None]
    """The prompt, in place of the usual one."""
    timeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""


class AnalysisPlan(TypedDict):
    """What a language model makes of a conversation after its end. The nested form and the flat one (summaryPrompt and
    so on) may be mixed; keys are in camelCase or snake_case. Prompts may name {{transcript}}, {{messages}},
    {{systemPrompt}}, {{schema}}, {{rubric}} and {{endedReason}}."""

    minMessagesThreshold: NotRequired[int | None]
    """A conversation of fewer turns is not analyzed."""
    outcomeIds: NotRequired[list[str] | None]
    """Kept and not used."""
    structuredDataMultiPlan: NotRequired[list[AnalysisPlanStructuredDataMultiPlan] | None]
    """Further data, each under a key."""
    structuredDataPlan: NotRequired[AnalysisPlanStructuredDataPlan | None]
    """Data that the conversation contained."""
    structuredDataPrompt: NotRequired[str | None]
    """Flat form of structuredDataPlan: the prompt."""
    structuredDataRequestTimeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""
    structuredDataSchema: NotRequired[dict[str, Any] | None]
    """Flat form: the JSON Schema of the data."""
    successEvaluationPlan: NotRequired[AnalysisPlanSuccessEvaluationPlan | None]
    """Whether the call was a success."""
    successEvaluationPrompt: NotRequired[str | None]
    """Flat form of successEvaluationPlan: the prompt; empty: no judgement."""
    successEvaluationRequestTimeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""
    successEvaluationRubric: NotRequired[Literal["NumericScale", "DescriptiveScale", "Checklist", "Matrix", "PercentageScale", "LikertScale", "AutomaticRubric", "PassFail"] | None]
    """Flat form: the scale of the judgement."""
    summaryPlan: NotRequired[AnalysisPlanSummaryPlan | None]
    """The summary."""
    summaryPrompt: NotRequired[str | None]
    """Flat form of summaryPlan: the prompt; empty: no summary."""
    summaryRequestTimeoutSeconds: NotRequired[float | None]
    """How long the model may take, in seconds."""


class AppointmentType(TypedDict):
    description: NotRequired[str]
    """Tells the assistant when this type is meant."""
    duration: int
    """Minutes."""
    name: str


class Assistant(TypedDict):
    analysis_plan: AnalysisPlan | None
    assistant_id: str
    assistant_name: str
    background_sound: str
    """off, office, or the URL of a sound."""
    booking: Booking | None
    """How the assistant makes appointments."""
    booking_message: str
    """Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} name
    it."""
    call_transfers: list[CallTransfer]
    """Numbers to which the assistant may transfer the caller. It can dial no others."""
    compliance_plan: CompliancePlan | None
    """With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept
    either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are
    removed, also from its events. The rest is kept and not used."""
    created_at: str
    dial_keypad_function_enabled: bool
    """Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."""
    end_call_function_enabled: bool
    """Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."""
    end_call_message: str
    """Spoken before the assistant hangs up."""
    end_call_phrases: list[str]
    """The call ends when the assistant says one of these, in any case."""
    first_message: str
    """First message on incoming calls."""
    first_message_interruptions_enabled: bool
    """Whether the caller may interrupt the first message."""
    first_message_mode: Literal["assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user"]
    """Who speaks first."""
    first_message_outbound: str
    """First message on outgoing calls."""
    functions: str
    """JSON text listing the functions that the assistant may call."""
    keypad_input_plan: KeypadInputPlan | None
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: bool
    llm_content: str
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: int
    """Longest call, in seconds."""
    message_plan: MessagePlan | None
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: dict[str, Any] | None
    """Yours; stored and returned unchanged."""
    model: Model | None
    """provider, model, messages."""
    notifications_email: str
    phone_number: str | None
    phone_number_id: str | None
    phone_number_locality: str | None
    phone_number_type: str | None
    post_call_email_enabled: bool
    post_call_emails: list[str]
    server: AssistantServer | None
    """null: events go to your account's webhook."""
    server_url_type: Literal["external"]
    sms_message: str
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: StartSpeakingPlan | None
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for. With the provider custom-endpointing-model your server
    (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with
    the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller
    may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true):
    the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait
    until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."""
    stop_speaking_plan: StopSpeakingPlan | None
    """numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption),
    acknowledgementPhrases, interruptionPhrases."""
    transcriber: Transcriber | None
    """provider, model, language."""
    updated_at: str
    voice: Voice | None
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: str
    """A voice of the library; earlier form."""
    voicemail_detection: Literal["off", "detect", "leave-message"] | VoicemailDetectionPlan | None
    """off, detect, leave-message or a plan; null: leave-message where there is a message, else detect."""
    voicemail_message: str
    """Left on voicemail."""


class AssistantInput(TypedDict):
    analysis_plan: NotRequired[AnalysisPlan]
    assistant_name: str
    background_sound: NotRequired[str]
    """off, office, or the URL of a WAV file (16-bit PCM, 8 to 48 kHz, at most 5 MiB), which is played in a loop. A
    file that cannot be fetched leaves the call without a background."""
    booking: NotRequired[Booking]
    """How the assistant makes appointments."""
    booking_message: NotRequired[str]
    """Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} tell
    which."""
    call_transfers: NotRequired[list[CallTransfer] | None]
    """Telephones to which the assistant may hand the caller over. It can dial no others."""
    compliance_plan: NotRequired[CompliancePlan]
    """With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept
    either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are
    removed, also from its events. The rest is kept and not used."""
    dial_keypad_function_enabled: NotRequired[bool]
    """Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."""
    end_call_function_enabled: NotRequired[bool]
    """Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."""
    end_call_message: NotRequired[str]
    """Spoken before the assistant hangs up."""
    end_call_phrases: NotRequired[list[str] | None]
    """The call ends when the assistant says one of these, in any case."""
    first_message: NotRequired[str]
    """First message on incoming calls."""
    first_message_interruptions_enabled: NotRequired[bool]
    """Whether the caller may interrupt the first message."""
    first_message_mode: NotRequired[Literal["assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user"]]
    """Who speaks first."""
    first_message_outbound: NotRequired[str]
    """First message on outgoing calls."""
    functions: NotRequired[str]
    """JSON text listing the functions that the assistant may call, as OpenAI lists them: [{name, description,
    parameters}] or [{type: function, function: {…}}]. Calling one asks the assistant's server, else your webhook,
    with a tool-calls message. Names have 1 to 64 of the characters A-Z, a-z, 0-9, _ and -; parameters are the JSON
    Schema of an object."""
    keypad_input_plan: NotRequired[KeypadInputPlan]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool]
    llm_content: NotRequired[str]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int]
    """Longest call, in seconds."""
    message_plan: NotRequired[MessagePlan]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any]]
    """Yours; kept and answered as it is."""
    model: NotRequired[Model]
    """provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60,
    default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server
    {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name,
    description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."""
    notifications_email: NotRequired[str]
    post_call_email_enabled: NotRequired[bool]
    post_call_emails: NotRequired[list[str] | None]
    server: NotRequired[AssistantServerInput]
    server_url_type: NotRequired[Literal["external"]]
    sms_message: NotRequired[str]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[StartSpeakingPlan]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for. With the provider custom-endpointing-model your server
    (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with
    the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller
    may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true):
    the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait
    until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."""
    stop_speaking_plan: NotRequired[StopSpeakingPlan]
    """numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption),
    acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[Transcriber]
    """provider, model, language."""
    voice: NotRequired[Voice]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Literal["off", "detect", "leave-message"] | VoicemailDetectionPlan | None]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold,
    backoffPlan (machines are looked for until its last look)}; other keys are kept and not used. Persons, answering
    machines, menus, call screeners and faxes are told apart by words, timing, tones and, where these leave it open,
    by the language model. In a menu the assistant presses keys where it may (dial_keypad_function_enabled); a
    screener is told who calls and why."""
    voicemail_message: NotRequired[str]
    """Left on voicemail."""


class AssistantList(TypedDict):
    data: list[Assistant]
    pagination: PaginationMeta


class AssistantReplacement(TypedDict):
    """A whole assistant, or in the earlier form any part of one."""

    analysis_plan: NotRequired[AnalysisPlan | None]
    assistant_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    assistant_name: NotRequired[str | None]
    background_sound: NotRequired[str | None]
    """off, office, or the URL of a WAV file (16-bit PCM, 8 to 48 kHz, at most 5 MiB), which is played in a loop. A
    file that cannot be fetched leaves the call without a background."""
    booking: NotRequired[Booking | None]
    booking_message: NotRequired[str | None]
    """Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} tell
    which."""
    call_transfers: NotRequired[list[CallTransfer] | None]
    """Telephones to which the assistant may hand the caller over. It can dial no others."""
    compliance_plan: NotRequired[CompliancePlan | None]
    """With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept
    either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are
    removed, also from its events. The rest is kept and not used."""
    created_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    dial_keypad_function_enabled: NotRequired[bool | None]
    """Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."""
    end_call_function_enabled: NotRequired[bool | None]
    """Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."""
    end_call_message: NotRequired[str | None]
    """Spoken before the assistant hangs up."""
    end_call_phrases: NotRequired[list[str] | None]
    """The call ends when the assistant says one of these, in any case."""
    first_message: NotRequired[str | None]
    """First message on incoming calls."""
    first_message_interruptions_enabled: NotRequired[bool | None]
    """Whether the caller may interrupt the first message."""
    first_message_mode: NotRequired[Literal["assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user"] | None]
    """Who speaks first."""
    first_message_outbound: NotRequired[str | None]
    """First message on outgoing calls."""
    functions: NotRequired[str | None]
    """JSON text listing the functions that the assistant may call, as OpenAI lists them: [{name, description,
    parameters}] or [{type: function, function: {…}}]. Calling one asks the assistant's server, else your webhook,
    with a tool-calls message. Names have 1 to 64 of the characters A-Z, a-z, 0-9, _ and -; parameters are the JSON
    Schema of an object."""
    keypad_input_plan: NotRequired[KeypadInputPlan | None]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool | None]
    llm_content: NotRequired[str | None]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int | None]
    """Longest call, in seconds."""
    message_plan: NotRequired[MessagePlan | None]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any] | None]
    """Yours; kept and answered as it is."""
    model: NotRequired[Model | None]
    """provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60,
    default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server
    {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name,
    description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."""
    notifications_email: NotRequired[str | None]
    phone_number: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    phone_number_id: NotRequired[str | None]
    """Earlier form only: links one of your custom numbers; null unlinks. As it was read it means nothing."""
    phone_number_locality: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    phone_number_type: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    post_call_email_enabled: NotRequired[bool | None]
    post_call_emails: NotRequired[list[str] | None]
    server: NotRequired[AssistantServerInput | None]
    server_url_type: NotRequired[Literal["external"] | None]
    sms_message: NotRequired[str | None]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[StartSpeakingPlan | None]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for. With the provider custom-endpointing-model your server
    (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with
    the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller
    may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true):
    the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait
    until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."""
    stop_speaking_plan: NotRequired[StopSpeakingPlan | None]
    """numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption),
    acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[Transcriber | None]
    """provider, model, language."""
    updated_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    voice: NotRequired[Voice | None]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str | None]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Literal["off", "detect", "leave-message"] | VoicemailDetectionPlan | None]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold,
    backoffPlan (machines are looked for until its last look)}; other keys are kept and not used. Persons, answering
    machines, menus, call screeners and faxes are told apart by words, timing, tones and, where these leave it open,
    by the language model. In a menu the assistant presses keys where it may (dial_keypad_function_enabled); a
    screener is told who calls and why."""
    voicemail_message: NotRequired[str | None]
    """Left on voicemail."""


class AssistantServer(TypedDict):
    events: list[str]
    """The types that are sent."""
    headers: NotRequired[dict[str, str]]
    timeout_seconds: int
    url: str


class AssistantServerInput(TypedDict):
    events: NotRequired[list[Literal["status-update", "end-of-call-report", "call-command-update", "call-listener-update", "scheduled-call-failed", "sip-connection-stopped", "budget-reached", "transcript", "speech-update", "user-interrupted", "hang", "transfer-update", "assistant-request", "tool-calls", "call.endpointing.request"]]]
    """Types to send; default status-update and end-of-call-report."""
    headers: NotRequired[dict[str, str]]
    """Sent with every event, such as X-Vapi-Secret for a server that checks it."""
    secret: NotRequired[str]
    """Signs this server's events (Standard Webhooks). whsec_ and base64, or any text, whose bytes are the key. Without
    one your account's secret signs."""
    timeout_seconds: NotRequired[int]
    url: str
    """An http or https URL."""


class AssistantUpdate(TypedDict):
    """Any part of an assistant; null sets the default."""

    analysis_plan: NotRequired[AnalysisPlan | None]
    assistant_name: NotRequired[str | None]
    background_sound: NotRequired[str | None]
    """off, office, or the URL of a WAV file (16-bit PCM, 8 to 48 kHz, at most 5 MiB), which is played in a loop. A
    file that cannot be fetched leaves the call without a background."""
    booking: NotRequired[Booking | None]
    booking_message: NotRequired[str | None]
    """Spoken when an appointment was made. {{appointment_type}}, {{appointment_date}} and {{appointment_time}} tell
    which."""
    call_transfers: NotRequired[list[CallTransfer] | None]
    """Telephones to which the assistant may hand the caller over. It can dial no others."""
    compliance_plan: NotRequired[CompliancePlan | None]
    """With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept
    either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are
    removed, also from its events. The rest is kept and not used."""
    dial_keypad_function_enabled: NotRequired[bool | None]
    """Lets the assistant press keys for menus of machines, as a tool dtmf in model.tools does."""
    end_call_function_enabled: NotRequired[bool | None]
    """Lets the assistant hang up when the conversation is over, as a tool endCall in model.tools does."""
    end_call_message: NotRequired[str | None]
    """Spoken before the assistant hangs up."""
    end_call_phrases: NotRequired[list[str] | None]
    """The call ends when the assistant says one of these, in any case."""
    first_message: NotRequired[str | None]
    """First message on incoming calls."""
    first_message_interruptions_enabled: NotRequired[bool | None]
    """Whether the caller may interrupt the first message."""
    first_message_mode: NotRequired[Literal["assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user"] | None]
    """Who speaks first."""
    first_message_outbound: NotRequired[str | None]
    """First message on outgoing calls."""
    functions: NotRequired[str | None]
    """JSON text listing the functions that the assistant may call, as OpenAI lists them: [{name, description,
    parameters}] or [{type: function, function: {…}}]. Calling one asks the assistant's server, else your webhook,
    with a tool-calls message. Names have 1 to 64 of the characters A-Z, a-z, 0-9, _ and -; parameters are the JSON
    Schema of an object."""
    keypad_input_plan: NotRequired[KeypadInputPlan | None]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool | None]
    llm_content: NotRequired[str | None]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int | None]
    """Longest call, in seconds."""
    message_plan: NotRequired[MessagePlan | None]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any] | None]
    """Yours; kept and answered as it is."""
    model: NotRequired[Model | None]
    """provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60,
    default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server
    {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name,
    description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."""
    notifications_email: NotRequired[str | None]
    post_call_email_enabled: NotRequired[bool | None]
    post_call_emails: NotRequired[list[str] | None]
    server: NotRequired[AssistantServerInput | None]
    server_url_type: NotRequired[Literal["external"] | None]
    sms_message: NotRequired[str | None]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[StartSpeakingPlan | None]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for. With the provider custom-endpointing-model your server
    (smartEndpointingPlan.server, else the assistant's, else your webhook) is sent a call.endpointing.request with
    the messages so far each time the caller pauses, and returns {timeoutSeconds}, 0 to 15: for how long the caller
    may go on. Without an answer within 3 s words and melody decide; it has 7.5 s. thinkAheadEnabled (default true):
    the reply is begun in the caller's first pause and thrown away unheard where the caller goes on; its tools wait
    until the turn is over. At most two replies in a turn are begun in vain, and what they cost stands in the call."""
    stop_speaking_plan: NotRequired[StopSpeakingPlan | None]
    """numWords, voiceSeconds (default 0.5), backoffSeconds (default 1: silence kept after an interruption),
    acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[Transcriber | None]
    """provider, model, language."""
    voice: NotRequired[Voice | None]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str | None]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Literal["off", "detect", "leave-message"] | VoicemailDetectionPlan | None]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold,
    backoffPlan (machines are looked for until its last look)}; other keys are kept and not used. Persons, answering
    machines, menus, call screeners and faxes are told apart by words, timing, tones and, where these leave it open,
    by the language model. In a menu the assistant presses keys where it may (dial_keypad_function_enabled); a
    screener is told who calls and why."""
    voicemail_message: NotRequired[str | None]
    """Left on voicemail."""


class AuditActor(TypedDict):
    email: str | None
    """Of a person."""
    id: str | None
    """Id of the person or the key; null: the operator."""
    name: str | None
    """null: it was deleted."""
    type: Literal["person", "key", "operator"]


class AuditEntry(TypedDict):
    actor: AuditActor
    address: str | None
    """From where the request came."""
    created_at: str
    id: str
    operation: str
    """The operationId of what was done, or sign-in-failed: a wrong password for the person's address; account-link:
    the operator made a link to sign in by; call-listener-left: a listener of the call listens no more, and no
    request ended that: they left or never came, may not listen any more, or the call is over."""
    request_id: str
    resource_id: str | None
    """What it was done to or what it made, where that has an id."""
    user_agent: str


class AuditEntryList(TypedDict):
    data: list[AuditEntry]
    pagination: PaginationMeta


class AvailablePaginationMeta(TypedDict):
    has_more: bool
    """Whether there are more."""
    limit: int
    offset: int
    total: int | None
    """How many there are in all; null where the carrier does not say."""


class AvailablePhoneNumber(TypedDict):
    country: str
    locality: str | None
    monthly_cost_credits: int
    """The order pays the first month; nothing renews yet."""
    phone_number: str
    type: Literal["local", "mobile", "national"]


class AvailablePhoneNumberList(TypedDict):
    data: list[AvailablePhoneNumber]
    pagination: AvailablePaginationMeta


class Booking(TypedDict):
    appointment_types: NotRequired[list[AppointmentType] | None]
    """What can be booked; without any, appointments of 30 minutes."""
    calendar_ics_url: NotRequired[str]
    """Feed of the company's calendar (iCalendar, https, http or webcal). What is busy there is not offered. Without it
    only appointments made here count."""
    enabled: NotRequired[bool]
    """Lets the assistant offer free times and make appointments."""
    minimum_booking_hours: NotRequired[float]
    """Hours between now and the earliest appointment."""
    opening_hours: NotRequired[list[OpeningHours] | None]
    """When appointments may be; without any, Monday to Friday from 09:00 to 17:00."""
    timezone: NotRequired[str]
    """IANA time zone of the opening hours; without one, that of the country of the assistant's phone number, UTC where
    it has several."""


class Budget(TypedDict):
    exhausted: bool
    """Calls that you make are refused until the month is over or the budget is raised: with 402 budget_exhausted, a
    queued one ends as failed, and a scheduled one that falls due makes no call. Calls that go on and that come in
    are not affected, so that a month may cost more than its budget."""
    month: str
    """The present one."""
    monthly: float | None
    """US dollars that the calls of a month may cost; null: there is no budget."""
    spent: float
    """US dollars that its calls have cost which are over."""
    time_zone: str
    """IANA time zone of your months, and of the days of your usage."""


class BudgetInput(TypedDict):
    monthly: float | None
    """US dollars, with at most 8 decimals; null: no budget."""
    time_zone: NotRequired[str]
    """IANA time zone; absent: as it is."""


class Call(TypedDict):
    analysis_error: str | None
    """What the analysis could not find out, and why."""
    analysis_status: Literal["pending", "done", "failed"] | None
    """Null: there was nothing to analyze, or no model to do it."""
    assistant_id: str | None
    """null: your server made the assistant up in its answer to assistant-request, or named none."""
    assistant_name: str
    """Empty where there was no assistant."""
    call_id: str
    call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    channel: Literal["phone", "web"]
    """web: a browser, in which a person came to the assistant."""
    contact_id: str | None
    contact_name: str | None
    contact_phone_number: str
    """Empty once the person is erased; web:VISITOR of a person in a browser who is no contact."""
    cost: float | None
    """What it cost so far, in US dollars; null: it is not over, or used nothing."""
    created_at: str
    custom_data: dict[str, Any]
    direction: Literal["inbound", "outbound"]
    duration_seconds: float
    """From when it was answered to its end."""
    ended_at: str | None
    ended_fault: Literal["customer", "assistant", "carrier", "provider", "config", "platform"] | None
    ended_reason: str | None
    error: str | None
    """What failed, and at whom; of voicemail, that a fax answered. Null: there is nothing to say beyond ended_reason."""
    explanation: str | None
    """Why a queued call waits; null when it does not."""
    phone_number: str
    """Empty of a web call."""
    scheduled_call_id: str | None
    sip_code: int | None
    """The SIP response that refused the call."""
    started_at: str | None
    """When it was answered."""
    structured_data: Any
    success_evaluation: str | None
    summary: str | None


class CallCommand(TypedDict):
    call_id: str
    command_id: str
    """The event with the outcome has it too."""
    created_at: str
    status: Literal["pending", "done", "failed"]
    """done at once when a queued call was canceled."""
    type: Literal["say", "add-message", "end-call", "transfer"]


class CallDetail(TypedDict):
    analysis_error: str | None
    """What the analysis could not find out, and why."""
    analysis_status: Literal["pending", "done", "failed"] | None
    """Null: there was nothing to analyze, or no model to do it."""
    assistant_id: str | None
    """null: your server made the assistant up in its answer to assistant-request, or named none."""
    assistant_name: str
    """Empty where there was no assistant."""
    call_id: str
    call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    channel: Literal["phone", "web"]
    """web: a browser, in which a person came to the assistant."""
    contact_id: str | None
    contact_name: str | None
    contact_phone_number: str
    """Empty once the person is erased; web:VISITOR of a person in a browser who is no contact."""
    cost: float | None
    """What it cost so far, in US dollars; null: it is not over, or used nothing."""
    cost_breakdown: CostBreakdown | None
    """The same by type; null where cost is."""
    costs: list[Cost]
    """What it cost, by service, as the end-of-call-report has it."""
    created_at: str
    custom_data: dict[str, Any]
    direction: Literal["inbound", "outbound"]
    duration_seconds: float
    """From when it was answered to its end."""
    ended_at: str | None
    ended_fault: Literal["customer", "assistant", "carrier", "provider", "config", "platform"] | None
    ended_reason: str | None
    error: str | None
    """What failed, and at whom; of voicemail, that a fax answered. Null: there is nothing to say beyond ended_reason."""
    explanation: str | None
    """Why a queued call waits; null when it does not."""
    latency: ResponseLatency | None
    """How long the caller waited for answers, by stage, and what it cost to begin answers ahead; null where there was
    none."""
    media: MediaQuality | None
    """Quality of the audio; null if the call was not connected."""
    phone_number: str
    """Empty of a web call."""
    providers: Providers | None
    """Who really served the call, stand-ins included; null if it was not answered, or its process was lost."""
    recording_missing_seconds: float | None
    """How many seconds of the call its recording lacks, because the process that wrote it died; null: none, or there
    is no recording."""
    recording_url: str | None
    scheduled_call_id: str | None
    sip_code: int | None
    """The SIP response that refused the call."""
    started_at: str | None
    """When it was answered."""
    structured_data: Any
    structured_data_multi: Any
    """The data of structuredDataMultiPlan, as a list of {key: data}."""
    success_evaluation: str | None
    summary: str | None
    timeline: list[TimelineEntry]
    """Every state with its time."""
    tool_calls: list[CallToolCall]
    """The tools that the assistant used, in their order."""
    transcript: list[TranscriptTurn]


class CallList(TypedDict):
    data: list[Call]
    pagination: PaginationMeta


class CallListenInput(TypedDict):
    mode: NotRequired[Literal["listen", "whisper", "barge"]]
    """What you do with the call."""
    sdp: str
    """The offer of a browser: one audio stream with G.722 or G.711, and one data channel."""


class CallListener(TypedDict):
    api_key_id: str | None
    """The key; null: a member."""
    call_id: str
    created_at: str
    ended_at: str | None
    id: str
    joined_at: str | None
    mode: Literal["listen", "whisper", "barge"]
    person_id: str | None
    """The member who listens; null: a key."""
    status: Literal["asked", "answered", "joined", "left", "missed"]
    """answered: the browser is not connected yet; missed: it never was."""


class CallListenerAnswer(TypedDict):
    call_id: str
    id: str
    sdp: str
    """The answer, with all candidates. You hear the call once the browser has connected."""


class CallListenerList(TypedDict):
    data: list[CallListener]


class CallListenerPatchInput(TypedDict):
    mode: Literal["listen", "whisper", "barge"]
    """What you do with the call from now on."""


class CallMessageInput(TypedDict):
    content: NotRequired[str]
    """say: what the assistant speaks."""
    end_call_after: NotRequired[bool]
    """say: hang up when it was spoken."""
    interrupt: NotRequired[bool]
    """say: cut off what the assistant is saying, instead of waiting for quiet."""
    message: NotRequired[CommandMessage]
    """add-message: added to the conversation of the language model, as if it had been said."""
    phone_number: NotRequired[str]
    """transfer: the number to transfer the caller to, E.164."""
    transfer_plan: NotRequired[dict[str, Any]]
    """transfer: how the caller is put through, as in the transferPlan of a tool; a blind transfer by default."""
    trigger_response: NotRequired[bool]
    """add-message: let the assistant reply at once."""
    type: Literal["say", "add-message", "end-call", "transfer"]


class CallToolCall(TypedDict):
    arguments: Any
    duration_ms: int
    error: str | None
    id: str
    name: str
    result: str | None
    seconds_from_start: float


class CallTransfer(TypedDict):
    description: NotRequired[str]
    """When to choose it."""
    name: str
    """What the assistant calls it."""
    phone_number: str
    """E.164."""


class CallWindow(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days of the week on which the call may dial."""
    end: str
    """End of the day's window, HH:MM, exclusive."""
    start: str
    """First minute of the day, HH:MM."""
    timezone: str
    """IANA time zone, such as Europe/Amsterdam."""


class CallsPerNumber(TypedDict):
    limit: int | None
    """Calls to one number within an hour, transfers included; null: no limit. One more is refused with 403
    destination_not_allowed, reason calls_per_number. Test calls do not count."""


class CommandMessage(TypedDict):
    content: str
    role: Literal["system", "user", "assistant"]


class CompliancePlanRecordingConsentPlan(TypedDict):
    """Kept and not used."""

    firstMessageMode: NotRequired[Literal["assistant-speaks-first", "assistant-speaks-first-with-model-generated-message", "assistant-waits-for-user"] | None]
    """Kept and not used."""
    message: NotRequired[str | None]
    """Kept and not used."""
    type: NotRequired[Literal["stay-on-line", "verbal"] | None]
    """Kept and not used."""
    voice: NotRequired[dict[str, Any] | None]
    """Kept and not used."""
    waitSeconds: NotRequired[float | None]
    """Kept and not used."""


class CompliancePlanSecurityFilterPlan(TypedDict):
    """Kept and not used."""

    enabled: NotRequired[bool | None]
    """Kept and not used."""
    filters: NotRequired[list[dict[str, Any]] | None]
    """Kept and not used."""
    mode: NotRequired[Literal["sanitize", "reject", "replace"] | None]
    """Kept and not used."""
    replacementText: NotRequired[str | None]
    """Kept and not used."""


class CompliancePlan(TypedDict):
    """With hipaaEnabled or pciEnabled calls are not recorded. With hipaaEnabled nothing of what is said is kept
    either: once the report of a call was delivered, or given up, its transcript, tool calls and analysis are
    removed, also from its events. The rest is kept and not used."""

    hipaaEnabled: NotRequired[bool | None]
    """Calls are not recorded, and what is said is not kept."""
    pciEnabled: NotRequired[bool | None]
    """Calls are not recorded."""
    recordingConsentPlan: NotRequired[CompliancePlanRecordingConsentPlan | None]
    """Kept and not used."""
    securityFilterPlan: NotRequired[CompliancePlanSecurityFilterPlan | None]
    """Kept and not used."""


class ConcurrentCalls(TypedDict):
    limit: int
    """More calls wait as queued and start in order."""
    reserved_inbound: int
    """How many of them are kept for inbound calls."""
    used: int
    waiting: int
    """Queued calls."""


class Contact(TypedDict):
    address: str | None
    contact_id: str
    created_at: str
    email: str | None
    full_name: str | None
    last_interaction_at: str | None
    last_interaction_summary: str | None
    meeting_date: str | None
    meeting_event_id: str | None
    """Id of the meeting in an external calendar; of an appointment that an assistant made, the UID of its invitation."""
    org_id: str | None
    phone_number: str
    updated_at: str


class ContactDetail(TypedDict):
    address: str | None
    contact_id: str
    created_at: str
    email: str | None
    full_name: str | None
    last_interaction_at: str | None
    last_interaction_summary: str | None
    meeting_date: str | None
    meeting_event_id: str | None
    """Id of the meeting in an external calendar; of an appointment that an assistant made, the UID of its invitation."""
    org_id: str | None
    phone_number: str
    recent_calls: list[Call]
    updated_at: str


class ContactInput(TypedDict):
    address: NotRequired[str | None]
    email: NotRequired[str | None]
    full_name: NotRequired[str | None]
    last_interaction_at: NotRequired[str | None]
    """A time of RFC 3339, or in another form of ISO 8601; without an offset it is UTC."""
    last_interaction_summary: NotRequired[str | None]
    org_id: NotRequired[str | None]
    phone_number: str
    """E.164."""


class ContactList(TypedDict):
    data: list[Contact]
    pagination: PaginationMeta


class ContactUpdate(TypedDict):
    address: NotRequired[str | None]
    contact_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    created_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    email: NotRequired[str | None]
    full_name: NotRequired[str | None]
    last_interaction_at: NotRequired[str | None]
    """A time of RFC 3339, or in another form of ISO 8601; without an offset it is UTC."""
    last_interaction_summary: NotRequired[str | None]
    meeting_date: NotRequired[str | None]
    """A time of RFC 3339, or in another form of ISO 8601; without an offset it is UTC."""
    meeting_event_id: NotRequired[str | None]
    """Id of the meeting in an external calendar. Null calls the meeting off: the time of an appointment that an
    assistant made is free again."""
    org_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    phone_number: NotRequired[str | None]
    """E.164."""
    recent_calls: NotRequired[Any]
    """Ignored: a body may be what was read."""
    updated_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""


class Cost(TypedDict):
    analysisType: NotRequired[str]
    """Of an analysis: which part of the plan."""
    cachedPromptTokens: NotRequired[int]
    carrier: NotRequired[str]
    """Of transport: trunk, which is the operator's; sip-connection, which is yours; or simulated. Of messages: who
    sent them."""
    characters: NotRequired[int]
    """That were sent to be spoken; what is kept of earlier calls costs nothing."""
    completionTokens: NotRequired[int]
    cost: float
    """US dollars."""
    estimated: bool
    """The provider did not tell all of it: tokens are estimated from the length of texts."""
    messages: NotRequired[int]
    """That were sent; a long text counts once for each part of it."""
    minutes: NotRequired[float]
    """Of a transcriber: the sound that it was sent, which is speech alone."""
    model: NotRequired[CostService]
    priced: bool
    """Prices are known for all of it; the cost of what has none is 0."""
    promptTokens: NotRequired[int]
    """Those that were cached included."""
    transcriber: NotRequired[CostService]
    type: Literal["transport", "transcriber", "model", "voice", "analysis", "knowledge-base", "sms", "email"]
    """What was used: the telephone line, with an entry of its own for colleagues who were rung to put a caller
    through, what listens, thinks and speaks in the call, the analysis after it, searches of the knowledge base in
    it, and messages."""
    voice: NotRequired[CostService]


class CostBreakdown(TypedDict):
    analysis: float
    knowledgeBase: float
    llm: float
    llmCachedPromptTokens: int
    llmCompletionTokens: int
    llmPromptTokens: int
    """Those that were cached included."""
    messages: float
    """Text messages and mail."""
    stt: float
    total: float
    transport: float
    tts: float
    ttsCharacters: int


class CostService(TypedDict):
    model: NotRequired[str]
    provider: str


class CreditEntry(TypedDict):
    amount: int
    balance: int
    """After this entry."""
    created_at: str
    id: str
    kind: Literal["grant", "order", "refund"]
    """grant: by the operator; order: paid for a number; refund: given back for an order that failed."""
    phone_number_order_id: str | None
    reason: str


class CreditsBalance(TypedDict):
    balance: int
    entries: list[CreditEntry]
    pagination: PaginationMeta


class DailyMinutes(TypedDict):
    limit: int | None
    """null: no limit. When less than one minute is left, calls are refused with 403 destination_not_allowed, reason
    daily_minutes, and a queued one ends as failed. Test calls do not count."""
    reserved: float
    """What live calls may last at most. A call lasts no longer than what was left when it was dialed."""
    used: float
    """Of calls that have ended today."""


class DailyTexts(TypedDict):
    limit: int | None
    """null: no limit. One number gets one text a day. Texts of test calls do not count."""
    used: int


class DeliveryAttempt(TypedDict):
    answer: str
    """The first 2 KiB of the server's response."""
    attempt: int
    created_at: str
    error: str | None
    latency_ms: int
    status_code: int | None
    url: str


class DeliveryAttemptList(TypedDict):
    data: list[DeliveryAttempt]
    pagination: PaginationMeta


class Destinations(TypedDict):
    countries: list[str]
    """Countries (ISO 3166) that may be called and written to. A number of a SIP connection may call its own country,
    too. Others are refused with 403 destination_not_allowed, reason country."""
    default: bool
    """They are the default: the countries of the European Union and the European Economic Area, and those of the
    numbers that you have from the operator."""
    refused_types: list[Literal["premium", "shared-cost", "satellite", "personal"]]
    """Types of numbers that are never called; reason number_type. Your own numbers and the shared ones are not called
    either; reason own_number."""


class DirectCallInput(TypedDict):
    assistant_id: str
    contact_id: NotRequired[str]
    """Whom to call. Give this or contact_phone_number."""
    contact_phone_number: NotRequired[str]
    """The number to call, E.164. Give this or contact_id."""
    custom_data: NotRequired[dict[str, Any]]
    """Yours: comes back in events, and its texts and numbers fill {{name}} in messages."""


class Error(TypedDict):
    error: ErrorObject


class ErrorObject(TypedDict):
    code: str
    """Stable word for programs."""
    details: dict[str, str]
    """What is wrong, by field; may be empty."""
    message: str
    """Sentence for a developer."""


class Event(TypedDict):
    attempts: int
    call_id: str | None
    created_at: str
    delivery: Literal["none", "pending", "delivered", "dead"]
    """none: no server subscribes to it."""
    id: str
    """The webhook-id of its deliveries."""
    message: WebhookStatusUpdate | WebhookEndOfCallReport | WebhookCallCommandUpdate | WebhookCallListenerUpdate | WebhookScheduledCallFailed | WebhookSIPConnectionStopped | WebhookBudgetReached | WebhookTranscript | WebhookSpeechUpdate | WebhookUserInterrupted | WebhookHang | WebhookTransferUpdate | WebhookAssistantRequest | WebhookToolCalls | WebhookEndpointingRequest | dict[str, Any]
    """What your server receives under message, without eventId and sequence."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    type: str


class EventList(TypedDict):
    data: list[Event]
    pagination: PaginationMeta


class EventReplay(TypedDict):
    count: int
    """Events that are sent again."""


EventReplayInput = TypedDict(
    "EventReplayInput",
    {
        'call_id': 'NotRequired[str]',
        'from': 'NotRequired[str]',
        'to': 'NotRequired[str]',
    },
)


class ExtendedProfile(TypedDict):
    api_keys: list[APIKey]
    """Without their texts."""
    company_name: str | None
    counts: ProfileCounts
    created_at: str
    credits: int
    email: str
    full_name: str
    limits: Limits
    phone_number: str | None
    subscription_status: Literal["none", "active", "past_due", "canceled"]
    user_id: str
    webhook: Webhook
    """Without its secret."""


class FAQ(TypedDict):
    answer: str
    question: str


class FAQGenerationInput(TypedDict):
    count: NotRequired[int]
    """Maximum number of questions."""
    text: NotRequired[str]
    """What is known about the company; bounded by the size of the body, 1 MiB. A model is shown the first 48,000
    characters."""
    website_url: NotRequired[str]
    """A website, read from this page on: up to 30 pages that its robots.txt allows."""


class FAQInput(TypedDict):
    answer: str
    question: str


class Failure(TypedDict):
    error: str
    """What the vendor said, or what it owed, the last time."""
    happened: Literal["timeout", "stalled", "unavailable", "broke", "refused", "denied", "skipped"]
    """timeout: nothing came in time; stalled: something came, and then nothing for too long; unavailable: it could not
    be reached, or is down or overrun; broke: something came, and then the connection ended; refused: it does not
    take the request; denied: nor the credentials; skipped: it was not asked, because it had failed shortly before."""
    kind: Literal["transcriber", "model", "voice", "answering-detection"]
    """What the vendor was to do. answering-detection: a model was asked who had answered."""
    provider: str
    since: str
    """When it first happened."""
    stand_in: str | None
    """Who served in its place the last time: another vendor, such as flite, which is the built-in voice, or rules,
    which tell who has answered without a model; null: nobody, or the vendor itself when it was asked again."""
    times: int


class GeneratedFAQs(TypedDict):
    faqs: list[FAQ]


class GroupNumberOrderInput(TypedDict):
    phone_number: str
    """One of the available numbers, E.164."""


class InstantAgent(TypedDict):
    agent_name: str
    """Name of the assistant."""
    company_name: str
    message: str
    phone_number: str
    phone_number_id: str
    success: bool


class InstantAgentInput(TypedDict):
    additional_context: NotRequired[str]
    """What the assistant is to know besides."""
    agent_name: NotRequired[str]
    """What the assistant calls itself. Without one it is named after the company."""
    appointment_types: NotRequired[list[AppointmentType] | None]
    """What can be booked; without any, appointments of 30 minutes."""
    calendar_ics_url: NotRequired[str]
    """Feed of the company's calendar (iCalendar, https, http or webcal). What is busy there is not offered."""
    call_transfers: NotRequired[list[CallTransfer] | None]
    """Telephones to which the assistant may hand the caller over."""
    can_book_appointments: NotRequired[bool]
    """Lets the assistant offer free times and make appointments."""
    company_name: str
    custom_instructions: NotRequired[str]
    """How the assistant is to behave. They go before what it is told otherwise."""
    faqs: NotRequired[list[FAQInput] | None]
    """Questions that callers ask, with their answers."""
    minimum_booking_hours: NotRequired[float]
    """Hours between now and the earliest appointment."""
    notification_email: NotRequired[str]
    """Where a summary of each call goes."""
    phone_number_id: str
    """Id of a number of yours or of a default number. A custom number must be free; a default one is taken from your
    other assistants."""
    sms_message: NotRequired[str]
    """Sent as a text message to the caller after a conversation, where an SMS provider is set; {company_name} is the
    company's name."""
    website_url: NotRequired[str]
    """The company's website, read from this page on: up to 30 pages that its robots.txt allows."""


class Invitation(TypedDict):
    email: str
    id: str
    """Id of the person."""
    invited_at: str
    joined_at: str | None
    """null: not yet."""
    link: str | None
    """Where mail is not set up, the link to hand on; it works for seven days, and once. Shown only now. null: it was
    mailed, and nobody else sees it."""
    name: str
    role: Literal["owner", "admin", "developer", "viewer"]
    status: Literal["invited", "active"]


class KeypadInputPlan(TypedDict):
    """What becomes of the keys that the caller presses. They reach the model together, as words of the caller."""

    delimiters: NotRequired[Literal["#", "*", ""] | None]
    """The key that completes an entry; empty: none."""
    enabled: NotRequired[bool | None]
    """Whether keys are read."""
    timeoutSeconds: NotRequired[float | None]
    """Seconds behind the last key after which an entry is complete; 0: only a delimiter completes it."""


class KnowledgeAnswer(TypedDict):
    content: str
    """Its passages that match best, up to three."""
    id: str
    """Id of the document."""
    score: float
    """How well it matches, 0 to 1: how much of the question's words it covers or, where an embedding model is
    configured, how far ahead it is by words and meaning together."""
    title: str


class KnowledgeDocument(TypedDict):
    assistant_id: str | None
    """The only assistant that uses it; null: all of them do."""
    chunk_count: int
    """Number of passages."""
    created_at: str
    error: str | None
    """Why it failed."""
    id: str
    source_type: Literal["text", "url", "faq"]
    status: Literal["processing", "ready", "failed"]
    title: str
    updated_at: str
    url: str | None
    """The page with its content."""


class KnowledgeDocumentInput(TypedDict):
    answer: NotRequired[str]
    assistant_id: NotRequired[str]
    """Only this assistant uses it."""
    question: NotRequired[str]
    text: NotRequired[str]
    """The document itself; bounded by the size of the body, 1 MiB."""
    title: str
    url: NotRequired[str]
    """A page (HTML or plain text up to 2 MiB) or a PDF (up to 20 MiB, of which 500 pages are read)."""


class KnowledgeDocumentLimit(TypedDict):
    limit: int
    """One more is refused with 409 limit_reached."""
    used: int


class KnowledgeDocumentList(TypedDict):
    data: list[KnowledgeDocument]
    pagination: PaginationMeta


class KnowledgeQuery(TypedDict):
    assistant_id: NotRequired[str]
    """Search what this assistant uses: its own documents and those of all assistants."""
    limit: NotRequired[int]
    """Maximum number of documents."""
    query: str
    """A question, or words."""


class KnowledgeResults(TypedDict):
    documents: list[KnowledgeAnswer]


class LatencyGuesses(TypedDict):
    made: int
    tokens_estimated: bool
    """The model did not tell its tokens: some of the wasted ones are estimated."""
    used: int
    wasted_tokens: int
    """Of those that were thrown away."""


class LatencyStages(TypedDict):
    endpointing: Quantiles
    """From there until the caller's turn counted as over."""
    model: Quantiles
    """From there to the first token; 0 where the reply was begun ahead."""
    transcriber: Quantiles
    """From the end of speech to the last words."""
    voice: Quantiles
    """From there to the first sound."""


class Limits(TypedDict):
    calls_per_number: CallsPerNumber
    concurrent_calls: ConcurrentCalls
    credits: int
    """The balance."""
    daily_minutes: DailyMinutes
    daily_texts: DailyTexts
    destinations: Destinations
    knowledge_documents: KnowledgeDocumentLimit
    refused_today: dict[str, int]
    """How many calls, transfers and texts each rule refused since midnight in UTC, by its name."""
    request_rate: RequestRate
    retention: Retention


class LinkedNumber(TypedDict):
    id: str
    locality: str | None
    number: str
    origin: NotRequired[Literal["default", "custom"]]
    type: Literal["local", "mobile", "national"] | None


class MediaQuality(TypedDict):
    codec: str
    """Of our sound: PCMU, PCMA, or G722, which is wideband; its recording has 16 kHz instead of 8."""
    encrypted: bool
    """SRTP."""
    far_jitter_ms: float
    """Of ours, as the far end reports."""
    far_packets_lost: int
    """Of ours, as the far end reports; 0 also where it does not."""
    jitter_ms: float
    """Of the caller's sound, RFC 3550."""
    packets_lost: int
    """Of the caller's sound, packets that never came."""
    packets_received: int
    packets_sent: int
    packets_sent_late: int
    """Packets that left more than 10 ms after their time."""
    round_trip_ms: float
    """To the far end and back; 0: unknown."""


class Member(TypedDict):
    email: str
    id: str
    """Id of the person."""
    invited_at: str
    joined_at: str | None
    """null: not yet."""
    name: str
    role: Literal["owner", "admin", "developer", "viewer"]
    status: Literal["invited", "active"]


class MemberInput(TypedDict):
    email: str
    locale: NotRequired[Literal["en", "nl"]]
    """Language of the mail; default en."""
    role: Literal["owner", "admin", "developer", "viewer"]
    """No more than your own; keys invite up to admins."""


class MemberList(TypedDict):
    data: list[Member]
    pagination: PaginationMeta


class MemberUpdate(TypedDict):
    role: Literal["owner", "admin", "developer", "viewer"]


class MessagePlan(TypedDict):
    """What the assistant says when nobody speaks. After 30 seconds of silence, its own reminders apart, the call ends."""

    idleMessageMaxSpokenCount: NotRequired[int | None]
    """How many reminders are spoken in a call."""
    idleMessageResetCountOnUserSpeechEnabled: NotRequired[bool | None]
    """The caller's words make that count start anew."""
    idleMessages: NotRequired[list[str] | None]
    """Reminders, of which one is chosen at random; none by default."""
    idleTimeoutSeconds: NotRequired[float | None]
    """Seconds of silence before each reminder."""
    silenceTimeoutMessage: NotRequired[str | None]
    """Spoken when silence ends the call; end_call_message by default."""


class ModelMessages(TypedDict):
    content: NotRequired[str | None]
    """What is said."""
    role: NotRequired[Literal["system", "user", "assistant", "tool", "function"] | None]
    """Who says it."""


class Model(TypedDict):
    """The language model. Keys of the service's own are kept."""

    fallbackModels: NotRequired[list[dict[str, Any]] | None]
    """Kept and not used: the deployment's other services stand in."""
    knowledgeBase: NotRequired[dict[str, Any] | None]
    """Kept and not used: set knowledge_base_enabled."""
    maxTokens: NotRequired[int | None]
    """The longest reply, in tokens; the service's own limit by default."""
    messages: NotRequired[list[ModelMessages] | None]
    """What the model reads before the conversation. The system message is the assistant's behaviour, in place of
    llm_content."""
    model: NotRequired[str | None]
    """The service's model."""
    provider: NotRequired[str | None]
    """The service; the deployment's first choice by default."""
    temperature: NotRequired[float | None]
    """How varied replies are; the service's own by default."""
    timeout: NotRequired[float | None]
    """Seconds until the first word of a reply."""
    timeoutSeconds: NotRequired[float | None]
    """The same as timeout."""
    toolIds: NotRequired[list[str] | None]
    """Kept and not used: give tools themselves."""
    tools: NotRequired[list[Tool] | None]
    """What the assistant may do in a call; at most 64."""


class NewAPIKey(TypedDict):
    created_at: str
    expires_at: str | None
    """null: it does not expire."""
    id: str
    key: str
    """The text of the key. Shown only now."""
    last_used_at: str | None
    """To the minute. null: not used since the database last recovered from a crash."""
    mode: Literal["live", "test"]
    """Calls of a test key stay on the simulated phone network."""
    name: str
    prefix: str
    """The first characters of its text, to identify the key."""
    replaced_by: str | None
    """The key that was made when this one was rotated."""
    requests_per_minute: int
    scopes: list[str]
    """What it may do: read, write or admin, with those that each contains."""


class NewWebToken(TypedDict):
    assistant_id: str
    calls: int
    """How many it has made."""
    contact_id: str | None
    created_at: str
    expires_at: str
    id: str
    max_calls: int
    mode: Literal["live", "test"]
    """That of the key that made it."""
    origins: list[str]
    """Whose pages may use it."""
    prefix: str
    """The first characters of its text."""
    token: str
    """For one page. Shown only now."""
    variables: dict[str, str]


class OpenSession(TypedDict):
    account: AccountRef
    address: str | None
    """From where the person signed in."""
    created_at: str
    current: bool
    """It is the session that asks."""
    expires_at: str
    """When it ends at the latest."""
    id: str
    last_used_at: str
    """To the minute."""
    user_agent: str


class OpenSessionList(TypedDict):
    data: list[OpenSession]
    pagination: PaginationMeta


class OpeningHours(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None
    end: str
    """HH:MM, exclusive; after the start."""
    start: str
    """HH:MM."""


class PaginationMeta(TypedDict):
    has_more: bool
    """Whether entries follow."""
    limit: int
    next_cursor: str | None
    """The cursor of the next page; null at the end."""
    offset: int
    total: int
    """Entries in all."""


class PasswordChange(TypedDict):
    current: str
    new: str
    """At least 10 characters, and none of those that are tried first."""


class PasswordReset(TypedDict):
    email: str


class Person(TypedDict):
    email: str
    id: str
    locale: Literal["en", "nl"]
    """The language of the dashboard and of mail."""
    name: str
    time_zone: str
    """Whose clock times are shown by (IANA)."""


class PhoneNumber(TypedDict):
    assistant_id: str | None
    """Your assistant that is linked to it."""
    created_at: str
    id: str
    locality: str | None
    number: str
    origin: Literal["default", "custom"]
    """default: shared; custom: yours."""
    status: Literal["pending", "active", "released"]
    """pending: its SIP connection is not registered yet, so it takes no calls and may still become another account's."""
    type: Literal["local", "mobile", "national"] | None


class PhoneNumberLink(TypedDict):
    data: PhoneNumberLinkState


class PhoneNumberLinkChange(TypedDict):
    assistant_id: str
    phone_number: LinkedNumber
    previous_phone_number_id: str | None
    """The number that was linked before."""
    released_assistants: int
    """Other assistants that lost their default number."""


class PhoneNumberLinkInput(TypedDict):
    phone_number_id: str
    """Id of a number of yours or of a default number."""


class PhoneNumberLinkResult(TypedDict):
    data: PhoneNumberLinkChange
    message: str


class PhoneNumberLinkState(TypedDict):
    assistant_id: str
    assistant_name: str
    phone_number: LinkedNumber | None
    """null if none is linked."""


class PhoneNumberList(TypedDict):
    data: list[PhoneNumber]
    pagination: PaginationMeta


class PhoneNumberOrder(TypedDict):
    completed_at: str | None
    """When it was completed or failed."""
    created_at: str
    credits_used: int
    """Refunded if the order fails."""
    failure_reason: str | None
    number_type: Literal["local", "mobile", "national"]
    order_id: str
    phone_number: str
    remaining_credits: int
    """Right after the order was paid."""
    status: Literal["pending", "completed", "failed"]
    verification_group: VerificationGroupName


class PhoneNumberOrderInput(TypedDict):
    phone_number: str
    """One of the available numbers, E.164."""
    verification_group_id: str
    """An approved group."""


class PhoneNumberOrderList(TypedDict):
    data: list[PhoneNumberOrder]
    pagination: PaginationMeta


class PhoneNumberOrderPlaced(TypedDict):
    credits_used: int
    number_type: Literal["local", "mobile", "national"]
    order_id: str
    phone_number: str
    remaining_credits: int
    status: Literal["pending", "completed", "failed"]
    verification_group: VerificationGroupName


class PhoneNumberOrderResult(TypedDict):
    data: PhoneNumberOrderPlaced
    message: str


class PhoneNumberUnlinkChange(TypedDict):
    assistant_id: str
    unlinked_phone_number: UnlinkedNumber | None


class PhoneNumberUnlinkResult(TypedDict):
    data: PhoneNumberUnlinkChange
    message: str


class Profile(TypedDict):
    company_name: str | None
    created_at: str
    credits: int
    email: str
    full_name: str
    phone_number: str | None
    subscription_status: Literal["none", "active", "past_due", "canceled"]
    user_id: str


class ProfileCounts(TypedDict):
    assistants: int
    calls: int
    contacts: int
    phone_numbers: int
    """Numbers of your own."""
    scheduled_calls: int
    """Those that are not processed."""


class ProfileUpdate(TypedDict):
    company_name: NotRequired[str | None]
    full_name: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    """E.164."""


class Providers(TypedDict):
    failures: list[Failure]
    """Which vendors failed, hung or were not asked, and who stood in for them, in the order in which each first did."""
    model: list[ServedBy]
    """times counts replies."""
    transcriber: list[ServedBy]
    """times counts how often it was connected."""
    voice: list[ServedBy]
    """times counts sentences."""


class Quantiles(TypedDict):
    p50_ms: int
    p95_ms: int


class ReportFailure(TypedDict):
    error: str
    """What the vendor said, or what it owed, the last time."""
    happened: Literal["timeout", "stalled", "unavailable", "broke", "refused", "denied", "skipped"]
    """As in providers.failures of the call."""
    kind: Literal["transcriber", "model", "voice", "answering-detection"]
    """What the vendor was to do. answering-detection: a model was asked who had answered."""
    provider: str
    since: str
    """When it first happened."""
    standIn: str | None
    """Who served in its place the last time: another vendor, flite for the built-in voice, or rules; null: nobody, or
    the vendor itself when it was asked again."""
    times: int


class RequestRate(TypedDict):
    limit: int
    """Requests per minute."""
    remaining: int
    reset_at: str
    """When the minute ends."""


class ResponseLatency(TypedDict):
    guesses: LatencyGuesses
    p50_ms: int
    p95_ms: int
    stages: LatencyStages
    turns: int
    """Answers that were heard."""


class Retention(TypedDict):
    calls_days: int | None
    """Days for which a call is kept, with all that belongs to it; null: for ever."""
    events_days: int | None
    """Days for which events and their deliveries are kept; null: for ever. A cursor from before goes on with the
    oldest that is left."""
    recordings_days: int | None
    """Days after a call for which its recording is kept; null: as long as the call."""
    transcripts_days: int | None
    """Days after a call for which what was said in it is kept; null: as long as the call. Summary and recording have
    their own."""


class RetryPlan(TypedDict):
    delay_seconds: int
    """Seconds between the end of an attempt and the next."""
    max_attempts: int
    """Attempts in all, the first included."""
    on: list[Literal["busy", "no-answer", "voicemail", "failed", "worker-lost"]]
    """Outcomes after which the call is placed again: statuses, and worker-lost for a call whose worker died or stopped
    after it may have rung, which failed does not include."""


class SIPConnection(TypedDict):
    created_at: str
    id: str
    last_error: str | None
    """Why the latest registration failed."""
    phone_number: str
    phone_number_id: str
    """The custom number that came with the connection; link it to an assistant."""
    provider_name: str
    registered_until: str | None
    """It is renewed before that."""
    sip_code: int | None
    """The provider's response to it; 408 if there was none."""
    sip_proxy: str
    sip_username: str
    status: Literal["registering", "registered", "failed", "stopped"]
    """A failed registration is tried again, every hour at last; one that has failed for a day is stopped, and tried
    again when you test it."""
    transfer: Literal["auto", "refer", "bridge"]
    """How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both,
    auto does so where the provider refuses."""


class SIPConnectionInput(TypedDict):
    phone_number: str
    """E.164, with or without +."""
    provider_name: str
    """What you call the provider."""
    sip_password: str
    """Stored encrypted and never returned."""
    sip_proxy: str
    """The provider's proxy: a host name or an IP address, with a port if it is not 5060. SIP travels over UDP."""
    sip_username: str
    """User name at the provider, without the domain."""
    transfer: NotRequired[Literal["auto", "refer", "bridge"]]
    """How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both,
    auto does so where the provider refuses. Who is announced is rung by us in any case."""


class SIPConnectionList(TypedDict):
    data: list[SIPConnection]
    pagination: PaginationMeta


class ScheduledCall(TypedDict):
    assistant_id: str
    assistant_name: str
    attempts: int
    """Calls that were made for it so far."""
    call_id: str | None
    """Its call, once placed; with retries the latest one."""
    contact_id: str
    contact_name: str | None
    contact_phone_number: str
    """Empty once the person is erased."""
    created_at: str
    explanation: str | None
    """Why it waits, or did not dial."""
    id: str
    instruction: str | None
    processed: bool
    retry: RetryPlan | None
    scheduled_time: str
    """When it calls; with retries the time of the next attempt."""
    status: Literal["scheduled", "processed", "canceled"]
    updated_at: str
    variables: dict[str, str]
    window: CallWindow | None


class ScheduledCallInput(TypedDict):
    assistant_id: str
    contact_id: str
    instruction: NotRequired[str]
    """Added to the assistant's instructions in this call."""
    retry: NotRequired[RetryPlan]
    scheduled_time: str
    """When to call, with any offset; without one it is UTC. A time in the past calls at once; at most two years ahead."""
    variables: NotRequired[dict[str, str]]
    """Fill {{name}} in messages and instructions."""
    window: NotRequired[CallWindow]
    """Outside of it the call waits."""


class ScheduledCallList(TypedDict):
    data: list[ScheduledCall]
    pagination: PaginationMeta


class ScheduledCallUpdateRetry(TypedDict):
    delay_seconds: int
    """Seconds between the end of an attempt and the next."""
    max_attempts: int
    """Attempts in all, the first included."""
    on: list[Literal["busy", "no-answer", "voicemail", "failed", "worker-lost"]]
    """Outcomes after which the call is placed again: statuses, and worker-lost for a call whose worker died or stopped
    after it may have rung, which failed does not include."""


class ScheduledCallUpdateWindow(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days of the week on which the call may dial."""
    end: str
    """End of the day's window, HH:MM, exclusive."""
    start: str
    """First minute of the day, HH:MM."""
    timezone: str
    """IANA time zone, such as Europe/Amsterdam."""


class ScheduledCallUpdate(TypedDict):
    assistant_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    assistant_name: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    attempts: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    call_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    contact_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    contact_name: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    contact_phone_number: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    created_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    explanation: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    instruction: NotRequired[str | None]
    processed: NotRequired[bool | None]
    """true prevents the call; false allows it again, unless it was placed."""
    retry: NotRequired[ScheduledCallUpdateRetry | None]
    scheduled_time: NotRequired[str | None]
    """A time of RFC 3339, or in another form of ISO 8601; without an offset it is UTC."""
    status: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    updated_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    variables: NotRequired[dict[str, str] | None]
    window: NotRequired[ScheduledCallUpdateWindow | None]


class SecondLeg(TypedDict):
    answeredAt: NotRequired[str]
    durationSeconds: float
    """From the answer to the end."""
    endedAt: NotRequired[str]
    error: NotRequired[str]
    joinedAt: NotRequired[str]
    """From when on the caller was connected."""
    sipCode: NotRequired[int]
    """The SIP response that refused it."""
    status: Literal["dialing", "ringing", "in-progress", "joined", "completed", "busy", "no-answer", "voicemail", "declined", "canceled", "failed"]
    """completed: the caller was put through; canceled: the caller left before."""


class ServedBy(TypedDict):
    provider: str
    since: str
    """When it first did."""
    stand_in: bool
    """It stood in for the one that the assistant names, or for your deployment's first choice."""
    times: int


class Session(TypedDict):
    account: AccountRef
    """The account that requests are about."""
    accounts: list[AccountMembership]
    """The accounts of which the person is a member."""
    expires_at: str
    """When the session ends if no request is made: 12 hours from now, or 30 days after signing in if that is sooner."""
    person: Person
    role: Literal["owner", "admin", "developer", "viewer"]
    """What the person may do in it."""


class SessionUpdate(TypedDict):
    locale: NotRequired[Literal["en", "nl"]]
    name: NotRequired[str]
    time_zone: NotRequired[str]
    """A name of the IANA time zone database."""


class SignInInput(TypedDict):
    account_id: NotRequired[str]
    """The account to work in; default the one that was joined first."""
    email: str
    password: str


class SignInLink(TypedDict):
    account: AccountRef
    email: str
    password: Literal["none", "new", "current"]
    """The password that using the link takes: none, a new one, or the one that the person has. Whoever has joined
    another account and has no password yet asks for one first (POST /v1/session/reset)."""
    purpose: Literal["setup", "sign-in", "reset", "invite"]


class SignInLinkCheck(TypedDict):
    token: str


class SignInLinkUse(TypedDict):
    name: NotRequired[str]
    password: NotRequired[str]
    """A new password, or for an invitation of somebody who has one, that one."""
    token: str


class SipConnectionPatchInput(TypedDict):
    transfer: NotRequired[Literal["auto", "refer", "bridge"]]
    """How callers are put through who are not announced: refer asks the provider, bridge has us ring and join both,
    auto does so where the provider refuses."""


class StartSpeakingPlanCustomEndpointingRulesRegexOptions(TypedDict):
    enabled: NotRequired[bool | None]
    """Whether it counts."""
    type: NotRequired[Literal["ignore-case", "multi-line", "whole-word", "strict"] | None]
    """strict: the whole text."""


class StartSpeakingPlanCustomEndpointingRules(TypedDict):
    assistantRegex: NotRequired[str | None]
    """Of both: what the assistant said last."""
    customerRegex: NotRequired[str | None]
    """Of both: the caller's words so far."""
    regex: NotRequired[str | None]
    """Of assistant and customer: a regular expression of RE2."""
    regexOptions: NotRequired[list[StartSpeakingPlanCustomEndpointingRulesRegexOptions] | None]
    """How the expressions are matched."""
    timeoutSeconds: NotRequired[float | None]
    """Seconds to wait from the arrival of the words."""
    type: NotRequired[Literal["assistant", "customer", "both"] | None]
    """Whose words are looked at."""


class StartSpeakingPlanSmartEndpointingPlan(TypedDict):
    """How the end of a turn is judged."""

    provider: NotRequired[str | None]
    """custom-endpointing-model asks your server; any other name is kept, and ours judges."""
    server: NotRequired[dict[str, Any] | None]
    """The server that is asked, with the fields of the assistant's server in camelCase; that of the assistant by
    default."""
    waitFunction: NotRequired[str | None]
    """Milliseconds to wait as an expression over x, the probability that the caller goes on, such as 20 + 500 *
    sqrt(x) + 2500 * x^3."""


class StartSpeakingPlanTranscriptionEndpointingPlan(TypedDict):
    """Times behind what the transcriber wrote, in seconds from the arrival of the words. A pause is noticed after 0.4
    seconds."""

    onNoPunctuationSeconds: NotRequired[float | None]
    """Behind anything else."""
    onNumberSeconds: NotRequired[float | None]
    """Behind a number."""
    onPunctuationSeconds: NotRequired[float | None]
    """Behind a full stop or the like."""


class StartSpeakingPlan(TypedDict):
    """How long the caller must have been silent before the assistant answers. By default words and melody say how
    likely the caller goes on; transcriptionEndpointingPlan alone has its times in their place."""

    customEndpointingRules: NotRequired[list[StartSpeakingPlanCustomEndpointingRules] | None]
    """In place of all that, by what was said; the first that matches counts."""
    smartEndpointingEnabled: NotRequired[bool | Literal["livekit"] | None]
    """Whether the end of a turn is judged by words and melody; true unless there is a transcriptionEndpointingPlan.
    The name of a service counts as true."""
    smartEndpointingPlan: NotRequired[StartSpeakingPlanSmartEndpointingPlan | None]
    """How the end of a turn is judged."""
    thinkAheadEnabled: NotRequired[bool | None]
    """Whether the reply is begun in the caller's first pause, and thrown away unheard where the caller goes on. At
    most two replies in a turn are begun in vain; what they cost stands in the call."""
    transcriptionEndpointingPlan: NotRequired[StartSpeakingPlanTranscriptionEndpointingPlan | None]
    """Times behind what the transcriber wrote, in seconds from the arrival of the words. A pause is noticed after 0.4
    seconds."""
    waitSeconds: NotRequired[float | None]
    """Seconds behind the end of speech that are waited at least; 0.3 by default, 0.4 with the times of
    transcriptionEndpointingPlan."""


class StopSpeakingPlan(TypedDict):
    """What makes the assistant stop when the caller talks into its speech."""

    acknowledgementPhrases: NotRequired[list[str] | None]
    """Words that never interrupt, such as yes and I see, in place of the usual ones."""
    backoffSeconds: NotRequired[float | None]
    """Seconds of silence that the assistant keeps afterwards."""
    interruptionPhrases: NotRequired[list[str] | None]
    """Words that interrupt at once, such as stop and wait, in place of the usual ones."""
    numWords: NotRequired[int | None]
    """Words that it takes; 0: voiceSeconds decides."""
    voiceSeconds: NotRequired[float | None]
    """Seconds of speech that it takes where numWords is 0 and no words are understood yet; 0.6 by default."""


class TimelineEntry(TypedDict):
    at: str
    destination: NotRequired[str]
    """Of forwarding: where the call was to go, a number in E.164 or a SIP URI."""
    status: str


Tool = TypedDict(
    "Tool",
    {
        'async': 'NotRequired[bool | None]',
        'destinations': 'NotRequired[list[TransferDestination] | None]',
        'function': 'NotRequired[ToolFunction | None]',
        'messages': 'NotRequired[list[ToolMessage] | None]',
        'server': 'NotRequired[ToolServer | None]',
        'type': 'NotRequired[str | None]',
    },
)
"""Something that the assistant may do in a call. A tool of another type than these is kept and not used."""


class ToolFunction(TypedDict):
    """Of a tool of type function."""

    description: NotRequired[str | None]
    """Tells the model what it does and when to call it."""
    name: str
    """What the model calls it, unique in the assistant."""
    parameters: NotRequired[dict[str, Any] | None]
    """The JSON Schema of the arguments, which are an object; any object by default."""


class ToolMessage(TypedDict):
    """What the assistant says about a tool at work."""

    content: NotRequired[str | None]
    """The words."""
    endCallAfterSpokenEnabled: NotRequired[bool | None]
    """The assistant hangs up afterwards; of request-complete and request-failed."""
    role: NotRequired[Literal["assistant", "system"] | None]
    """system: for the model to read, not to be spoken; of request-complete and request-failed."""
    timingMilliseconds: NotRequired[float | None]
    """Of request-response-delayed: after how many milliseconds."""
    type: Literal["request-start", "request-response-delayed", "request-complete", "request-failed"]
    """When: as the server is asked, when it takes long, in place of a reply of the model, in place of one when it
    failed."""


class ToolServer(TypedDict):
    """The server that is asked, in place of the assistant's server or your webhook. The secret of these signs its
    messages too."""

    headers: NotRequired[dict[str, str] | None]
    """Sent with every message."""
    timeoutSeconds: NotRequired[float | None]
    """How long the response may take, in seconds."""
    url: str
    """An http or https URL."""


class Transcriber(TypedDict):
    """Who recognises speech. Keys of the service's own are kept."""

    fallbackPlan: NotRequired[dict[str, Any] | None]
    """Kept and not used: the deployment's other services stand in."""
    language: NotRequired[str | None]
    """BCP 47, such as nl or en-GB; also the language in which numbers are read out and of the assistant's fixed
    sentences."""
    model: NotRequired[str | None]
    """The service's model."""
    provider: NotRequired[str | None]
    """The service; the deployment's first choice by default."""


class TranscriptTurn(TypedDict):
    interrupted: NotRequired[bool]
    """The assistant was cut off after this text."""
    role: Literal["user", "assistant", "system", "tool"]
    seconds_from_start: float
    speaker: NotRequired[Literal["operator"]]
    """operator: a colleague of yours said this, who had barged in on the call. Missing where the role says who did."""
    text: str
    timing: TurnTiming | None
    """When and why the assistant answered the caller; null for what answers nobody, such as a greeting, and for the
    caller's turns."""


class TransferDestination(TypedDict):
    """A telephone that the caller may be handed over to."""

    description: NotRequired[str | None]
    """When to choose it."""
    message: NotRequired[str | None]
    """Spoken before."""
    name: NotRequired[str | None]
    """What the assistant calls it."""
    number: NotRequired[str | None]
    """E.164. Give this or sipUri."""
    sipUri: NotRequired[str | None]
    """A SIP URI: sip or sips, a user, a host and at most the parameters transport and user. One whose user is a number
    is a call to that number by the rules on destinations; one that leads to the carrier is called as that number,
    or not at all."""
    transferPlan: NotRequired[TransferPlan | None]
    type: NotRequired[Literal["number", "sip"] | None]
    """Follows from which of number and sipUri there is."""


class TransferMessage(TypedDict):
    """A message to a model."""

    content: NotRequired[str | None]
    """The words."""
    role: NotRequired[str | None]
    """system; others are not used."""


class TransferPlanFallbackPlan(TypedDict):
    """What the caller is told whom nobody took."""

    endCallEnabled: NotRequired[bool | None]
    """The call ends afterwards. Without a fallbackPlan the assistant goes on."""
    message: NotRequired[str | None]
    """The words; a fixed sentence by default."""


class TransferPlanSummaryPlan(TypedDict):
    """How the summary is made."""

    enabled: NotRequired[bool | None]
    """Kept and not used: the mode decides."""
    messages: NotRequired[list[TransferMessage] | None]
    """Those of the role system are the model's prompt."""
    timeoutSeconds: NotRequired[float | None]
    """How long the model may take; it works while the telephone rings."""


class TransferPlanTransferAssistantModel(TypedDict):
    """What the model is told besides."""

    messages: NotRequired[list[TransferMessage] | None]
    """Those of the role system."""
    model: NotRequired[str | None]
    """Kept and not used."""
    provider: NotRequired[str | None]
    """Kept and not used."""


class TransferPlanTransferAssistant(TypedDict):
    """Of warm-transfer-experimental: who talks with the colleague."""

    firstMessage: NotRequired[str | None]
    """Spoken first; by default the summary, and whether to put the caller through."""
    maxDurationSeconds: NotRequired[float | None]
    """How long the talk may last."""
    model: NotRequired[TransferPlanTransferAssistantModel | None]
    """What the model is told besides."""


class TransferPlan(TypedDict):
    """How a caller is put through. Of the warm modes the assistant rings the colleague and speaks to them while the
    caller waits with music, then joins both; it comes back to the caller where the colleague is busy, does not
    answer or is an answering machine. Unknown keys are refused."""

    dialTimeout: NotRequired[float | None]
    """Seconds that the colleague's telephone may ring; by default as long as any call."""
    fallbackPlan: NotRequired[TransferPlanFallbackPlan | None]
    """What the caller is told whom nobody took."""
    holdAudioUrl: NotRequired[str | None]
    """What the caller hears meanwhile: the http or https URL of a WAV, at most 5 MiB. Music by default, and ringback
    for a blind transfer."""
    message: NotRequired[str | None]
    """Told to the colleague in the modes that say a message, and where no summary could be made."""
    mode: NotRequired[Literal["blind-transfer", "blind-transfer-add-summary-to-sip-header", "warm-transfer-say-message", "warm-transfer-say-summary", "warm-transfer-wait-for-operator-to-speak-first-and-then-say-message", "warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary", "warm-transfer-experimental"] | None]
    """blind-transfer: nobody is spoken to. say-message and say-summary: the colleague is told message, or a summary of
    the call by the model, and then gets the caller; wait-for-operator-to-speak-first: once they have spoken.
    experimental: the assistant talks with the colleague, who takes the caller or declines.
    blind-transfer-add-summary-to-sip-header: the summary is in the X-Transfer-Summary header of our INVITE."""
    sipVerb: NotRequired[Literal["refer", "dial"] | None]
    """Of blind-transfer: refer asks the carrier, dial has us ring and join both. By default as the SIP connection is
    set, else the trunk."""
    summaryPlan: NotRequired[TransferPlanSummaryPlan | None]
    """How the summary is made."""
    timeout: NotRequired[float | None]
    """Of the modes that wait for the colleague to speak first: seconds until then, with the message."""
    transferAssistant: NotRequired[TransferPlanTransferAssistant | None]
    """Of warm-transfer-experimental: who talks with the colleague."""


class TurnEndpointing(TypedDict):
    continues: float | None
    """The probability, by words and melody, that the caller would go on; null where neither was asked."""
    rule: Literal["evidence", "wait-function", "wait-seconds", "custom-rule", "punctuation", "number", "no-punctuation", "server", "menu", "keypad", "backoff"]
    """What decided how long the assistant waited: the words and the melody (evidence, or wait-function over them),
    waitSeconds, one of customEndpointingRules, transcriptionEndpointingPlan (punctuation, number, no-punctuation),
    your server (custom-endpointing-model), a machine's menu, an entry on the keypad, or the silence kept after an
    interruption (backoff)."""
    wait_ms: int
    """How long it wanted the caller to be silent; behind the words by custom-rule, punctuation, number, no-punctuation
    and menu."""


class TurnGuess(TypedDict):
    at_ms: int
    """When it was begun."""
    completion_tokens: int
    """Of a guess that was thrown away."""
    estimated: bool
    """The model did not tell its tokens: they are estimated from the length of the text."""
    prompt_tokens: int
    """Of a guess that was thrown away."""
    used: bool
    """It is the reply that was heard; else it was thrown away unheard."""
    words: str
    """The words of the caller that it was to answer."""


class TurnTiming(TypedDict):
    endpointing: TurnEndpointing
    first_sound_ms: int
    """When the assistant began to be heard."""
    first_token_ms: int | None
    """When the model's first token came: before turn_ended_ms where the reply was begun ahead, after first_sound_ms
    where the caller was asked for patience. Null: none came."""
    guesses: list[TurnGuess]
    """The replies that were begun before the caller's turn was over, since the turn before."""
    last_words_ms: int
    """When the transcriber gave the caller's last words."""
    speech_ended_ms: int
    """When the caller fell silent."""
    tokens_estimated: bool
    """The model did not tell its tokens: some of the wasted ones are estimated."""
    turn_ended_ms: int
    """When the caller's turn counted as over."""
    wasted_tokens: int
    """Tokens of the guesses that were thrown away, of the prompt and of the reply."""


class UnlinkedNumber(TypedDict):
    id: str
    number: str


class Usage(TypedDict):
    before: str
    """Itself not included."""
    group_by: Literal["day", "assistant", "number"]
    groups: list[UsageGroup]
    """Those with calls, in the order of their keys."""
    since: str
    time_zone: str
    """Of days."""
    total: UsageSum
    """Of all groups."""


class UsageGroup(TypedDict):
    cached_prompt_tokens: int
    calls: int
    """Calls that were answered, or cost something."""
    characters: int
    """That were sent to be spoken."""
    completion_tokens: int
    cost: float
    """US dollars: the sum of the calls' costs, digit by digit."""
    emails: int
    embedding_tokens: int
    inbound_minutes: float
    key: str
    """The day, the id of the assistant, empty where your server made it up or named none, or the number of yours."""
    name: str
    """Of an assistant; of other groups empty."""
    outbound_minutes: float
    """From the answers to the ends of calls."""
    prompt_tokens: int
    """Those that were cached included."""
    sms: int
    """Parts of text messages that were sent."""
    transcriber_minutes: float
    """Sound that was transcribed."""
    unpriced_calls: int
    """Calls that used something without a price, which is not in the cost."""


class UsageSum(TypedDict):
    cached_prompt_tokens: int
    calls: int
    """Calls that were answered, or cost something."""
    characters: int
    """That were sent to be spoken."""
    completion_tokens: int
    cost: float
    """US dollars: the sum of the calls' costs, digit by digit."""
    emails: int
    embedding_tokens: int
    inbound_minutes: float
    outbound_minutes: float
    """From the answers to the ends of calls."""
    prompt_tokens: int
    """Those that were cached included."""
    sms: int
    """Parts of text messages that were sent."""
    transcriber_minutes: float
    """Sound that was transcribed."""
    unpriced_calls: int
    """Calls that used something without a price, which is not in the cost."""


class VerificationDocument(TypedDict):
    content_type: Literal["application/pdf", "image/jpeg", "image/png"]
    """Recognised by its content."""
    created_at: str
    document_id: str
    document_type: Literal["company-registration", "proof-of-address", "copy-id"]
    error: str | None
    """Why it was refused."""
    external_file_id: str | None
    file_url: str
    size: int
    """Bytes."""
    status: Literal["stored", "uploaded", "refused"]
    """stored: with us; uploaded: with the carrier; refused: by our virus scanner or the carrier, delete it and upload
    another."""


class VerificationDocumentList(TypedDict):
    data: list[VerificationDocument]
    pagination: PaginationMeta


class VerificationGroup(TypedDict):
    address_error: str | None
    """Why the carrier refused the address."""
    business_name: str
    city: str
    contact_person_first_name: str
    contact_person_last_name: str
    contact_person_phone: str
    created_at: str
    description: str | None
    documents: list[VerificationDocument]
    external_address_id: str | None
    external_company_registration_file_id: str | None
    external_identification_file_id: str | None
    external_proof_of_address_file_id: str | None
    house_number: str
    name: str
    postal_code: str
    province: str
    rejection_reason: str | None
    reviewed_at: str | None
    status: Literal["pending", "approved", "rejected"]
    """pending until it is submitted and decided."""
    street_name: str
    submitted_at: str | None
    updated_at: str
    verification_group_id: str


class VerificationGroupInput(TypedDict):
    business_name: str
    """As the company registration shows it."""
    city: str
    contact_person_first_name: str
    contact_person_last_name: str
    contact_person_phone: str
    """A Dutch number, with or without its country code."""
    description: NotRequired[str]
    house_number: str
    """With its suffix."""
    name: str
    postal_code: str
    """Four digits and two letters, in any spacing and case."""
    province: str
    street_name: str


class VerificationGroupList(TypedDict):
    data: list[VerificationGroup]
    pagination: PaginationMeta


class VerificationGroupName(TypedDict):
    id: str
    name: str | None


class VoiceChunkPlanFormatPlanReplacementsOptions(TypedDict):
    enabled: NotRequired[bool | None]
    """Whether it counts."""
    type: NotRequired[Literal["ignore-case", "multi-line", "whole-word", "strict"] | None]
    """strict: the whole text."""


class VoiceChunkPlanFormatPlanReplacements(TypedDict):
    key: NotRequired[str | None]
    """Of exact: the text."""
    options: NotRequired[list[VoiceChunkPlanFormatPlanReplacementsOptions] | None]
    """Of regex: how it is matched."""
    regex: NotRequired[str | None]
    """Of regex: a regular expression of RE2."""
    replaceAllEnabled: NotRequired[bool | None]
    """Of exact: every time, not only the first."""
    type: NotRequired[Literal["exact", "regex"] | None]
    """exact looks for key, regex for regex."""
    value: NotRequired[str | None]
    """What is read in its place."""


class VoiceChunkPlanFormatPlan(TypedDict):
    """Amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read out in Dutch,
    English or German. The transcript keeps what was written."""

    enabled: NotRequired[bool | None]
    """Whether they are."""
    formattersEnabled: NotRequired[list[Literal["markdown", "asterisk", "stripAsterisk", "quote", "dash", "newline", "colon", "acronym", "dollarAmount", "email", "date", "time", "distance", "unit", "percentage", "phoneNumber", "number"]] | None]
    """What is formatted; all by default."""
    numberToDigitsCutoff: NotRequired[int | None]
    """Whole numbers above are read digit by digit."""
    replacements: NotRequired[list[VoiceChunkPlanFormatPlanReplacements] | None]
    """Words that are read in your own way."""


class VoiceChunkPlan(TypedDict):
    """How replies are read aloud."""

    enabled: NotRequired[bool | None]
    """false: nothing is formatted."""
    formatPlan: NotRequired[VoiceChunkPlanFormatPlan | None]
    """Amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read out in Dutch,
    English or German. The transcript keeps what was written."""
    minCharacters: NotRequired[int | None]
    """Kept and not used: replies are spoken by sentences."""
    punctuationBoundaries: NotRequired[list[str] | None]
    """Kept and not used."""


class Voice(TypedDict):
    """Who speaks. Keys of the service's own are kept. Markdown is never read out."""

    cachingEnabled: NotRequired[bool | None]
    """Kept and not used: what is said again is always kept for a while."""
    chunkPlan: NotRequired[VoiceChunkPlan | None]
    """How replies are read aloud."""
    fallbackPlan: NotRequired[dict[str, Any] | None]
    """Kept and not used: the deployment's other services stand in."""
    model: NotRequired[str | None]
    """The service's model."""
    provider: NotRequired[str | None]
    """The service; the deployment's first choice by default."""
    voiceId: NotRequired[str | None]
    """The service's voice."""


class VoicemailDetectionPlanBackoffPlan(TypedDict):
    """Until when a machine is looked for, in place of machineDetectionTimeout: startAtSeconds + frequencySeconds ×
    maxRetries. Between the looks is listened, too."""

    frequencySeconds: NotRequired[float | None]
    """Seconds."""
    maxRetries: NotRequired[int | None]
    """How often is looked."""
    startAtSeconds: NotRequired[float | None]
    """Seconds after the answer."""


class VoicemailDetectionPlan(TypedDict):
    """What happens when no person takes an outgoing call. Persons, answering machines, menus, call screeners and faxes
    are told apart by words, timing, tones and, where these leave it open, by the language model."""

    backoffPlan: NotRequired[VoicemailDetectionPlanBackoffPlan | None]
    """Until when a machine is looked for, in place of machineDetectionTimeout: startAtSeconds + frequencySeconds ×
    maxRetries. Between the looks is listened, too."""
    beepMaxAwaitSeconds: NotRequired[float | None]
    """Seconds after the answer that the message waits for the beep."""
    enabled: NotRequired[bool | None]
    """false: the call goes on as with a person."""
    machineDetectionSilenceTimeout: NotRequired[float | None]
    """Milliseconds of nobody speaking after which the assistant greets; 1500 by default."""
    machineDetectionSpeechEndThreshold: NotRequired[float | None]
    """Milliseconds behind a greeting that is no person's for certain, after which it is decided; 1500 by default."""
    machineDetectionSpeechThreshold: NotRequired[float | None]
    """Kept and not used; milliseconds."""
    machineDetectionTimeout: NotRequired[float | None]
    """Seconds after the answer from which on speech that begins proves nothing; 10 by default."""
    menu: NotRequired[Literal["press-keys", "hang-up"] | None]
    """What happens in a menu: the assistant presses keys where it may (dial_keypad_function_enabled), or hangs up."""
    mode: NotRequired[Literal["detect", "leave-message"] | None]
    """detect hangs up; leave-message, the default where there is a voicemail_message, speaks it behind the beep."""
    provider: NotRequired[str | None]
    """Kept and not used."""
    type: NotRequired[Literal["audio", "transcript"] | None]
    """Kept and not used."""
    voicemailDetectionTypes: NotRequired[list[str] | None]
    """What is looked for; a list without one that begins with machine turns detection off."""


class WebCall(TypedDict):
    call_id: str
    sdp: str
    """The answer, with all candidates. The call is answered once the browser has connected."""


class WebCallInput(TypedDict):
    assistant_id: NotRequired[str]
    """Whom to talk with; with a web token the assistant of that."""
    contact_id: NotRequired[str]
    """Who is calling, where that is one of your contacts. Not with a web token, which names the contact itself."""
    sdp: str
    """The offer of a browser: one audio stream with G.722 or G.711, and one data channel."""
    variables: NotRequired[dict[str, str]]
    """What fills {{name}} in the assistant's messages. Those of a web token win."""
    visitor: NotRequired[str]
    """What a caller who is no contact is named: contact_phone_number is web:VISITOR. Default: visitor."""


class WebToken(TypedDict):
    assistant_id: str
    calls: int
    """How many it has made."""
    contact_id: str | None
    created_at: str
    expires_at: str
    id: str
    max_calls: int
    mode: Literal["live", "test"]
    """That of the key that made it."""
    origins: list[str]
    """Whose pages may use it."""
    prefix: str
    """The first characters of its text."""
    variables: dict[str, str]


class WebTokenCreateInput(TypedDict):
    assistant_id: str
    """The one assistant that it reaches."""
    contact_id: NotRequired[str]
    """Who is calling, where you know that: one of your contacts."""
    max_calls: NotRequired[int]
    """How many; default 1."""
    origins: list[str]
    """The origins of the pages that may use it."""
    ttl_seconds: NotRequired[int]
    """How long calls may be begun with it; default 600."""
    variables: NotRequired[dict[str, str]]
    """What fills {{name}} in the assistant's messages. The page cannot change these."""


class WebTokenList(TypedDict):
    data: list[WebToken]
    pagination: PaginationMeta


class Webhook(TypedDict):
    disabled_reason: str | None
    """Why it was disabled, by you or by us."""
    enabled: bool
    events: list[str]
    """The types that are sent."""
    secret: NotRequired[str]
    """Signs the events. Returned once, when the first URL is set; rotate it for another."""
    url: str | None
    """null: nowhere."""


class WebhookAnalysis(TypedDict):
    structuredData: NotRequired[Any]
    """By the JSON Schema of the plan."""
    structuredDataMulti: NotRequired[Any]
    """A list of {key: data}, one for each entry of structuredDataMultiPlan."""
    successEvaluation: NotRequired[str]
    """By the rubric of the plan; true or false by default."""
    summary: NotRequired[str]


class WebhookArtifact(TypedDict):
    latency: NotRequired[WebhookLatency]
    """How long the caller waited for replies, by stage."""
    messages: list[WebhookReportMessage]
    """The same as messages of the report."""
    messagesOpenAIFormatted: list[WebhookOpenAIMessage]
    """The same in the form of OpenAI's chat completions."""
    performanceMetrics: WebhookPerformanceMetrics
    """The same, as servers of this field read it."""
    providerFailures: NotRequired[list[ReportFailure]]
    """Vendors that failed, hung or were not asked, and who stood in for them; missing where all served. The same as
    providers.failures of the call."""
    recording: NotRequired[WebhookRecording]
    recordingMissingSeconds: NotRequired[float]
    """How many seconds of the call the recording lacks, which is all of it where one was to be made and is none."""
    recordingUrl: NotRequired[str]
    """The same as recordingUrl of the report."""
    stereoRecordingUrl: NotRequired[str]
    """The same as recordingUrl."""
    transcript: str
    """The same as transcript of the report."""
    transfers: NotRequired[list[WebhookTransfer]]
    """The transfers that were tried."""


class WebhookAssistant(TypedDict):
    id: NotRequired[str]
    name: str


class WebhookAssistantOverrides(TypedDict):
    variableValues: dict[str, str]
    """The variables of the call."""


class WebhookAssistantRequest(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["assistant-request"]
    """What happened."""


class WebhookAssistantRequestResponseAssistantOverrides(TypedDict):
    """Fields that differ from those of the assistant, in this call."""

    variableValues: NotRequired[dict[str, Any]]
    """They fill {{name}} in messages and instructions."""


class WebhookAssistantRequestResponse(TypedDict):
    """One of assistantId, assistant, destination and error; without any the linked assistant takes the call. It may
    stand in messageResponse too."""

    assistant: NotRequired[dict[str, Any]]
    """An assistant for this call alone, with the fields of AssistantInput, in camelCase or snake_case."""
    assistantId: NotRequired[str]
    """One of your assistants."""
    assistantOverrides: NotRequired[WebhookAssistantRequestResponseAssistantOverrides]
    """Fields that differ from those of the assistant, in this call."""
    destination: NotRequired[TransferDestination]
    """The caller is transferred there as soon as the call is answered."""
    error: NotRequired[str]
    """Words that the caller hears, after which the call ends."""


class WebhookBudget(TypedDict):
    amount: float
    """The budget in US dollars."""
    month: str
    """In timeZone."""
    percent: Literal[80, 100]
    """The threshold. From 100 on, calls are refused that you make, and those that come in go on."""
    spent: float
    """What the month's calls cost until then, in US dollars."""
    timeZone: str


class WebhookBudgetReached(TypedDict):
    budget: WebhookBudget
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["budget-reached"]
    """What happened."""


class WebhookCall(TypedDict):
    assistantId: NotRequired[str]
    """Missing where no assistant of yours had the call."""
    assistantOverrides: NotRequired[WebhookAssistantOverrides]
    callStatus: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    """call_status of the API."""
    createdAt: str
    customData: Any
    """custom_data as it was given; an object."""
    endedAt: NotRequired[str]
    endedFault: NotRequired[Literal["customer", "assistant", "carrier", "provider", "config", "platform"]]
    """Who ended it or whose failure did."""
    endedReason: NotRequired[str]
    """Why the call ended, such as customer-ended-call."""
    id: str
    """call_id of the API."""
    orgId: str
    """Your account."""
    phoneCallTransport: NotRequired[Literal["sip"]]
    """Missing in a webCall."""
    phoneNumberId: NotRequired[str]
    """Missing in a webCall."""
    scheduledCallId: NotRequired[str]
    """The scheduled call that made it."""
    startedAt: NotRequired[str]
    """When it was answered."""
    status: Literal["queued", "ringing", "in-progress", "forwarding", "ended"]
    """The word that servers of this field switch on; callStatus says how a call ended."""
    type: Literal["inboundPhoneCall", "outboundPhoneCall", "webCall"]
    """webCall: a browser, which has no number of ours."""
    updatedAt: str


class WebhookCallCommand(TypedDict):
    error: NotRequired[str]
    """Why it failed."""
    id: str
    """The id that the request was answered with."""
    status: Literal["pending", "done", "failed"]
    type: Literal["say", "add-message", "end-call", "transfer"]


class WebhookCallCommandUpdate(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    command: WebhookCallCommand
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["call-command-update"]
    """What happened."""


class WebhookCallListener(TypedDict):
    apiKeyId: NotRequired[str]
    """Id of the key; missing where a member signed in."""
    id: str
    mode: Literal["listen", "whisper", "barge"]
    """listen: unheard by all; whisper: the assistant follows what they say, the caller hears nothing; barge: they
    speak to the caller in the assistant's place."""
    personId: NotRequired[str]
    """Id of the member; missing where a key was used."""
    status: Literal["joined", "left"]
    """joined also where the mode has changed since."""


class WebhookCallListenerUpdate(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    listener: WebhookCallListener
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["call-listener-update"]
    """What happened."""


class WebhookCustomer(TypedDict):
    contactId: NotRequired[str]
    """contact_id of the API, where the person is a contact."""
    name: NotRequired[str]
    number: str
    """E.164; empty of a caller who withholds it."""


class WebhookDestination(TypedDict):
    number: NotRequired[str]
    """E.164."""
    sipUri: NotRequired[str]
    type: Literal["number", "sip"]


class WebhookEndOfCallReport(TypedDict):
    analysis: WebhookAnalysis
    """What the language model made of the conversation, by the assistant's analysis_plan."""
    artifact: WebhookArtifact
    """What the call left behind."""
    assistant: NotRequired[WebhookReportAssistant]
    """Missing where none had the call."""
    call: WebhookCall
    callStatus: Literal["completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    """How the call ended."""
    cost: float
    """US dollars; the sum of costs."""
    costBreakdown: CostBreakdown
    """The same by type."""
    costs: list[Cost]
    """What the call cost until now, by service, at the prices of its start. Messages that are sent after the report
    are added to the call."""
    customer: WebhookCustomer
    destination: NotRequired[WebhookDestination]
    """Where the call was transferred to."""
    durationSeconds: float
    """Seconds from the answer to the end."""
    endedAt: NotRequired[str]
    endedFault: Literal["customer", "assistant", "carrier", "provider", "config", "platform"] | None
    """Who ended it or whose failure did."""
    endedReason: str | None
    """Why the call ended, such as customer-ended-call."""
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    messages: list[WebhookReportMessage]
    """The conversation, in its order."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    recordingUrl: NotRequired[str]
    """A stereo WAV, the caller left and the assistant right, or who the caller was put through to. The link opens
    without a key for 7 days."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    startedAt: NotRequired[str]
    """When it was answered."""
    stereoRecordingUrl: NotRequired[str]
    """The same as recordingUrl."""
    summary: NotRequired[str]
    """The same as analysis.summary."""
    tasks: list[WebhookTask]
    """All that followed from the call."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    transcript: str
    """The conversation as text: a line for each turn, which begins with AI: or User:."""
    type: Literal["end-of-call-report"]
    """What happened."""


class WebhookEndpointing(TypedDict):
    continues: NotRequired[float]
    """The probability, by words and melody, that the caller would go on; missing where neither was asked."""
    rule: Literal["evidence", "wait-function", "wait-seconds", "custom-rule", "punctuation", "number", "no-punctuation", "server", "menu", "keypad", "backoff"]
    """What decided how long the assistant waited: the words and the melody (evidence, or wait-function over them),
    waitSeconds, one of customEndpointingRules, transcriptionEndpointingPlan (punctuation, number, no-punctuation),
    your server (custom-endpointing-model), a machine's menu, an entry on the keypad, or the silence kept after an
    interruption (backoff)."""
    waitMs: int
    """How long it wanted the caller to be silent; behind the words by custom-rule, punctuation, number, no-punctuation
    and menu."""


class WebhookEndpointingRequest(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    messages: list[WebhookReportMessage]
    """The conversation so far; the caller's words before the pause come last."""
    messagesOpenAIFormatted: list[WebhookOpenAIMessage]
    """The same in the form of OpenAI's chat completions."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["call.endpointing.request"]
    """What happened."""


class WebhookEndpointingResponse(TypedDict):
    timeoutSeconds: float
    """For how long the caller may go on, in seconds from the pause."""


class WebhookGuess(TypedDict):
    atMs: int
    """When it was begun."""
    completionTokens: int
    """Of a guess that was thrown away."""
    estimated: NotRequired[bool]
    """The model did not tell its tokens: they are estimated from the length of the text."""
    promptTokens: int
    """Of a guess that was thrown away."""
    used: bool
    """It is the reply that was heard; else it was thrown away unheard."""
    words: str
    """The words of the caller that it was to answer."""


class WebhookGuesses(TypedDict):
    made: int
    tokensEstimated: NotRequired[bool]
    """The model did not tell its tokens: some of the wasted ones are estimated."""
    used: int
    wastedTokens: int
    """Of those that were thrown away."""


class WebhookHang(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["hang"]
    """What happened."""


class WebhookInput(TypedDict):
    disabled_reason: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    enabled: NotRequired[bool]
    """Default true."""
    events: NotRequired[list[Literal["status-update", "end-of-call-report", "call-command-update", "call-listener-update", "scheduled-call-failed", "sip-connection-stopped", "budget-reached", "transcript", "speech-update", "user-interrupted", "hang", "transfer-update", "assistant-request", "tool-calls", "call.endpointing.request"]]]
    """Types to send; default status-update and end-of-call-report. transcript, speech-update, user-interrupted, hang
    and transfer-update are stored only for accounts that name them here, with or without a URL. assistant-request
    is a question: while a call rings, your server has 7.5 seconds to respond with {assistantId} or {assistant:
    {…}}, either with {assistantOverrides: {variableValues, …}}, {destination: {number or sipUri, message}} to
    have the caller transferred there at once, or {error: a text for the caller}; otherwise the linked assistant
    takes the call."""
    url: str | None
    """An http or https URL; null: nowhere."""


class WebhookLatency(TypedDict):
    guesses: WebhookGuesses
    p50Ms: int
    p95Ms: int
    stages: WebhookLatencyStages
    turns: int
    """Answers that were heard."""


class WebhookLatencyStages(TypedDict):
    endpointing: WebhookQuantiles
    """From there until the caller's turn counted as over."""
    model: WebhookQuantiles
    """From there to the first token; 0 where the reply was begun ahead."""
    transcriber: WebhookQuantiles
    """From the end of speech to the last words."""
    voice: WebhookQuantiles
    """From there to the first sound."""


class WebhookOpenAIMessage(TypedDict):
    content: str
    role: Literal["assistant", "user", "system", "tool"]
    tool_call_id: NotRequired[str]
    tool_calls: NotRequired[list[WebhookOpenAIToolCall]]


class WebhookOpenAIToolCall(TypedDict):
    function: WebhookToolCallFunction
    id: str
    type: Literal["function"]


class WebhookPerformanceMetrics(TypedDict):
    endpointingLatencyAverage: float
    modelLatencyAverage: float
    numAssistantInterrupted: int
    """How often the caller cut the assistant off."""
    transcriberLatencyAverage: float
    turnLatencies: list[WebhookTurnLatency]
    """Of the answers to the caller, in their order."""
    turnLatencyAverage: float
    voiceLatencyAverage: float


class WebhookPhoneNumber(TypedDict):
    credentialId: str
    """The same as id, for servers of this field."""
    id: str
    number: str
    """Ours: E.164."""
    provider: str
    """byo-phone-number, for servers of this field."""


class WebhookQuantiles(TypedDict):
    p50Ms: int
    p95Ms: int


class WebhookRecording(TypedDict):
    stereoUrl: str
    """The same as recordingUrl."""


class WebhookReportAssistant(TypedDict):
    id: NotRequired[str]
    """Missing of one that your server made up."""
    metadata: NotRequired[dict[str, Any]]
    """The assistant's, as it was when the call began."""
    name: str


class WebhookReportMessage(TypedDict):
    interrupted: NotRequired[bool]
    """The assistant was cut off after this text."""
    message: str
    """What was said; empty of tools."""
    name: NotRequired[str]
    """Of tool_call_result: the tool."""
    result: NotRequired[str]
    """Of tool_call_result: what it returned, or why it failed."""
    role: Literal["bot", "user", "system", "tool_calls", "tool_call_result"]
    """bot is the assistant."""
    secondsFromStart: float
    """Seconds from the answer."""
    time: int
    """Unix time in milliseconds."""
    timing: NotRequired[WebhookTiming]
    """Of the assistant's answers to the caller: when and why they came."""
    toolCallId: NotRequired[str]
    """Of tool_call_result: the id of the call."""
    toolCalls: NotRequired[list[WebhookToolCall]]
    """Of tool_calls: what the assistant called."""


class WebhookSIPConnection(TypedDict):
    id: str
    lastError: NotRequired[str]
    """What the last registration failed of."""
    providerName: str
    reason: Literal["failed-for-a-day", "number-taken-back"]
    sipCode: NotRequired[int]
    """The SIP response to it."""


class WebhookSIPConnectionStopped(TypedDict):
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: WebhookPhoneNumber
    sequence: int
    """Its position in your account's sequence, without gaps."""
    sipConnection: WebhookSIPConnection
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["sip-connection-stopped"]
    """What happened."""


class WebhookScheduledCall(TypedDict):
    assistantId: str
    contactId: str
    id: str
    scheduledTime: str


class WebhookScheduledCallFailed(TypedDict):
    assistant: WebhookAssistant
    cause: Literal["assistant-deleted", "contact-deleted", "no-phone-number", "destination-not-allowed", "budget-exhausted"]
    """Why there is no call."""
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    explanation: str
    """The same in a sentence, which the scheduled call shows too."""
    scheduledCall: WebhookScheduledCall
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["scheduled-call-failed"]
    """What happened."""


class WebhookSecret(TypedDict):
    secret: str


class WebhookSecretRotation(TypedDict):
    end_old: NotRequired[bool]
    """The old secret ends at once, without its day of grace: for a secret that somebody else may know."""


class WebhookSpeechUpdate(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    role: Literal["user", "assistant"]
    """Who speaks."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    status: Literal["started", "stopped"]
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    turn: int
    """Turns before this one."""
    type: Literal["speech-update"]
    """What happened."""


class WebhookStatusUpdate(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    callStatus: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    """call_status of the API: how a call ended that has ended."""
    customer: WebhookCustomer
    destination: NotRequired[WebhookDestination]
    """Where a call goes that is being transferred."""
    endedReason: NotRequired[str]
    """Why the call ended, such as customer-ended-call."""
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    status: Literal["queued", "ringing", "in-progress", "forwarding", "ended"]
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["status-update"]
    """What happened."""


class WebhookTask(TypedDict):
    endsAt: NotRequired[str]
    """Of an appointment."""
    id: str
    """Of the tool call, appointment, message or contact."""
    name: NotRequired[str]
    """The tool, or the type of the appointment."""
    startsAt: NotRequired[str]
    """Of an appointment."""
    status: Literal["queued", "sending", "sent", "completed", "failed"]
    """How far it was when the report was written: sms and email are queued, sending, sent or failed, the others
    completed or failed."""
    to: NotRequired[str]
    """Who is written to: a phone number in E.164, or an e-mail address."""
    type: Literal["tool-call", "appointment", "sms", "email", "contact-update"]
    """What was done."""


class WebhookTiming(TypedDict):
    endpointing: WebhookEndpointing
    firstSoundMs: int
    """When the assistant began to be heard."""
    firstTokenMs: NotRequired[int]
    """When the model's first token came: before turnEndedMs where the reply was begun ahead, after firstSoundMs where
    the caller was asked for patience. Missing: none came."""
    guesses: NotRequired[list[WebhookGuess]]
    """Replies that were begun before the turn was over."""
    lastWordsMs: int
    """When the transcriber gave the caller's last words."""
    speechEndedMs: int
    """When the caller fell silent."""
    tokensEstimated: NotRequired[bool]
    """The model did not tell its tokens: some of the wasted ones are estimated."""
    turnEndedMs: int
    """When the caller's turn counted as over."""
    wastedTokens: int
    """Tokens of the guesses that were thrown away, of the prompt and of the reply."""


class WebhookToolCall(TypedDict):
    function: WebhookToolCallFunction
    id: str
    """Name it as toolCallId in the response."""
    name: str
    """The same as function.name."""
    parameters: Any
    """The arguments as an object."""
    type: Literal["function"]


class WebhookToolCallFunction(TypedDict):
    arguments: str
    """A JSON object as a string."""
    name: str


class WebhookToolCalls(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    toolCallList: list[WebhookToolCall]
    """What is to be run."""
    toolCalls: list[WebhookToolCall]
    """The same as toolCallList, for older servers."""
    toolWithToolCallList: list[WebhookToolWithToolCall]
    """The same beside the tool as it is configured."""
    type: Literal["tool-calls"]
    """What happened."""


class WebhookToolCallsResponseResults(TypedDict):
    error: NotRequired[Any]
    """Why it failed, in place of result."""
    message: NotRequired[ToolMessage]
    """What the assistant says, in place of a reply of the model. A list counts by its first."""
    name: NotRequired[str]
    """The tool; not read."""
    result: NotRequired[Any]
    """What the tool returns: a text, or any JSON. The model reads it."""
    toolCallId: NotRequired[str]
    """The id of the tool call. A lone result may leave it out."""


class WebhookToolCallsResponse(TypedDict):
    """A result for each tool call that was asked for."""

    results: NotRequired[list[WebhookToolCallsResponseResults]]


class WebhookToolFunction(TypedDict):
    description: NotRequired[str]
    name: str
    parameters: Any
    """The JSON Schema of the arguments."""


class WebhookToolServer(TypedDict):
    url: str


WebhookToolWithToolCall = TypedDict(
    "WebhookToolWithToolCall",
    {
        'async': 'bool',
        'function': 'WebhookToolFunction',
        'messages': 'NotRequired[Any]',
        'server': 'NotRequired[WebhookToolServer]',
        'toolCall': 'WebhookToolCall',
        'type': 'Literal["function"]',
    },
)


class WebhookTranscript(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    role: Literal["user", "assistant"]
    secondsFromStart: float
    """Seconds from the answer."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    transcript: str
    """What was said."""
    transcriptType: Literal["final"]
    """What is not final is not sent."""
    type: Literal["transcript"]
    """What happened."""


class WebhookTransfer(TypedDict):
    destination: WebhookDestination
    leg: NotRequired[SecondLeg]
    """The telephone that was rung, where the caller was put through by us and not by the carrier."""
    mode: Literal["blind-transfer", "blind-transfer-add-summary-to-sip-header", "warm-transfer-say-message", "warm-transfer-say-summary", "warm-transfer-wait-for-operator-to-speak-first-and-then-say-message", "warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary", "warm-transfer-experimental"]
    """blind-transfer: nobody was spoken to before."""
    status: Literal["completed", "failed"]
    """failed also where the caller hung up meanwhile."""
    time: int
    """Unix time in milliseconds."""


class WebhookTransferUpdate(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    destination: WebhookDestination
    error: NotRequired[str]
    """Why it failed."""
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    status: Literal["started", "completed", "failed"]
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["transfer-update"]
    """What happened."""


class WebhookTurnLatency(TypedDict):
    endpointingLatency: int
    """From there until the turn counted as over."""
    modelLatency: int
    """To its first token, in milliseconds."""
    transcriberLatency: int
    """From the end of speech to its last words."""
    turnLatency: int
    """The sum: from the end of speech to the first sound."""
    voiceLatency: int
    """From there to the first sound."""


class WebhookUserInterrupted(TypedDict):
    assistant: NotRequired[WebhookAssistant]
    call: WebhookCall
    customer: WebhookCustomer
    eventId: str
    """The same as webhook-id: an event that comes twice has the same."""
    phoneNumber: NotRequired[WebhookPhoneNumber]
    """Missing in a webCall."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    timestamp: int
    """When it happened: Unix time in milliseconds."""
    type: Literal["user-interrupted"]
    """What happened."""


WebhookMessage: TypeAlias = "WebhookAssistantRequest | WebhookBudgetReached | WebhookCallCommandUpdate | WebhookCallListenerUpdate | WebhookEndpointingRequest | WebhookEndOfCallReport | WebhookHang | WebhookScheduledCallFailed | WebhookSIPConnectionStopped | WebhookSpeechUpdate | WebhookStatusUpdate | WebhookToolCalls | WebhookTranscript | WebhookTransferUpdate | WebhookUserInterrupted"
"""What an event carries; the member "type" tells which."""
