package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// Why a direct or a scheduled call is not made.
var (
	ErrUnknownAssistant = errors.New("there is no such assistant")
	ErrNoNumber         = errors.New("the assistant has no phone number to call from")
	ErrUnknownContact   = errors.New("there is no such contact")
)

// DirectCall is a call that is asked for now.
type DirectCall struct {
	ID, AccountID, AssistantID uuid.UUID
	ContactID                  uuid.UUID // whom to call; zero: PhoneNumber
	PhoneNumber                string    // in E.164; empty: that of the contact
	Simulated                  bool
	CustomData                 json.RawMessage // an object
	Traceparent                string          // of the request; empty: it has no trace
}

// DirectResult is the call that was made, or why there is none: one of the errors above or a *spending.Refusal.
type DirectResult struct {
	Call *dbsqlc.Call
	Err  error
}

// MakeDirect makes calls, each on its own merits, and asks for them to be placed. It returns a result for each, in their order.
func MakeDirect(ctx context.Context, tx pgx.Tx, in queue.Inserter, asked ...*DirectCall) ([]DirectResult, error) {
	results := make([]DirectResult, len(asked))
	prepared, err := prepareDirect(ctx, tx, asked, results)
	if err != nil {
		return nil, err
	}
	if prepared, err = admitDirect(ctx, tx, prepared, results); err != nil || len(prepared) == 0 {
		return results, err
	}
	made, err := insertDirect(ctx, tx, prepared)
	if err != nil {
		return nil, err
	}
	for i, one := range prepared {
		results[one.row.Position].Call = made[i]
	}
	return results, Enqueue(ctx, tx, in, made...)
}

// InsertDirect is MakeDirect without what a call costs, an event or a job. It fails when a call cannot be made.
func InsertDirect(ctx context.Context, tx dbsqlc.DBTX, asked *DirectCall) (*dbsqlc.Call, error) {
	results := make([]DirectResult, 1)
	prepared, err := prepareDirect(ctx, tx, []*DirectCall{asked}, results)
	if err == nil {
		err = results[0].Err
	}
	if err != nil {
		return nil, err
	}
	made, err := insertDirect(ctx, tx, prepared)
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// preparedCall is a call that can be made.
type preparedCall struct {
	asked *DirectCall
	row   *dbsqlc.CallPrepareDirectManyRow
}

// prepareDirect returns the calls that can be made, by their assistants' ids, and writes why not of the others.
func prepareDirect(ctx context.Context, tx dbsqlc.DBTX, asked []*DirectCall, results []DirectResult) ([]preparedCall, error) {
	params, from := &dbsqlc.CallPrepareDirectManyParams{}, map[uuid.UUID]uuid.UUID{}
	for i, one := range asked {
		params.Positions, params.AccountIds = append(params.Positions, int32(i)), append(params.AccountIds, one.AccountID)
		params.AssistantIds, params.ContactIds = append(params.AssistantIds, one.AssistantID), append(params.ContactIds, one.ContactID)
		params.PhoneNumbers = append(params.PhoneNumbers, one.PhoneNumber)
		if _, known := from[one.AccountID]; !known {
			from[one.AccountID] = heads.ofAccount(one.AccountID).queued
		}
		params.QueuedFrom = append(params.QueuedFrom, from[one.AccountID])
	}
	rows, err := dbsqlc.New().CallPrepareDirectMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("prepare calls: %w", err)
	}
	prepared, found := make([]preparedCall, len(rows)), make([]bool, len(asked))
	for i, row := range rows {
		prepared[i], found[row.Position] = preparedCall{asked[row.Position], row}, true
		heads.rememberQueue(asked[row.Position].AccountID, row.FirstQueued)
	}
	return prepared, diagnoseDirect(ctx, tx, asked, found, results)
}

