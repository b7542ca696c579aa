package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// The types of commands.
const (
	CommandSay        = "say"
	CommandAddMessage = "add-message"
	CommandEndCall    = "end-call"
	CommandTransfer   = "transfer"
)

// CommandChannel is what workers listen to: a notification names the worker to which a command has come.
const CommandChannel = "call_command"

// ErrNotLive means that a call is over, or not begun, and takes no commands.
var ErrNotLive = errors.New("the call is not live")

// Command asks something of a live call and wakes the worker that holds it. It fails with pgx.ErrNoRows when the
// account has no such call, with ErrNotLive when it is not live, and with a *spending.Refusal when it may not be transferred
// there.
func Command(ctx context.Context, tx pgx.Tx, accountID, callID uuid.UUID, commandType string,
	body jsonb.CallCommand) (*dbsqlc.CallCommand, error) {
	queries := dbsqlc.New()
	call, err := queries.CallGetForCommand(ctx, tx, &dbsqlc.CallGetForCommandParams{AccountID: accountID, ID: callID})
	if err != nil {
		return nil, fmt.Errorf("get call: %w", err)
	}
	if call.EndedAt != nil || call.WorkerID == nil {
		return nil, ErrNotLive
	}
	if commandType == CommandTransfer {
		if err := spending.Check(ctx, tx, transferOf(call, body.PhoneNumber)); err != nil {
			return nil, err
		}
	}
	command, err := insertCommand(ctx, tx, call, commandType, body)
	if err != nil {
		return nil, err
	}
	return command, db.Notify(ctx, tx, CommandChannel, *call.WorkerID)
}

func insertCommand(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, commandType string,
	body jsonb.CallCommand) (*dbsqlc.CallCommand, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make command id: %w", err)
	}
	command, err := dbsqlc.New().CallCommandInsert(ctx, tx, &dbsqlc.CallCommandInsertParams{
		ID: id, AccountID: call.AccountID, CallID: call.ID, Type: commandType, Body: body,
	})
	if err != nil {
		return nil, fmt.Errorf("insert command: %w", err)
	}
	return command, nil
}

// HangUp ends a call: a queued one at once, a live one by a command to the worker that holds it. It fails as Command
// does; a call that is over is ErrNotLive.
func HangUp(ctx context.Context, tx pgx.Tx, in queue.Inserter, cancel *dbsqlc.CallCancelParams) (*dbsqlc.CallCommand, error) {
	call, err := Cancel(ctx, tx, in, cancel)
	if errors.Is(err, ErrConflict) {
		return Command(ctx, tx, cancel.AccountID, cancel.ID, CommandEndCall, jsonb.CallCommand{})
	}
	if err != nil {
		return nil, err
	}
	command, err := insertCommand(ctx, tx, call, CommandEndCall, jsonb.CallCommand{})
	if err != nil {
		return nil, err
	}
	return FinishCommand(ctx, tx, call, command.ID, "")
}

// FinishCommand records the outcome of a command: done, or failed for a reason. ErrConflict: it was recorded before.
func FinishCommand(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, commandID uuid.UUID,
	failure string) (*dbsqlc.CallCommand, error) {
	params := &dbsqlc.CallCommandFinishParams{AccountID: call.AccountID, ID: commandID}
	if failure != "" {
		params.Error = &failure
	}
	command, err := dbsqlc.New().CallCommandFinish(ctx, tx, params)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrConflict
	}
	if err != nil {
		return nil, fmt.Errorf("finish command: %w", err)
	}
	return command, events.Record(ctx, tx, events.CallCommandUpdate(call, command))
}
