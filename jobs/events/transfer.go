package events

import (
	"strings"

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
	Mode        string      `json:"mode" enum:"blind-transfer" doc:"Nobody is spoken to before."`
	Status      string      `json:"status" enum:"completed,failed" doc:"failed also where the caller hung up meanwhile."`
	Time        int64       `json:"time" doc:"Unix time in milliseconds."`
}

func transfersOf(call *dbsqlc.Call) []transfer {
	var tried []transfer
	for _, entry := range call.Timeline {
		if entry.Destination != "" {
			tried = append(tried, transfer{newDestination(entry.Destination), "blind-transfer", "failed", entry.At.UnixMilli()})
		}
	}
	if transferredTo(call) != nil {
		tried[len(tried)-1].Status = "completed"
	}
	return tried
}
