package jsonb

// InstantAgent is what an assistant is made of when a customer gives no configuration of it, besides the company's name
// and the number.
type InstantAgent struct {
	AgentName           string            `json:"agent_name,omitempty" maxLength:"100" doc:"What the assistant calls itself. Without one it is named after the company." example:"Eva"`
	NotificationEmail   string            `json:"notification_email,omitempty" maxLength:"320" doc:"Where a summary of each call goes."`
	WebsiteURL          string            `json:"website_url,omitempty" maxLength:"2048" doc:"The company's website, read from this page on: up to 30 pages that its robots.txt allows."`
	AdditionalContext   string            `json:"additional_context,omitempty" maxLength:"20000" doc:"What the assistant is to know besides."`
	CustomInstructions  string            `json:"custom_instructions,omitempty" maxLength:"10000" doc:"How the assistant is to behave. They go before what it is told otherwise."`
	FAQs                []InstantFAQ      `json:"faqs,omitempty" maxItems:"50" doc:"Questions that callers ask, with their answers."`
	CallTransfers       []CallTransfer    `json:"call_transfers,omitempty" maxItems:"50" doc:"Telephones to which the assistant may hand the caller over."`
	CanBookAppointments bool              `json:"can_book_appointments,omitempty" doc:"Lets the assistant offer free times and make appointments."`
	CalendarICSURL      string            `json:"calendar_ics_url,omitempty" maxLength:"2048" doc:"Feed of the company's calendar (iCalendar, https, http or webcal). What is busy there is not offered."`
	MinimumBookingHours float64           `json:"minimum_booking_hours,omitempty" minimum:"0" maximum:"8760" doc:"Hours between now and the earliest appointment."`
	AppointmentTypes    []AppointmentType `json:"appointment_types,omitempty" maxItems:"20" doc:"What can be booked; without any, appointments of 30 minutes."`
	SMSMessage          string            `json:"sms_message,omitempty" maxLength:"1000" doc:"Sent as a text message to the caller after a conversation, where an SMS provider is set; {company_name} is the company's name."`
}

// InstantFAQ is a question with its answer.
type InstantFAQ struct {
	Question string `json:"question" minLength:"1" maxLength:"300"`
	Answer   string `json:"answer" minLength:"1" maxLength:"5000"`
}
