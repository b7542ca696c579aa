package api

const (
	exampleAssistantID = "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"
	exampleContactID   = "0192f0c2-11b0-7a41-8f6e-52d7c9a03e88"
	exampleNumberID    = "0192f0c3-5d9f-7e02-a1c4-7be0d4f61a29"
	exampleCallID      = "0192f0c4-2b7a-7d15-9c3e-6f1a08d2b9e4"
	exampleEventID     = "0192f0c5-90c4-7aa2-8b57-3d0e6c1f7a12"
	exampleID          = "0192f0c6-4e18-7f39-b5d2-a1c7e90f3b58"
	exampleTime        = "2026-12-01T09:00:00Z"
)

// bodyExamples are the examples of bodies in the document: of requests by operation, of responses by operation and "response". The
// other bodies have one that is made from their fields.
var bodyExamples = map[string]any{
	"create-assistant": map[string]any{
		"assistant_name": "Receptionist", "first_message": "Linden Dental, how may I help?", "first_message_outbound": "Hello {{contact_name}}, this is Linden Dental.",
		"model": map[string]any{"provider": "openai", "model": "gpt-4.1-mini", "messages": []any{map[string]any{"role": "system", "content": "You book appointments for a dental practice."}}},
		"voice": map[string]any{"provider": "openai", "voiceId": "alloy"}, "transcriber": map[string]any{"provider": "openai", "language": "en"},
		"server": map[string]any{"url": "https://example.com/calls", "timeout_seconds": 7},
	},
	"update-assistant": map[string]any{"assistant_name": "Receptionist", "first_message": "Linden Dental, how may I help?", "max_duration_seconds": 900},
	"patch-assistant":  map[string]any{"end_call_message": "Goodbye, and have a nice day.", "stop_speaking_plan": map[string]any{"numWords": 2}},
	"create-instant-agent": map[string]any{
		"phone_number_id": exampleNumberID, "company_name": "Linden Dental", "agent_name": "Eva", "notification_email": "desk@example.com",
		"faqs":                  []any{map[string]any{"question": "Do you take new patients?", "answer": "Yes, we do."}},
		"call_transfers":        []any{map[string]any{"name": "Reception", "phone_number": "+31201234567", "description": "Urgent pain."}},
		"can_book_appointments": true, "appointment_types": []any{map[string]any{"name": "Check-up", "duration": 20}},
	},
	"link-assistant-phone-number": map[string]any{"phone_number_id": exampleNumberID},
	"create-direct-call":          map[string]any{"assistant_id": exampleAssistantID, "contact_phone_number": "+31612345678", "custom_data": map[string]any{"order": 1017}},
	"create-web-token":            map[string]any{"assistant_id": exampleAssistantID, "origins": []any{"https://www.example.com"}, "ttl_seconds": 600, "max_calls": 1},
	"inject-call-message":         map[string]any{"type": "say", "content": "Your colleague joins us in a minute.", "interrupt": false},
	"create-contact":              map[string]any{"phone_number": "+31612345678", "full_name": "Jan Jansen", "email": "jan@example.com"},
	"update-contact":              map[string]any{"full_name": "Jan Jansen", "meeting_date": "2026-12-24T09:00:00+01:00"},
	"patch-contact":               map[string]any{"email": nil},
	"invite-member":               map[string]any{"email": "jan@example.com", "role": "developer"},
	"patch-member":                map[string]any{"role": "viewer"},
	"sign-in":                     map[string]any{"email": "jan@example.com", "password": "correct horse battery"},
	"use-link":                    map[string]any{"token": "NVXGKZLLMVSGC3LPNZTQ6YTBON", "password": "correct horse battery", "name": "Jan Jansen"},
	"create-scheduled-call": map[string]any{
		"assistant_id": exampleAssistantID, "contact_id": exampleContactID, "scheduled_time": "2026-12-01T10:00:00+01:00", "variables": map[string]any{"dentist": "Dr. Linden"},
		"retry":  map[string]any{"on": []any{"busy", "no-answer"}, "max_attempts": 3, "delay_seconds": 1800},
		"window": map[string]any{"timezone": "Europe/Amsterdam", "days": []any{"mon", "tue", "wed", "thu", "fri"}, "start": "09:00", "end": "17:30"},
	},
	"update-scheduled-call": map[string]any{"scheduled_time": "2026-12-02T10:00:00+01:00"},
	"create-sip-connection": map[string]any{
		"phone_number": "31201234567", "sip_username": "31201234567", "sip_password": "correct-horse", "sip_proxy": "sip.provider.example", "provider_name": "Provider",
	},
	"replay-events":  map[string]any{"from": "2026-12-01T09:00:00Z", "to": "2026-12-01T12:00:00Z"},
	"update-webhook": map[string]any{"url": "https://example.com/events", "events": []any{"status-update", "end-of-call-report"}, "enabled": true},
	"create-verification-group": map[string]any{
		"name": "Amsterdam practice", "business_name": "Linden Dental BV", "contact_person_first_name": "Jan", "contact_person_last_name": "Jansen",
		"contact_person_phone": "+31612345678", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1a", "postal_code": "1012 LG", "province": "Noord-Holland",
	},
	"order-group-number":        map[string]any{"phone_number": "+31201234567"},
	"order-phone-number":        map[string]any{"phone_number": "+31201234567", "verification_group_id": exampleNumberID},
	"create-phone-number-order": map[string]any{"phone_number": "+31201234567", "verification_group_id": exampleNumberID},
	"create-api-key":            map[string]any{"name": "Booking server", "mode": "live"},
	"rotate-api-key":            map[string]any{"revoke_now": false},
	"rotate-webhook-secret":     map[string]any{"end_old": false},
	"patch-profile":             map[string]any{"full_name": "Jan Jansen", "company_name": "Linden Dental", "phone_number": "+31201234567"},
	"create-knowledge-document": map[string]any{"title": "Opening hours", "text": "We are open on weekdays from nine to five, and on Saturday from ten to two."},
	"generate-faqs":             map[string]any{"website_url": "https://example.com", "count": 5},
	"query-knowledge-base":      map[string]any{"query": "Are you open on Saturday?", "limit": 3},
}

