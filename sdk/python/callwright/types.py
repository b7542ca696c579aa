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


class ApiKeyCreateInputBody(TypedDict):
    expires_at: NotRequired[str]
    """When it stops working; default when the calling key does, if ever."""
    mode: NotRequired[Literal["live", "test"]]
    """Default live."""
    name: NotRequired[str]
    """What the key is for."""
    scopes: NotRequired[list[Literal["read", "write", "admin"]]]
    """What it may do; each scope contains those before it: read, write, admin. Default write."""


class ApiKeyRotateInputBody(TypedDict):
    expires_at: NotRequired[str]
    """When the new key stops working; default when the old one would have."""
    revoke_now: NotRequired[bool]
    """The key stops working at once, without the day of grace."""


class AppointmentType(TypedDict):
    description: NotRequired[str]
    """Tells the assistant when this type is meant."""
    duration: int
    """Minutes."""
    name: str


class Assistant(TypedDict):
    analysis_plan: dict[str, Any] | None
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
    compliance_plan: dict[str, Any] | None
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
    keypad_input_plan: dict[str, Any] | None
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: bool
    llm_content: str
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: int
    """Longest call, in seconds."""
    message_plan: dict[str, Any] | None
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: dict[str, Any] | None
    """Yours; stored and returned unchanged."""
    model: dict[str, Any] | None
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
    start_speaking_plan: dict[str, Any] | None
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for."""
    stop_speaking_plan: dict[str, Any] | None
    """numWords, voiceSeconds, backoffSeconds, acknowledgementPhrases, interruptionPhrases."""
    transcriber: dict[str, Any] | None
    """provider, model, language."""
    updated_at: str
    voice: dict[str, Any] | None
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: str
    """A voice of the library; earlier form."""
    voicemail_detection: Any
    """off, detect, leave-message or a plan; null: leave-message where there is a message, else detect."""
    voicemail_message: str
    """Left on voicemail."""


class AssistantBody(TypedDict):
    analysis_plan: NotRequired[dict[str, Any]]
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
    compliance_plan: NotRequired[dict[str, Any]]
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
    keypad_input_plan: NotRequired[dict[str, Any]]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool]
    llm_content: NotRequired[str]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int]
    """Longest call, in seconds."""
    message_plan: NotRequired[dict[str, Any]]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any]]
    """Yours; kept and answered as it is."""
    model: NotRequired[dict[str, Any]]
    """provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60,
    default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server
    {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name,
    description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."""
    notifications_email: NotRequired[str]
    post_call_email_enabled: NotRequired[bool]
    post_call_emails: NotRequired[list[str] | None]
    server: NotRequired[AssistantServerIn]
    server_url_type: NotRequired[Literal["external"]]
    sms_message: NotRequired[str]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[dict[str, Any]]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for."""
    stop_speaking_plan: NotRequired[dict[str, Any]]
    """numWords, voiceSeconds, backoffSeconds, acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[dict[str, Any]]
    """provider, model, language."""
    voice: NotRequired[dict[str, Any]]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Any]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold}; other
    keys are kept and not used. Persons, answering machines, menus, call screeners and faxes are told apart by
    words, timing, tones and, where these leave it open, by the language model. In a menu the assistant presses keys
    where it may (dial_keypad_function_enabled); a screener is told who calls and why."""
    voicemail_message: NotRequired[str]
    """Left on voicemail."""


class AssistantServer(TypedDict):
    events: list[str]
    """The types that are sent."""
    headers: NotRequired[dict[str, str]]
    timeout_seconds: int
    url: str


class AssistantServerIn(TypedDict):
    events: NotRequired[list[Literal["status-update", "end-of-call-report", "call-command-update", "sip-connection-stopped", "transcript", "speech-update", "user-interrupted", "hang", "transfer-update", "assistant-request", "tool-calls"]]]
    """Types to send; default status-update and end-of-call-report."""
    headers: NotRequired[dict[str, str]]
    """Sent with every event, such as X-Vapi-Secret for a server that checks it."""
    secret: NotRequired[str]
    """Signs this server's events (Standard Webhooks). whsec_ and base64, or any text, whose bytes are the key. Without
    one your account's secret signs."""
    timeout_seconds: NotRequired[int]
    url: str
    """An http or https URL."""


class AvailableNumbersOutputBody(TypedDict):
    data: list[AvailablePhoneNumber]
    pagination: StockPagination


class AvailablePhoneNumber(TypedDict):
    country: str
    locality: str | None
    monthly_cost_credits: int
    """The order pays the first month; nothing renews yet."""
    phone_number: str
    type: Literal["local", "mobile", "national"]


class Body(TypedDict):
    code: str
    """Stable word for programs."""
    details: dict[str, str]
    """What is wrong, by field; may be empty."""
    message: str
    """Sentence for a developer."""


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


class Call(TypedDict):
    analysis_error: str | None
    """What the analysis could not find out, and why."""
    analysis_status: Literal["pending", "done", "failed"] | None
    """Null: there was nothing to analyze, or no model to do it."""
    assistant_id: str
    assistant_name: str
    call_id: str
    call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    contact_id: str | None
    contact_name: str | None
    contact_phone_number: str
    """Empty once the person is erased."""
    created_at: str
    custom_data: dict[str, Any]
    direction: Literal["inbound", "outbound"]
    duration_seconds: float
    """From when it was answered to its end."""
    ended_at: str | None
    ended_fault: Literal["customer", "assistant", "carrier", "provider", "config", "platform"] | None
    ended_reason: str | None
    error: str | None
    explanation: str | None
    """Why a queued call waits; null when it does not."""
    phone_number: str
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
    assistant_id: str
    assistant_name: str
    call_id: str
    call_status: Literal["queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed", "canceled"]
    contact_id: str | None
    contact_name: str | None
    contact_phone_number: str
    """Empty once the person is erased."""
    created_at: str
    custom_data: dict[str, Any]
    direction: Literal["inbound", "outbound"]
    duration_seconds: float
    """From when it was answered to its end."""
    ended_at: str | None
    ended_fault: Literal["customer", "assistant", "carrier", "provider", "config", "platform"] | None
    ended_reason: str | None
    error: str | None
    explanation: str | None
    """Why a queued call waits; null when it does not."""
    latency: Latency | None
    """How long the caller waited for replies."""
    media: Media | None
    """Quality of the audio; null if the call was not connected."""
    phone_number: str
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


class CallDirectInputBody(TypedDict):
    assistant_id: str
    contact_id: NotRequired[str]
    """Whom to call. Give this or contact_phone_number."""
    contact_phone_number: NotRequired[str]
    """The number to call, E.164. Give this or contact_id."""
    custom_data: NotRequired[dict[str, Any]]
    """Yours: comes back in events, and its texts and numbers fill {{name}} in messages."""


class CallMessageInputBody(TypedDict):
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


class CallsPerNumber(TypedDict):
    limit: int | None
    """Calls to one number within an hour, transfers included; null: no limit. One more is refused with 403
    destination_not_allowed, reason calls_per_number. Test calls do not count."""


class CommandMessage(TypedDict):
    content: str
    role: Literal["system", "user", "assistant"]


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


class ContactCreateInputBody(TypedDict):
    address: NotRequired[str | None]
    email: NotRequired[str | None]
    full_name: NotRequired[str | None]
    last_interaction_at: NotRequired[str | None]
    """A time of ISO 8601; without an offset it is UTC."""
    last_interaction_summary: NotRequired[str | None]
    org_id: NotRequired[str | None]
    phone_number: str
    """E.164."""


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


class ContactUpdateInputBody(TypedDict):
    address: NotRequired[str | None]
    contact_id: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    created_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    email: NotRequired[str | None]
    full_name: NotRequired[str | None]
    last_interaction_at: NotRequired[str | None]
    """A time of ISO 8601; without an offset it is UTC."""
    last_interaction_summary: NotRequired[str | None]
    meeting_date: NotRequired[str | None]
    """A time of ISO 8601; without an offset it is UTC."""
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
    pagination: Pagination


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


class Error(TypedDict):
    error: Body


class Event(TypedDict):
    attempts: int
    call_id: str | None
    created_at: str
    delivery: Literal["none", "pending", "delivered", "dead"]
    """none: no server subscribes to it."""
    id: str
    """The webhook-id of its deliveries."""
    message: Any
    """What your server receives under message, without eventId and sequence."""
    sequence: int
    """Its position in your account's sequence, without gaps."""
    type: str


class EventReplay(TypedDict):
    count: int
    """Events that are sent again."""


EventReplayInputBody = TypedDict(
    "EventReplayInputBody",
    {
        "call_id": "NotRequired[str]",
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
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


class FaqGenerateInputBody(TypedDict):
    count: NotRequired[int]
    """Maximum number of questions."""
    text: NotRequired[str]
    """What is known about the company; bounded by the size of the body, 1 MiB. A model is shown the first 48,000
    characters."""
    website_url: NotRequired[str]
    """A website, read from this page on: up to 30 pages that its robots.txt allows."""


class FaqsGenerated(TypedDict):
    faqs: list[FAQ]


class GroupFields(TypedDict):
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


class GroupName(TypedDict):
    id: str
    name: str | None


class GroupOrderInputBody(TypedDict):
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


class InstantAgentBody(TypedDict):
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
    faqs: NotRequired[list[InstantFAQ] | None]
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


class InstantFAQ(TypedDict):
    answer: str
    question: str


class KnowledgeAnswer(TypedDict):
    content: str
    """Its passages that match best, up to three."""
    id: str
    """Id of the document."""
    score: float
    """How well it matches, 0 to 1: how much of the question's words it covers or, where an embedding model is
    configured, how far ahead it is by words and meaning together."""
    title: str


class KnowledgeCreateInputBody(TypedDict):
    answer: NotRequired[str]
    assistant_id: NotRequired[str]
    """Only this assistant uses it."""
    question: NotRequired[str]
    text: NotRequired[str]
    """The document itself; bounded by the size of the body, 1 MiB."""
    title: str
    url: NotRequired[str]
    """A page (HTML or plain text up to 2 MiB) or a PDF (up to 20 MiB, of which 500 pages are read)."""


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


class KnowledgeDocuments(TypedDict):
    limit: int
    """One more is refused with 409 limit_reached."""
    used: int


class KnowledgeFound(TypedDict):
    documents: list[KnowledgeAnswer]


class KnowledgeQueryInputBody(TypedDict):
    assistant_id: NotRequired[str]
    """Search what this assistant uses: its own documents and those of all assistants."""
    limit: NotRequired[int]
    """Maximum number of documents."""
    query: str
    """A question, or words."""


class Latency(TypedDict):
    p50_ms: int
    p95_ms: int
    turns: int


class Limits(TypedDict):
    calls_per_number: CallsPerNumber
    concurrent_calls: ConcurrentCalls
    credits: int
    """The balance."""
    daily_minutes: DailyMinutes
    daily_texts: DailyTexts
    destinations: Destinations
    knowledge_documents: KnowledgeDocuments
    refused_today: dict[str, int]
    """How many calls, transfers and texts each rule refused since midnight in UTC, by its name."""
    request_rate: RequestRate


class LinkInputBody(TypedDict):
    phone_number_id: str
    """Id of a number of yours or of a default number."""


class LinkMade(TypedDict):
    data: LinkMadeDataStruct
    message: str


class LinkMadeDataStruct(TypedDict):
    assistant_id: str
    phone_number: LinkedNumber
    previous_phone_number_id: str | None
    """The number that was linked before."""
    released_assistants: int
    """Other assistants that lost their default number."""


class LinkRemoved(TypedDict):
    data: LinkRemovedDataStruct
    message: str


class LinkRemovedDataStruct(TypedDict):
    assistant_id: str
    unlinked_phone_number: UnlinkedNumber | None


class LinkShown(TypedDict):
    data: LinkShownDataStruct


class LinkShownDataStruct(TypedDict):
    assistant_id: str
    assistant_name: str
    phone_number: LinkedNumber | None
    """null if none is linked."""


class LinkedNumber(TypedDict):
    id: str
    locality: str | None
    number: str
    origin: NotRequired[Literal["default", "custom"]]
    type: Literal["local", "mobile", "national"] | None


class ListBodyAPIKey(TypedDict):
    data: list[APIKey]
    pagination: Pagination


class ListBodyAssistant(TypedDict):
    data: list[Assistant]
    pagination: Pagination


class ListBodyCall(TypedDict):
    data: list[Call]
    pagination: Pagination


class ListBodyContact(TypedDict):
    data: list[Contact]
    pagination: Pagination


class ListBodyDeliveryAttempt(TypedDict):
    data: list[DeliveryAttempt]
    pagination: Pagination


class ListBodyEvent(TypedDict):
    data: list[Event]
    pagination: Pagination


class ListBodyKnowledgeDocument(TypedDict):
    data: list[KnowledgeDocument]
    pagination: Pagination


class ListBodyPhoneNumber(TypedDict):
    data: list[PhoneNumber]
    pagination: Pagination


class ListBodyPhoneNumberOrder(TypedDict):
    data: list[PhoneNumberOrder]
    pagination: Pagination


class ListBodySIPConnection(TypedDict):
    data: list[SIPConnection]
    pagination: Pagination


class ListBodyScheduledCall(TypedDict):
    data: list[ScheduledCall]
    pagination: Pagination


class ListBodyVerificationDocument(TypedDict):
    data: list[VerificationDocument]
    pagination: Pagination


class ListBodyVerificationGroup(TypedDict):
    data: list[VerificationGroup]
    pagination: Pagination


class Media(TypedDict):
    codec: str
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


class NumberOrderInputBody(TypedDict):
    phone_number: str
    """One of the available numbers, E.164."""
    verification_group_id: str
    """An approved group."""


class NumberOrdered(TypedDict):
    data: NumberOrderedDataStruct
    message: str


class NumberOrderedDataStruct(TypedDict):
    credits_used: int
    number_type: Literal["local", "mobile", "national"]
    order_id: str
    phone_number: str
    remaining_credits: int
    status: Literal["pending", "completed", "failed"]
    verification_group: GroupName


class OpeningHours(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] | None
    end: str
    """HH:MM, exclusive; after the start."""
    start: str
    """HH:MM."""


class Pagination(TypedDict):
    has_more: bool
    """Whether entries follow."""
    limit: int
    next_cursor: str | None
    """The cursor of the next page; null at the end."""
    offset: int
    total: int
    """Entries in all."""


class PatchAssistantBody(TypedDict):
    """Any part of an assistant; null sets the default."""

    analysis_plan: NotRequired[dict[str, Any] | None]
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
    compliance_plan: NotRequired[dict[str, Any] | None]
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
    keypad_input_plan: NotRequired[dict[str, Any] | None]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool | None]
    llm_content: NotRequired[str | None]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int | None]
    """Longest call, in seconds."""
    message_plan: NotRequired[dict[str, Any] | None]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any] | None]
    """Yours; kept and answered as it is."""
    model: NotRequired[dict[str, Any] | None]
    """provider, model, messages, temperature, maxTokens, timeout (seconds until the first word of a reply, 1 to 60,
    default 20), tools. A tool is of type function (function {name, description, parameters}, and optionally server
    {url, timeoutSeconds, headers}, async, messages), transferCall (destinations: number or sipUri, name,
    description, message), endCall, dtmf or query (the knowledge base); other types are kept and not used."""
    notifications_email: NotRequired[str | None]
    post_call_email_enabled: NotRequired[bool | None]
    post_call_emails: NotRequired[list[str] | None]
    server: NotRequired[AssistantServerIn | None]
    server_url_type: NotRequired[Literal["external"] | None]
    sms_message: NotRequired[str | None]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[dict[str, Any] | None]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for."""
    stop_speaking_plan: NotRequired[dict[str, Any] | None]
    """numWords, voiceSeconds, backoffSeconds, acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[dict[str, Any] | None]
    """provider, model, language."""
    voice: NotRequired[dict[str, Any] | None]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str | None]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Any]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold}; other
    keys are kept and not used. Persons, answering machines, menus, call screeners and faxes are told apart by
    words, timing, tones and, where these leave it open, by the language model. In a menu the assistant presses keys
    where it may (dial_keypad_function_enabled); a screener is told who calls and why."""
    voicemail_message: NotRequired[str | None]
    """Left on voicemail."""


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
    verification_group: GroupName


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


class ProfilePatchInputBody(TypedDict):
    company_name: NotRequired[str | None]
    full_name: NotRequired[str | None]
    phone_number: NotRequired[str | None]
    """E.164."""


class RequestRate(TypedDict):
    limit: int
    """Requests per minute."""
    remaining: int
    reset_at: str
    """When the minute ends."""


class Retry(TypedDict):
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
    retry: Retry | None
    scheduled_time: str
    """When it calls; with retries the time of the next attempt."""
    status: Literal["scheduled", "processed", "canceled"]
    updated_at: str
    variables: dict[str, str]
    window: Window | None


class ScheduledCallCreateInputBody(TypedDict):
    assistant_id: str
    contact_id: str
    instruction: NotRequired[str]
    """Added to the assistant's instructions in this call."""
    retry: NotRequired[Retry]
    scheduled_time: str
    """When to call, with any offset; without one it is UTC. A time in the past calls at once; at most two years ahead."""
    variables: NotRequired[dict[str, str]]
    """Fill {{name}} in messages and instructions."""
    window: NotRequired[Window]
    """Outside of it the call waits."""


