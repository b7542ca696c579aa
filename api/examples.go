package api

const (
	exampleAssistantID = "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"
	exampleContactID   = "0192f0c2-11b0-7a41-8f6e-52d7c9a03e88"
	exampleNumberID    = "0192f0c3-5d9f-7e02-a1c4-7be0d4f61a29"
)

// bodyExamples are the examples of request bodies in the document, by operation.
var bodyExamples = map[string]map[string]any{
	"create-assistant": {
		"assistant_name": "Receptionist", "first_message": "Linden Dental, how may I help?", "first_message_outbound": "Hello {{contact_name}}, this is Linden Dental.",
		"model": map[string]any{"provider": "openai", "model": "gpt-4.1-mini", "messages": []any{map[string]any{"role": "system", "content": "You book appointments for a dental practice."}}},
		"voice": map[string]any{"provider": "openai", "voiceId": "alloy"}, "transcriber": map[string]any{"provider": "openai", "language": "en"},
		"server": map[string]any{"url": "https://example.com/calls", "timeout_seconds": 7},
	},
	"update-assistant": {"assistant_name": "Receptionist", "first_message": "Linden Dental, how may I help?", "max_duration_seconds": 900},
	"patch-assistant":  {"end_call_message": "Goodbye, and have a nice day.", "stop_speaking_plan": map[string]any{"numWords": 2}},
	"create-instant-agent": {
		"phone_number_id": exampleNumberID, "company_name": "Linden Dental", "agent_name": "Eva", "notification_email": "desk@example.com",
		"faqs":                  []any{map[string]any{"question": "Do you take new patients?", "answer": "Yes, we do."}},
		"call_transfers":        []any{map[string]any{"name": "Reception", "phone_number": "+31201234567", "description": "Urgent pain."}},
		"can_book_appointments": true, "appointment_types": []any{map[string]any{"name": "Check-up", "duration": 20}},
	},
	"link-assistant-phone-number": {"phone_number_id": exampleNumberID},
	"create-direct-call":          {"assistant_id": exampleAssistantID, "contact_phone_number": "+31612345678", "custom_data": map[string]any{"order": 1017}},
	"inject-call-message":         {"type": "say", "content": "Your colleague joins us in a minute.", "interrupt": false},
	"create-contact":              {"phone_number": "+31612345678", "full_name": "Jan Jansen", "email": "jan@example.com"},
	"update-contact":              {"full_name": "Jan Jansen", "meeting_date": "2026-12-24T09:00:00+01:00"},
	"patch-contact":               {"email": nil},
	"create-scheduled-call": {
		"assistant_id": exampleAssistantID, "contact_id": exampleContactID, "scheduled_time": "2026-12-01T10:00:00+01:00", "variables": map[string]any{"dentist": "Dr. Linden"},
		"retry":  map[string]any{"on": []any{"busy", "no-answer"}, "max_attempts": 3, "delay_seconds": 1800},
		"window": map[string]any{"timezone": "Europe/Amsterdam", "days": []any{"mon", "tue", "wed", "thu", "fri"}, "start": "09:00", "end": "17:30"},
	},
	"update-scheduled-call": {"scheduled_time": "2026-12-02T10:00:00+01:00"},
	"create-sip-connection": {
		"phone_number": "31201234567", "sip_username": "31201234567", "sip_password": "correct-horse", "sip_proxy": "sip.provider.example", "provider_name": "Provider",
	},
	"replay-events":  {"from": "2026-12-01T09:00:00Z", "to": "2026-12-01T12:00:00Z"},
	"update-webhook": {"url": "https://example.com/events", "events": []any{"status-update", "end-of-call-report"}, "enabled": true},
	"create-verification-group": {
		"name": "Amsterdam practice", "business_name": "Linden Dental BV", "contact_person_first_name": "Jan", "contact_person_last_name": "Jansen",
		"contact_person_phone": "+31612345678", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1a", "postal_code": "1012 LG", "province": "Noord-Holland",
	},
	"order-group-number":        {"phone_number": "+31201234567"},
	"order-phone-number":        {"phone_number": "+31201234567", "verification_group_id": exampleNumberID},
	"create-phone-number-order": {"phone_number": "+31201234567", "verification_group_id": exampleNumberID},
	"create-api-key":            {"name": "Booking server", "mode": "live"},
	"rotate-api-key":            {"revoke_now": false},
	"rotate-webhook-secret":     {"end_old": false},
	"patch-profile":             {"full_name": "Jan Jansen", "company_name": "Linden Dental", "phone_number": "+31201234567"},
	"create-knowledge-document": {"title": "Opening hours", "text": "We are open on weekdays from nine to five, and on Saturday from ten to two."},
	"generate-faqs":             {"website_url": "https://example.com", "count": 5},
	"query-knowledge-base":      {"query": "Are you open on Saturday?", "limit": 3},
}