// schemaExamples are examples of whole schemas, by name.
var schemaExamples = map[string]any{
	"Person":                  map[string]any{"id": exampleID, "name": "Jan Jansen", "email": "jan@example.com", "locale": "nl", "time_zone": "Europe/Amsterdam"},
	"AccountRef":              map[string]any{"id": exampleID, "name": "Linden Dental"},
	"AccountMembership":       map[string]any{"id": exampleID, "name": "Linden Dental", "role": "owner"},
	"PaginationMeta":          map[string]any{"limit": 20, "offset": 0, "total": 1, "has_more": false, "next_cursor": nil},
	"AvailablePaginationMeta": map[string]any{"limit": 10, "offset": 0, "total": nil, "has_more": false},
	"TranscriptTurn":          map[string]any{"role": "user", "text": "I have a toothache.", "seconds_from_start": 4.2, "timing": nil},
	"ServedBy":                map[string]any{"provider": "openai", "stand_in": false, "times": 6, "since": exampleTime},
	"Cost": map[string]any{
		"type": "model", "model": map[string]any{"provider": "openai", "model": "gpt-4.1-mini"}, "promptTokens": 4210, "cachedPromptTokens": 2048, "completionTokens": 312,
		"estimated": false, "priced": true, "cost": 0.00156864,
	},
	"TimelineEntry": map[string]any{"status": "completed", "at": "2026-12-01T09:01:30Z"},
	"WebhookReportMessage": map[string]any{
		"role": "user", "message": "I have a toothache.", "time": 1764579604200, "secondsFromStart": 4.2,
	},
	"WebhookOpenAIMessage": map[string]any{"role": "user", "content": "I have a toothache."},
	"WebhookToolCall":      exampleToolCall,
	"WebhookDestination":   map[string]any{"type": "number", "number": "+31201234567"},
	"WebhookTask":          map[string]any{"type": "appointment", "id": exampleID, "status": "completed", "name": "Check-up", "startsAt": "2026-12-04T13:00:00Z", "endsAt": "2026-12-04T13:20:00Z"},
	"WebhookAssistantRequestResponse": map[string]any{
		"assistantId": exampleAssistantID, "assistantOverrides": map[string]any{"variableValues": map[string]any{"name": "Jan"}},
	},
	"WebhookToolCallsResponse": map[string]any{"results": []any{map[string]any{"toolCallId": "call_1", "result": "Friday at two is free."}}},
	"ToolMessage":              map[string]any{"type": "request-start", "content": "One moment, I am looking it up."},
	"Retry":                    map[string]any{"on": []any{"busy"}, "max_attempts": 3, "delay_seconds": 1800},
}

var exampleToolCall = map[string]any{
	"id": "call_1", "type": "function", "name": "find_slot", "parameters": map[string]any{"day": "Friday"},
	"function": map[string]any{"name": "find_slot", "arguments": `{"day": "Friday"}`},
}

