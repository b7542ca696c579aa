package apifuzz

// WholeAssistant returns an assistant that has every field.
func WholeAssistant() map[string]any {
	return object{
		"assistant_name": "Ava", "first_message": "Hello.", "end_call_message": "Bye.", "voicemail_message": "Call back.",
		"first_message_outbound": "Good day.",
		"booking_message":        "When?", "notifications_email": "a@example.com", "post_call_emails": []any{"b@example.com"},
		"post_call_email_enabled":             true,
		"analysis_plan":                       object{"structuredDataPrompt": "p", "structuredDataSchema": object{"type": "object"}},
		"message_plan":                        object{"idleTimeoutSeconds": 10.0},
		"first_message_interruptions_enabled": true, "first_message_mode": "assistant-waits-for-user", "max_duration_seconds": 43200.0,
		"background_sound": "office",
		"end_call_phrases": []any{"goodbye"}, "end_call_function_enabled": true, "dial_keypad_function_enabled": true,
		"call_transfers":  []any{object{"name": "Jan", "phone_number": "+31201234567", "description": "Bills."}},
		"compliance_plan": object{"pciEnabled": true}, "start_speaking_plan": object{"waitSeconds": 0.4},
		"stop_speaking_plan": object{"numWords": 2.0}, "keypad_input_plan": object{"enabled": true},
		"transcriber": object{"provider": "captions", "language": "nl"},
		"model": object{"provider": "scripted", "model": "gpt",
			"messages": []any{object{"role": "system", "content": "Be kind."}}},
		"voice": object{"provider": "espeak", "voiceId": "nl"}, "metadata": object{"team": "b"}, "knowledge_base_enabled": true,
		"server_url_type": "external",
		"sms_message":     "Thank you for calling {company_name}.", "booking": object{
			"enabled": true, "calendar_ics_url": "webcal://example.com/feed.ics", "minimum_booking_hours": 2.5,
			"timezone":          "Europe/Amsterdam",
			"appointment_types": []any{object{"name": "Check-up", "duration": 30.0, "description": "Yearly."}},
			"opening_hours":     []any{object{"days": []any{"mon", "fri"}, "start": "09:00", "end": "24:00"}},
		},
	}
}
