package calls

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/spending"
)

// setPlaced closes scheduled calls with the calls that were made.
func setPlaced(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) error {
	if len(calls) == 0 {
		return nil
	}
	placed := &dbsqlc.ScheduledCallSetPlacedManyParams{}
	for _, call := range calls {
		placed.Ids, placed.CallIds = append(placed.Ids, *call.ScheduledCallID), append(placed.CallIds, call.ID)
	}
	if err := dbsqlc.New().ScheduledCallSetPlacedMany(ctx, tx, placed); err != nil {
		return fmt.Errorf("set processed: %w", err)
	}
	return nil
}

// setNotPlaced closes the planned scheduled calls for which none of calls was made, and returns the events that say why: each has
// one cause.
func setNotPlaced(ctx context.Context, tx pgx.Tx, planned []*plannedCall, calls []*dbsqlc.Call,
	refused map[uuid.UUID]*spending.Refusal) ([]events.Event, error) {
	made := map[uuid.UUID]bool{}
	for _, call := range calls {
		made[*call.ScheduledCallID] = true
	}
	unplaced := &dbsqlc.ScheduledCallSetNotPlacedParams{}
	for _, one := range planned {
		if !made[one.ID] {
			unplaced.Ids = append(unplaced.Ids, one.ID)
		}
	}
	if len(unplaced.Ids) == 0 {
		return nil, nil
	}
	rows, err := dbsqlc.New().ScheduledCallListObstacles(ctx, tx, &dbsqlc.ScheduledCallListObstaclesParams{Ids: unplaced.Ids})
	if err != nil {
		return nil, fmt.Errorf("list obstacles of scheduled calls: %w", err)
	}
	unplaced.Ids = unplaced.Ids[:0]
	failures := make([]events.Event, len(rows))
	for i, row := range rows {
		cause, why := obstacle(row, refused[row.ScheduledCall.ID])
		explanation := "Did not dial: " + why + "."
		unplaced.Ids, unplaced.Explanations = append(unplaced.Ids, row.ScheduledCall.ID), append(unplaced.Explanations, explanation)
		failures[i] = events.ScheduledCallFailed(&row.ScheduledCall, row.AssistantName, cause, explanation)
	}
	if err := dbsqlc.New().ScheduledCallSetNotPlaced(ctx, tx, unplaced); err != nil {
		return nil, fmt.Errorf("explain scheduled calls: %w", err)
	}
	return failures, nil
}

// obstacle returns the first cause for which a scheduled call makes no call, and the same in words.
func obstacle(row *dbsqlc.ScheduledCallListObstaclesRow, refusal *spending.Refusal) (cause, why string) {
	switch {
	case row.AssistantDeleted:
		return events.CauseAssistantDeleted, "the assistant was deleted"
	case row.ContactDeleted:
		return events.CauseContactDeleted, "the contact was deleted"
	case refusal != nil && refusal.Reason == spending.MonthlyBudget:
		return events.CauseBudgetExhausted, refusal.Error()
	case refusal != nil:
		return events.CauseDestinationNotAllowed, refusal.Error()
	}
	return events.CauseNoPhoneNumber, "the assistant has no phone number"
}
