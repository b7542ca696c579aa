package events

import (
	"strings"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

// destination is a telephone in the field's words.
type destination struct {
	Type   string `json:"type" enum:"number,sip"`
	Number string `json:"number,omitempty" doc:"E.164."`
	SIPURI string `json:"sipUri,omitempty"`
}

func newDestination(target string) destination {
	if strings.Contains(target, ":") || strings.Contains(target, "@") {
		return destination{Type: "sip", SIPURI: target}
	}
	return destination{Type: "number", Number: target}
}

// transferredTo returns where a call goes or went; nil: nowhere.
func transferredTo(call *dbsqlc.Call) *destination {
	if call.TransferredTo == nil {
		return nil
	}
	return new(newDestination(*call.TransferredTo))
}

// transfer is one that was tried in a call.
type transfer struct {
	Destination destination `json:"destination"`
	Mode        string      `json:"mode" enum:"blind-transfer,blind-transfer-add-summary-to-sip-header,warm-transfer-say-message,warm-transfer-say-summary,warm-transfer-wait-for-operator-to-speak-first-and-then-say-message,warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary,warm-transfer-experimental" doc:"blind-transfer: nobody was spoken to before."`
	Status      string      `json:"status" enum:"completed,failed" doc:"failed also where the caller hung up meanwhile."`
	Time        int64       `json:"time" doc:"Unix time in milliseconds."`
	Leg         *secondLeg  `json:"leg,omitempty" doc:"The telephone that was rung, where the caller was put through by us and not by the carrier."`
}

// secondLeg is what became of somebody who was rung for a caller.
type secondLeg struct {
	Status          string     `json:"status" enum:"dialing,ringing,in-progress,joined,completed,busy,no-answer,voicemail,declined,canceled,failed" doc:"completed: the caller was put through; canceled: the caller left before."`
	AnsweredAt      *time.Time `json:"answeredAt,omitempty"`
	JoinedAt        *time.Time `json:"joinedAt,omitempty" doc:"From when on the caller was connected."`
	EndedAt         *time.Time `json:"endedAt,omitempty"`
	DurationSeconds float64    `json:"durationSeconds" doc:"From the answer to the end."`
	SIPCode         *int32     `json:"sipCode,omitempty" doc:"The SIP response that refused it."`
	Error           *string    `json:"error,omitempty"`
}

func newSecondLeg(row *dbsqlc.CallLeg) *secondLeg {
	leg := &secondLeg{
		Status: row.Status, AnsweredAt: utc(row.StartedAt), JoinedAt: utc(row.JoinedAt), EndedAt: utc(row.EndedAt),
		SIPCode: row.SIPCode, Error: row.Error,
	}
	if row.StartedAt != nil && row.EndedAt != nil {
		leg.DurationSeconds = row.EndedAt.Sub(*row.StartedAt).Seconds()
	}
	return leg
}

// transfersOf returns the transfers of a call. legs are those that were dialed for them, the oldest first.
func transfersOf(call *dbsqlc.Call, legs []*dbsqlc.CallLeg) []transfer {
	var tried []transfer
	for i, entry := range call.Timeline {
		if entry.Destination == "" {
			continue
		}
		one := transfer{Destination: newDestination(entry.Destination), Mode: "blind-transfer", Status: "failed",
			Time: entry.At.UnixMilli()}
		// A transfer ends with the next step of the call.
		if len(legs) > 0 && legs[0].Destination == entry.Destination &&
			(i+1 == len(call.Timeline) || legs[0].CreatedAt.Before(call.Timeline[i+1].At)) {
			one.Mode, one.Leg = legs[0].Mode, newSecondLeg(legs[0])
			if legs[0].JoinedAt != nil {
				one.Status = "completed"
			}
			legs = legs[1:]
		}
		tried = append(tried, one)
	}
	if transferredTo(call) != nil {
		tried[len(tried)-1].Status = "completed"
	}
	return tried
}
