package api

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
)

const (
	watchLease = 3 * streamHeartbeat // renewed with each
	turnPage   = 100
)

// eventCallTurn is what the stream calls a turn of the call that is watched. It is no event of the account's.
const eventCallTurn = "call-turn"

// CallTurn is what somebody said in a call that is watched.
type CallTurn struct {
	Type     string         `json:"type" enum:"call-turn"`
	CallID   uuid.UUID      `json:"call_id"`
	Position int32          `json:"position" doc:"Which turn of the call it is; the first is 0."`
	Turn     TranscriptTurn `json:"turn"`
}

// callWatch is the call of which a stream writes the turns.
type callWatch struct {
	account, call uuid.UUID
	next          int32 // position of the turn to be written next
}

// watchCall returns the watch of a call of the account; nil: none is wanted.
func (a *API) watchCall(ctx context.Context, account uuid.UUID, call *uuid.UUID) (*callWatch, error) {
	if call == nil {
		return nil, nil
	}
	if _, err := dbsqlc.New().CallGet(ctx, a.DB, &dbsqlc.CallGetParams{AccountID: account, ID: *call}); err != nil {
		return nil, apierror.FromDB("call", err)
	}
	return &callWatch{account: account, call: *call}, nil
}

// renewWatch has the call's worker go on telling of turns. A call that is over has no more than are written.
func (s *eventStream) renewWatch(ctx context.Context) error {
	if s.watch == nil {
		return nil
	}
	_, err := calls.Watch(ctx, s.api.DB, s.watch.account, s.watch.call, watchLease)
	return err
}

// writeTurns writes the turns of the watched call that are new.
func (s *eventStream) writeTurns(ctx context.Context) error {
	for watch := s.watch; watch != nil; {
		rows, err := dbsqlc.New().CallTurnListFrom(ctx, s.api.DB, &dbsqlc.CallTurnListFromParams{
			AccountID: watch.account, CallID: watch.call, FromPosition: watch.next, Max: turnPage,
		})
		if err != nil {
			return fmt.Errorf("list turns: %w", err)
		}
		for _, row := range rows {
			data, err := json.Marshal(CallTurn{Type: eventCallTurn, CallID: row.CallID, Position: row.Position, Turn: renderTurn(row)})
			if err != nil {
				return fmt.Errorf("encode turn: %w", err)
			}
			if err := s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", eventCallTurn, data)); err != nil {
				return err
			}
			watch.next = row.Position + 1
		}
		if len(rows) < turnPage {
			return nil
		}
	}
	return nil
}
