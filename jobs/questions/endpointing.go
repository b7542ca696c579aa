package questions

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
)

// An assistant whose smart endpointing plan names a custom-endpointing-model has its server asked, each time the caller pauses,
// for how long the caller may go on: with the conversation so far, once, and it returns {"timeoutSeconds"}, 0 to 15.

const (
	turnWaitTimeout = 7500 * time.Millisecond
	longestTurnWait = 15 // seconds
)

const errNoTurnWait events.BadAnswer = "the server gave no timeoutSeconds from 0 to 15"

// TurnQuestion is about a caller who pauses.
type TurnQuestion struct {
	AccountID, CallID uuid.UUID
	ProcessID         string             // which holds the call: nobody else asks
	Server            *jsonb.ToolServer  // nil: where the call's events go
	Turns             []*dbsqlc.CallTurn // the caller's words so far are the last one
}

// TurnWait asks the server and returns its answer.
func TurnWait(ctx context.Context, sender *events.Sender, asked TurnQuestion) (time.Duration, error) {
	question := &liveQuestion{
		accountID: asked.AccountID, callID: asked.CallID, processID: asked.ProcessID, server: asked.Server, timeout: turnWaitTimeout,
	}
	if asked.Server != nil {
		question.timeout = min(asked.Server.Timeout, turnWaitTimeout)
	}
	body, err := question.ask(ctx, sender, func(call *dbsqlc.Call) events.Event {
		return events.EndpointingRequest(call, asked.Turns, sender.Now())
	})
	if err != nil {
		return 0, err
	}
	return readTurnWait(body)
}

// readTurnWait takes the answer bare or, as some libraries of this field send it, in messageResponse.
func readTurnWait(body []byte) (time.Duration, error) {
	type turnWait struct {
		Seconds *float64 `json:"timeoutSeconds"`
	}
	var answer struct {
		turnWait
		MessageResponse *turnWait `json:"messageResponse"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return 0, errNotJSON
	}
	wait := answer.turnWait
	if answer.MessageResponse != nil {
		wait = *answer.MessageResponse
	}
	if wait.Seconds == nil || *wait.Seconds < 0 || *wait.Seconds > longestTurnWait {
		return 0, errNoTurnWait
	}
	return time.Duration(*wait.Seconds * float64(time.Second)), nil
}
