package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// scheduledCallFilter selects the scheduled calls of a list.
type scheduledCallFilter struct {
	accountID   uuid.UUID
	assistantID *uuid.UUID
	contactID   *uuid.UUID
	statuses    []string
}

// count returns the number of matching scheduled calls, on all pages.
func (f *scheduledCallFilter) count(ctx context.Context, conn dbsqlc.DBTX) (int64, error) {
	if f.contactID != nil {
		return dbsqlc.New().ScheduledCallCountByContact(ctx, conn, &dbsqlc.ScheduledCallCountByContactParams{
			AccountID: f.accountID, ContactID: *f.contactID, AssistantID: f.assistantID, Statuses: f.statuses,
		})
	}
	return dbsqlc.New().ScheduledCallCount(ctx, conn, &dbsqlc.ScheduledCallCountParams{
		AccountID: f.accountID, AssistantID: f.assistantID, Statuses: f.statuses,
	})
}

// page returns a page of scheduled calls, by the query that suits the filter.
func (f *scheduledCallFilter) page(ctx context.Context, conn dbsqlc.DBTX, before uuid.UUID, most,
	skip int32) ([]*dbsqlc.ScheduledCallGetRow, error) {
	queries := dbsqlc.New()
	switch {
	case f.contactID != nil:
		rows, err := queries.ScheduledCallListByContact(ctx, conn, &dbsqlc.ScheduledCallListByContactParams{
			AccountID: f.accountID, ContactID: *f.contactID, AssistantID: f.assistantID, Statuses: f.statuses, Before: before, Max: most,
			Skip: skip,
		})
		return rowsAs(rows, func(row *dbsqlc.ScheduledCallListByContactRow) *dbsqlc.ScheduledCallGetRow {
			return (*dbsqlc.ScheduledCallGetRow)(row)
		}), err
	case f.assistantID != nil:
		rows, err := queries.ScheduledCallListByAssistant(ctx, conn, &dbsqlc.ScheduledCallListByAssistantParams{
			AccountID: f.accountID, AssistantID: *f.assistantID, Statuses: f.statuses, Before: before, Reach: most + skip, Max: most,
			Skip: skip,
		})
		return rowsAs(rows, func(row *dbsqlc.ScheduledCallListByAssistantRow) *dbsqlc.ScheduledCallGetRow {
			return (*dbsqlc.ScheduledCallGetRow)(row)
		}), err
	}
	rows, err := queries.ScheduledCallList(ctx, conn, &dbsqlc.ScheduledCallListParams{
		AccountID: f.accountID, Statuses: f.statuses, Before: before, Reach: most + skip, Max: most, Skip: skip,
	})
	return rowsAs(rows, func(row *dbsqlc.ScheduledCallListRow) *dbsqlc.ScheduledCallGetRow {
		return (*dbsqlc.ScheduledCallGetRow)(row)
	}), err
}

// rowsAs converts rows to the type that is rendered.
func rowsAs[From, To any](rows []From, as func(From) To) []To {
	converted := make([]To, len(rows))
	for i, row := range rows {
		converted[i] = as(row)
	}
	return converted
}