// fieldExamples are the examples of fields in bodies that have none of their own, by name.
var fieldExamples = map[string]any{
	"assistant_id": exampleAssistantID, "assistantId": exampleAssistantID, "assistant_name": "Receptionist", "agent_name": "Eva",
	"contact_id": exampleContactID, "contactId": exampleContactID, "contact_name": "Jan Jansen", "full_name": "Jan Jansen",
	"call_id": exampleCallID, "eventId": exampleEventID, "sequence": 1017, "phone_number_id": exampleNumberID, "phoneNumberId": exampleNumberID,
	"number": "+31612345678", "phone_number": "+31850000000", "contact_phone_number": "+31612345678", "phone_number_type": "local", "phone_number_locality": "Amsterdam",
	"previous_phone_number_id": nil, "replaced_by": nil, "company_name": "Linden Dental", "business_name": "Linden Dental BV",
	"call_status": "completed", "callStatus": "completed", "status": "ended", "ended_reason": "customer-ended-call", "endedReason": "customer-ended-call",
	"ended_fault": "customer", "endedFault": "customer", "sip_code": nil, "sipCode": 403, "error": nil, "explanation": nil, "analysis_status": "done", "analysis_error": nil,
	"summary": "Jan has a toothache and comes on Friday at two.", "last_interaction_summary": "Jan has a toothache and comes on Friday at two.",
	"success_evaluation": "true", "successEvaluation": "true",
	"structured_data": map[string]any{"reason": "toothache"}, "structuredData": map[string]any{"reason": "toothache"},
	"structured_data_multi": nil, "structuredDataMulti": []any{map[string]any{"visit": map[string]any{"reason": "toothache"}}},
	"custom_data": map[string]any{"order": 1017}, "customData": map[string]any{"order": 1017}, "metadata": map[string]any{"team": "front desk"},
	"variables": map[string]any{"dentist": "Dr. Linden"}, "variableValues": map[string]any{"dentist": "Dr. Linden"},
	"created_at": exampleTime, "createdAt": exampleTime, "updated_at": "2026-12-01T09:01:30Z", "updatedAt": "2026-12-01T09:01:30Z",
	"started_at": "2026-12-01T09:00:10Z", "startedAt": "2026-12-01T09:00:10Z", "ended_at": "2026-12-01T09:01:30Z", "endedAt": "2026-12-01T09:01:30Z",
	"startsAt": "2026-12-04T13:00:00Z", "endsAt": "2026-12-04T13:20:00Z", "at": exampleTime, "timestamp": 1764579690000, "time": 1764579604200,
	"duration_seconds": 80.0, "durationSeconds": 80.0, "seconds_from_start": 4.2, "secondsFromStart": 4.2, "duration_ms": 240, "latency_ms": 85,
	"recording_url": "/v1/calls/" + exampleCallID + "/recording", "recordingUrl": exampleRecording, "stereoRecordingUrl": exampleRecording, "stereoUrl": exampleRecording,
	"recording_missing_seconds": nil, "recordingMissingSeconds": 0.0,
	"transcript": "AI: Linden Dental, how may I help?\nUser: I have a toothache.\n", "content": "I have a toothache.", "text": "I have a toothache.",
	"toolCallId": "call_1", "tool_call_id": "call_1", "arguments": `{"day": "Friday"}`, "parameters": map[string]any{"day": "Friday"}, "result": "Friday at two is free.",
	"to": "+31612345678", "turn": 2, "turns": 6, "p50_ms": 620, "p95_ms": 910, "codec": "PCMU",
	"first_message": "Linden Dental, how may I help?", "first_message_outbound": "Hello {{contact_name}}, this is Linden Dental.", "llm_content": "", "functions": "",
	"end_call_message": "Goodbye.", "end_call_phrase": "goodbye", "voicemail_message": "Please call us back.", "voicemail_detection": nil, "booking_message": "", "sms_message": "",
	"background_sound": "off", "max_duration_seconds": 600, "voice_id": "", "notifications_email": "desk@example.com", "post_call_email": "desk@example.com",
	"analysis_plan":   map[string]any{"structuredDataSchema": map[string]any{"type": "object", "properties": map[string]any{"reason": map[string]any{"type": "string"}}}},
	"compliance_plan": nil, "keypad_input_plan": nil, "message_plan": nil, "start_speaking_plan": nil, "stop_speaking_plan": map[string]any{"numWords": 2},
	"model": map[string]any{"provider": "openai", "model": "gpt-4.1-mini"}, "voice": map[string]any{"provider": "openai", "voiceId": "alloy"},
	"transcriber": map[string]any{"provider": "openai", "language": "en"},
	"events":      []any{"status-update", "end-of-call-report"}, "url": "https://example.com/calls", "headers": map[string]any{"X-Team": "front-desk"}, "timeout_seconds": 7,
	"timezone": "Europe/Amsterdam", "start": "09:00", "end": "17:30", "days": []any{"mon", "tue", "wed", "thu", "fri"},
	"email": "jan@example.com", "address": "Damrak 1a, Amsterdam", "org_id": nil, "meeting_date": "2026-12-04T13:00:00Z", "meeting_event_id": exampleID,
	"title": "Opening hours", "question": "Do you take new patients?", "answer": "Yes, we do.", "score": 0.91, "source_url": nil,
	"name": "Check-up", "description": "A look at all teeth.", "duration": 20, "message": "It was done.", "reason": "Number +31201234567",
	"locality": "Amsterdam", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1a", "postal_code": "1012LG", "province": "Noord-Holland",
	"contact_person_first_name": "Jan", "contact_person_last_name": "Jansen", "contact_person_phone": "+31612345678", "rejection_reason": nil, "address_error": nil, "failure_reason": nil,
	"sip_username": "31201234567", "sip_proxy": "sip.provider.example", "provider_name": "Provider", "providerName": "Provider", "last_error": nil, "lastError": "403 Forbidden",
	"disabled_reason": nil, "expires_at": nil, "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "status_code": 200, "window": nil, "retry": nil,
	"media_type": "application/pdf", "file_name": "registration.pdf", "size": 48_213, "size_bytes": 48_213, "amount": -10, "balance": 90,
}

const exampleRecording = "https://calls.example.com/v1/recordings/v1.k1.3Jx0bW9uZGF5"
