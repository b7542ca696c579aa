// Package jsonb holds the typed JSON documents of jsonb columns: Go types that sqlc and pgx read and write.
// It knows their shape and nothing else: no SQL, no rules of the API. The tags beside json are read by the API, which
// accepts and returns some of these documents as they are.
package jsonb

import (
	"encoding/json"
	"time"
)

// Strings is a flat map, such as the variables that fill {{name}} in an assistant's messages.
type Strings map[string]string

// Media is how the sound of a call fared: our own counts of its RTP, and what the far end reported of ours by RTCP (RFC 3550).
type Media struct {
	Codec           string  `json:"codec" example:"PCMU" doc:"Of our sound: PCMU, PCMA, or G722, which is wideband; its recording has 16 kHz instead of 8."`
	Encrypted       bool    `json:"encrypted" doc:"SRTP."`
	PacketsReceived uint64  `json:"packets_received"`
	PacketsSent     uint64  `json:"packets_sent"`
	PacketsLost     uint64  `json:"packets_lost" doc:"Of the caller's sound, packets that never came."`
	JitterMS        float64 `json:"jitter_ms" doc:"Of the caller's sound, RFC 3550."`
	PacketsSentLate uint64  `json:"packets_sent_late" doc:"Packets that left more than 10 ms after their time."`
	FarPacketsLost  uint64  `json:"far_packets_lost" doc:"Of ours, as the far end reports; 0 also where it does not."`
	FarJitterMS     float64 `json:"far_jitter_ms" doc:"Of ours, as the far end reports."`
	RoundTripMS     float64 `json:"round_trip_ms" doc:"To the far end and back; 0: unknown."`
}

// Retry is a scheduled call's plan for trying again.
type Retry struct {
	On           []string `json:"on" minItems:"1" maxItems:"5" nullable:"false" enum:"busy,no-answer,voicemail,failed,worker-lost" doc:"Outcomes after which the call is placed again: statuses, and worker-lost for a call whose worker died or stopped after it may have rung, which failed does not include."`
	MaxAttempts  int      `json:"max_attempts" minimum:"1" maximum:"10" doc:"Attempts in all, the first included."`
	DelaySeconds int      `json:"delay_seconds" minimum:"0" maximum:"604800" doc:"Seconds between the end of an attempt and the next."`
}

// Window is the time of day and the days on which a scheduled call may dial.
type Window struct {
	Timezone string   `json:"timezone" minLength:"1" maxLength:"64" doc:"IANA time zone, such as Europe/Amsterdam."`
	Days     []string `json:"days" minItems:"1" maxItems:"7" nullable:"false" enum:"mon,tue,wed,thu,fri,sat,sun" doc:"Days of the week on which the call may dial."`
	Start    string   `json:"start" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"First minute of the day, HH:MM."`
	End      string   `json:"end" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" doc:"End of the day's window, HH:MM, exclusive."`
}

// ContactDetails is what a contact may have besides its number when it is made.
type ContactDetails struct {
	FullName               *string    `json:"full_name,omitempty"`
	Email                  *string    `json:"email,omitempty"`
	Address                *string    `json:"address,omitempty"`
	OrgID                  *string    `json:"org_id,omitempty"`
	LastInteractionAt      *time.Time `json:"last_interaction_at,omitempty"`
	LastInteractionSummary *string    `json:"last_interaction_summary,omitempty"`
}

// CallCommand is what somebody asks of a live call; which fields count is its type's to say. Empty once it was done.
type CallCommand struct {
	Content         string `json:"content,omitempty"`          // say, add-message
	Interrupt       bool   `json:"interrupt,omitempty"`        // say
	EndCallAfter    bool   `json:"end_call_after,omitempty"`   // say
	Role            string `json:"role,omitempty"`             // add-message
	TriggerResponse bool   `json:"trigger_response,omitempty"` // add-message
	PhoneNumber     string `json:"phone_number,omitempty"`     // transfer, E.164
	ByCustomer      bool   `json:"by_customer,omitempty"`      // end-call: the person in a web call left it
	TransferPlan    Object `json:"transfer_plan,omitempty"`    // transfer
}

// Providers is who really served a call, in each family in the order in which they first did.
type Providers struct {
	Transcriber []ServedBy `json:"transcriber" nullable:"false" doc:"times counts how often it was connected."`
	Model       []ServedBy `json:"model" nullable:"false" doc:"times counts replies."`
	Voice       []ServedBy `json:"voice" nullable:"false" doc:"times counts sentences."`

	Failures Failures `json:"failures" nullable:"false" doc:"Which vendors failed, hung or were not asked, and who stood in for them, in the order in which each first did."`
}

// Failures are those of the vendors of a call.
type Failures []Failure

// MarshalJSON returns a list, also for those of a call from before they were kept.
func (f Failures) MarshalJSON() ([]byte, error) { return json.Marshal(append([]Failure{}, f...)) }

// Failure is what happened with a vendor of a call, once or several times.
type Failure struct {
	Kind     string    `json:"kind" enum:"transcriber,model,voice,answering-detection" doc:"What the vendor was to do. answering-detection: a model was asked who had answered."`
	Provider string    `json:"provider" example:"openai"`
	Happened string    `json:"happened" enum:"timeout,stalled,unavailable,broke,refused,denied,skipped" doc:"timeout: nothing came in time; stalled: something came, and then nothing for too long; unavailable: it could not be reached, or is down or overrun; broke: something came, and then the connection ended; refused: it does not take the request; denied: nor the credentials; skipped: it was not asked, because it had failed shortly before."`
	Times    int       `json:"times"`
	Since    time.Time `json:"since" doc:"When it first happened."`
	StandIn  *string   `json:"stand_in" doc:"Who served in its place the last time: another vendor, such as flite, which is the built-in voice, or rules, which tell who has answered without a model; null: nobody, or the vendor itself when it was asked again." example:"groq"`
	Error    string    `json:"error" doc:"What the vendor said, or what it owed, the last time." example:"status 503: overloaded"`
}

// ServedBy is a vendor that served a call.
type ServedBy struct {
	Provider string    `json:"provider" example:"openai"`
	StandIn  bool      `json:"stand_in" doc:"It stood in for the one that the assistant names, or for your deployment's first choice."`
	Times    int       `json:"times"`
	Since    time.Time `json:"since" doc:"When it first did."`
}