class ScheduledCallUpdateInputBodyRetry(TypedDict):
    delay_seconds: int
    """Seconds between the end of an attempt and the next."""
    max_attempts: int
    """Attempts in all, the first included."""
    on: list[Literal["busy", "no-answer", "voicemail", "failed", "worker-lost"]]
    """Outcomes after which the call is placed again: statuses, and worker-lost for a call whose worker died or stopped
    after it may have rung, which failed does not include."""


class ScheduledCallUpdateInputBodyWindow(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days of the week on which the call may dial."""
    end: str
    """End of the day's window, HH:MM, exclusive."""
    start: str
    """First minute of the day, HH:MM."""
    timezone: str
    """IANA time zone, such as Europe/Amsterdam."""


class ScheduledCallUpdateInputBody(TypedDict):
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
    retry: NotRequired[ScheduledCallUpdateInputBodyRetry | None]
    scheduled_time: NotRequired[str | None]
    """A time of ISO 8601; without an offset it is UTC."""
    status: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    updated_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    variables: NotRequired[dict[str, str] | None]
    window: NotRequired[ScheduledCallUpdateInputBodyWindow | None]


class SipConnectionCreateInputBody(TypedDict):
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


class StockPagination(TypedDict):
    has_more: bool
    """Whether there are more."""
    limit: int
    offset: int
    total: int | None
    """How many there are in all; null where the carrier does not say."""


class TimelineEntry(TypedDict):
    at: str
    destination: NotRequired[str]
    """Of forwarding: where the call was to go, a number in E.164 or a SIP URI."""
    status: str


class TranscriptTurn(TypedDict):
    interrupted: NotRequired[bool]
    """The assistant was cut off after this text."""
    role: Literal["user", "assistant", "system", "tool"]
    seconds_from_start: float
    text: str


class UnlinkedNumber(TypedDict):
    id: str
    number: str


class UpdateAssistantBody(TypedDict):
    """A whole assistant, or in the earlier form any part of one."""

    analysis_plan: NotRequired[dict[str, Any] | None]
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
    compliance_plan: NotRequired[dict[str, Any] | None]
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
    keypad_input_plan: NotRequired[dict[str, Any] | None]
    """enabled, timeoutSeconds, delimiters."""
    knowledge_base_enabled: NotRequired[bool | None]
    llm_content: NotRequired[str | None]
    """Behaviour instructions; the system message where model.messages has none."""
    max_duration_seconds: NotRequired[int | None]
    """Longest call, in seconds."""
    message_plan: NotRequired[dict[str, Any] | None]
    """idleMessages, idleTimeoutSeconds, idleMessageMaxSpokenCount, idleMessageResetCountOnUserSpeechEnabled,
    silenceTimeoutMessage."""
    metadata: NotRequired[dict[str, Any] | None]
    """Yours; kept and answered as it is."""
    model: NotRequired[dict[str, Any] | None]
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
    server: NotRequired[AssistantServerIn | None]
    server_url_type: NotRequired[Literal["external"] | None]
    sms_message: NotRequired[str | None]
    """Sent as a text message to the caller after a conversation, where they have a mobile phone; {company_name} is
    your company's name."""
    start_speaking_plan: NotRequired[dict[str, Any] | None]
    """waitSeconds, smartEndpointingPlan with its waitFunction, transcriptionEndpointingPlan and customEndpointingRules
    (RE2). The end of a turn is judged by words and melody; the times of transcriptionEndpointingPlan take their
    place where smart endpointing is not asked for."""
    stop_speaking_plan: NotRequired[dict[str, Any] | None]
    """numWords, voiceSeconds, backoffSeconds, acknowledgementPhrases, interruptionPhrases."""
    transcriber: NotRequired[dict[str, Any] | None]
    """provider, model, language."""
    updated_at: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    voice: NotRequired[dict[str, Any] | None]
    """provider, voiceId, model, and chunkPlan.formatPlan {enabled, numberToDigitsCutoff, replacements,
    formattersEnabled}: amounts, dates, times, telephone numbers, codes, addresses, units and abbreviations are read
    out in Dutch, English or German, the language of the transcriber. The transcript keeps what was written;
    Markdown is never read out."""
    voice_id: NotRequired[str | None]
    """A voice of the library; earlier form."""
    voicemail_detection: NotRequired[Any]
    """What happens when no person takes an outgoing call: off (the call goes on as with a person), detect (hang up),
    leave-message (voicemail_message is spoken behind the beep, or after 30 s without one; the default where there
    is a message), or a plan {mode: detect or leave-message, beepMaxAwaitSeconds, menu: press-keys or hang-up,
    enabled, machineDetectionTimeout, machineDetectionSilenceTimeout, machineDetectionSpeechEndThreshold}; other
    keys are kept and not used. Persons, answering machines, menus, call screeners and faxes are told apart by
    words, timing, tones and, where these leave it open, by the language model. In a menu the assistant presses keys
    where it may (dial_keypad_function_enabled); a screener is told who calls and why."""
    voicemail_message: NotRequired[str | None]
    """Left on voicemail."""


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


class WebhookPutInputBody(TypedDict):
    disabled_reason: NotRequired[Any]
    """As it was read: it cannot be changed here, and another value is 400."""
    enabled: NotRequired[bool]
    """Default true."""
    events: NotRequired[list[Literal["status-update", "end-of-call-report", "call-command-update", "sip-connection-stopped", "transcript", "speech-update", "user-interrupted", "hang", "transfer-update", "assistant-request", "tool-calls"]]]
    """Types to send; default status-update and end-of-call-report. transcript, speech-update, user-interrupted, hang
    and transfer-update are stored only for accounts that name them here, with or without a URL. assistant-request
    is a question: while a call rings, your server has 7.5 seconds to respond with {assistantId} or {assistant:
    {…}}, either with {assistantOverrides: {variableValues, …}}, {destination: {number or sipUri, message}} to
    have the caller transferred there at once, or {error: a text for the caller}; otherwise the linked assistant
    takes the call."""
    url: str | None
    """An http or https URL; null: nowhere."""


class WebhookRotateInputBody(TypedDict):
    end_old: NotRequired[bool]
    """The old secret ends at once, without its day of grace: for a secret that somebody else may know."""


class WebhookSecret(TypedDict):
    secret: str


class Window(TypedDict):
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    """Days of the week on which the call may dial."""
    end: str
    """End of the day's window, HH:MM, exclusive."""
    start: str
    """First minute of the day, HH:MM."""
    timezone: str
    """IANA time zone, such as Europe/Amsterdam."""


WebhookMessage: TypeAlias = 'dict[str, Any]'
"""What an event carries; the member "type" tells which."""