// diagnoseDirect writes why those that were not found cannot be made.
func diagnoseDirect(ctx context.Context, tx dbsqlc.DBTX, asked []*DirectCall, found []bool, results []DirectResult) error {
	params := &dbsqlc.CallDiagnoseManyParams{}
	for i, one := range asked {
		if !found[i] {
			params.Positions, params.AccountIds = append(params.Positions, int32(i)), append(params.AccountIds, one.AccountID)
			params.AssistantIds = append(params.AssistantIds, one.AssistantID)
		}
	}
	rows, err := diagnose(ctx, tx, params)
	for _, row := range rows {
		switch {
		case !row.Assistant:
			results[row.Position].Err = ErrUnknownAssistant
		case !row.Number:
			results[row.Position].Err = ErrNoNumber
		default:
			results[row.Position].Err = ErrUnknownContact
		}
	}
	return err
}

// diagnose returns what calls have that cannot be made.
func diagnose(ctx context.Context, tx dbsqlc.DBTX, params *dbsqlc.CallDiagnoseManyParams) ([]*dbsqlc.CallDiagnoseManyRow, error) {
	if len(params.Positions) == 0 {
		return nil, nil
	}
	rows, err := dbsqlc.New().CallDiagnoseMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("diagnose calls: %w", err)
	}
	return rows, nil
}

// admitDirect returns the calls that the limits of spending let pass, and writes the refusals of the others.
func admitDirect(ctx context.Context, tx dbsqlc.DBTX, prepared []preparedCall, results []DirectResult) ([]preparedCall, error) {
	if len(prepared) == 0 {
		return nil, nil
	}
	all := make([]*spending.Destination, len(prepared))
	for i, one := range prepared {
		all[i] = &spending.Destination{AccountID: one.asked.AccountID, Target: one.row.ContactPhoneNumber, From: one.row.PhoneNumber,
			Simulated: one.asked.Simulated}
	}
	refused, err := spending.AdmitMany(ctx, tx, all...)
	if err != nil {
		return nil, err
	}
	admitted := make([]preparedCall, 0, len(prepared))
	for i, one := range prepared {
		if refusal := refused[all[i]]; refusal != nil {
			results[one.row.Position].Err = refusal
			continue
		}
		admitted = append(admitted, one)
	}
	return admitted, nil
}

// insertDirect returns the calls in their order.
func insertDirect(ctx context.Context, tx dbsqlc.DBTX, prepared []preparedCall) ([]*dbsqlc.Call, error) {
	params, places := &dbsqlc.CallInsertDirectManyParams{}, make(map[uuid.UUID]int, len(prepared))
	for i, one := range prepared {
		asked, row := one.asked, one.row
		places[asked.ID] = i
		params.Ids, params.AccountIds, params.Simulated = append(params.Ids, asked.ID), append(params.AccountIds, asked.AccountID),
			append(params.Simulated, asked.Simulated)
		params.AssistantIds, params.AssistantNames = append(params.AssistantIds, asked.AssistantID),
			append(params.AssistantNames, row.AssistantName)
		params.ContactIds, params.ContactPhoneNumbers = append(params.ContactIds, row.ContactID),
			append(params.ContactPhoneNumbers, row.ContactPhoneNumber)
		params.PhoneNumberIds, params.PhoneNumbers = append(params.PhoneNumberIds, row.PhoneNumberID),
			append(params.PhoneNumbers, row.PhoneNumber)
		params.CustomData, params.Explanations = append(params.CustomData, asked.CustomData),
			append(params.Explanations, row.Explanation)
		params.Traceparents = append(params.Traceparents, asked.Traceparent)
	}
	rows, err := dbsqlc.New().CallInsertDirectMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert calls: %w", err)
	}
	if len(rows) != len(prepared) {
		return nil, fmt.Errorf("insert calls: of %d there are %d", len(prepared), len(rows))
	}
	made := make([]*dbsqlc.Call, len(prepared))
	for _, row := range rows {
		made[places[row.ID]] = row
	}
	return made, nil
}
