package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// ScheduledCall is a call that is asked for at a time.
type ScheduledCall struct {
	ID, AccountID, AssistantID, ContactID uuid.UUID
	At                                    time.Time
	Simulated                             bool
	ScheduledCallDetails
}

// ScheduledCallDetails is what a scheduled call may have besides.
type ScheduledCallDetails struct {
	Instruction *string       `json:"instruction"`
	Variables   jsonb.Strings `json:"variables"`
	Retry       *jsonb.Retry  `json:"retry"`
	Window      *jsonb.Window `json:"window"`
}

// ScheduledResult is the scheduled call that was made, or why there is none: ErrUnknownAssistant, ErrUnknownContact or a
// *spending.Refusal.
type ScheduledResult struct {
	Call *dbsqlc.ScheduledCallGetRow
	Err  error
}

// MakeScheduled makes scheduled calls, each on its own merits, and sets their alarms. Whom the account may not dial at all is
// refused; that is decided again when its time comes, along with the limits of how often and how much. It returns a result for
// each, in their order.
func MakeScheduled(ctx context.Context, tx pgx.Tx, in queue.Inserter, asked ...*ScheduledCall) ([]ScheduledResult, error) {
	results := make([]ScheduledResult, len(asked))
	prepared, err := prepareScheduled(ctx, tx, asked, results)
	if err != nil {
		return nil, err
	}
	if prepared, err = checkScheduled(ctx, tx, prepared, results); err != nil {
		return nil, err
	}
	made, err := insertScheduled(ctx, tx, prepared)
	if err != nil {
		return nil, err
	}
	for i, one := range prepared {
		results[one.row.Position].Call = &dbsqlc.ScheduledCallGetRow{
			ScheduledCall: *made[i], AssistantName: one.row.AssistantName, ContactName: one.row.ContactName,
			ContactPhoneNumber: one.row.ContactPhoneNumber,
		}
	}
	return results, Schedule(ctx, tx, in, made...)
}

// InsertScheduled is MakeScheduled without the rules of destinations and without an alarm. It fails when a call cannot be made.
func InsertScheduled(ctx context.Context, tx dbsqlc.DBTX, asked *ScheduledCall) (*dbsqlc.ScheduledCall, error) {
	results := make([]ScheduledResult, 1)
	prepared, err := prepareScheduled(ctx, tx, []*ScheduledCall{asked}, results)
	if err == nil {
		err = results[0].Err
	}
	if err != nil {
		return nil, err
	}
	made, err := insertScheduled(ctx, tx, prepared)
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// preparedScheduled is a scheduled call that can be made.
type preparedScheduled struct {
	asked *ScheduledCall
	row   *dbsqlc.ScheduledCallPrepareManyRow
}

// prepareScheduled returns the calls that can be made, by the ids of their assistants and contacts, and writes why not of the
// others.
func prepareScheduled(ctx context.Context, tx dbsqlc.DBTX, asked []*ScheduledCall,
	results []ScheduledResult) ([]preparedScheduled, error) {
	params := &dbsqlc.ScheduledCallPrepareManyParams{}
	for i, one := range asked {
		params.Positions, params.AccountIds = append(params.Positions, int32(i)), append(params.AccountIds, one.AccountID)
		params.AssistantIds, params.ContactIds = append(params.AssistantIds, one.AssistantID), append(params.ContactIds, one.ContactID)
	}
	rows, err := dbsqlc.New().ScheduledCallPrepareMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("prepare scheduled calls: %w", err)
	}
	prepared, found := make([]preparedScheduled, len(rows)), make([]bool, len(asked))
	for i, row := range rows {
		prepared[i], found[row.Position] = preparedScheduled{asked[row.Position], row}, true
	}
	missing := &dbsqlc.CallDiagnoseManyParams{}
	for i, one := range asked {
		if !found[i] {
			missing.Positions, missing.AccountIds = append(missing.Positions, int32(i)), append(missing.AccountIds, one.AccountID)
			missing.AssistantIds = append(missing.AssistantIds, one.AssistantID)
		}
	}
	diagnosed, err := diagnose(ctx, tx, missing)
	for _, row := range diagnosed {
		if results[row.Position].Err = ErrUnknownContact; !row.Assistant {
			results[row.Position].Err = ErrUnknownAssistant
		}
	}
	return prepared, err
}

// checkScheduled returns the calls whose destinations the accounts may reach, and writes the refusals of the others.
func checkScheduled(ctx context.Context, tx pgx.Tx, prepared []preparedScheduled,
	results []ScheduledResult) ([]preparedScheduled, error) {
	if len(prepared) == 0 {
		return nil, nil
	}
	all := make([]*spending.Destination, len(prepared))
	for i, one := range prepared {
		all[i] = &spending.Destination{AccountID: one.asked.AccountID, Target: one.row.ContactPhoneNumber, From: one.row.Origin,
			Simulated: one.asked.Simulated}
	}
	refused, err := spending.CheckMany(ctx, tx, all...)
	if err != nil {
		return nil, err
	}
	allowed := make([]preparedScheduled, 0, len(prepared))
	for i, one := range prepared {
		if refusal := refused[all[i]]; refusal != nil {
			results[one.row.Position].Err = refusal
			continue
		}
		allowed = append(allowed, one)
	}
	return allowed, nil
}

// insertScheduled returns the scheduled calls in their order.
func insertScheduled(ctx context.Context, tx dbsqlc.DBTX, prepared []preparedScheduled) ([]*dbsqlc.ScheduledCall, error) {
	if len(prepared) == 0 {
		return nil, nil
	}
	params, places := &dbsqlc.ScheduledCallInsertManyParams{}, make(map[uuid.UUID]int, len(prepared))
	for i, one := range prepared {
		asked := one.asked
		details, err := json.Marshal(asked.ScheduledCallDetails)
		if err != nil {
			return nil, fmt.Errorf("encode scheduled call: %w", err)
		}
		places[asked.ID] = i
		params.Ids, params.AccountIds, params.Simulated = append(params.Ids, asked.ID), append(params.AccountIds, asked.AccountID),
			append(params.Simulated, asked.Simulated)
		params.AssistantIds, params.ContactIds = append(params.AssistantIds, asked.AssistantID),
			append(params.ContactIds, asked.ContactID)
		params.ScheduledTimes, params.Details = append(params.ScheduledTimes, asked.At), append(params.Details, details)
	}
	rows, err := dbsqlc.New().ScheduledCallInsertMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert scheduled calls: %w", err)
	}
	if len(rows) != len(prepared) {
		return nil, fmt.Errorf("insert scheduled calls: of %d there are %d", len(prepared), len(rows))
	}
	made := make([]*dbsqlc.ScheduledCall, len(prepared))
	for _, row := range rows {
		made[places[row.ID]] = row
	}
	return made, nil
}
