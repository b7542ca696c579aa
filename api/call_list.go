package api

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/costs"
)

type callListInput struct {
	middleware.Page10
	AssistantID OptionalID `query:"assistant_id" doc:"Calls of this assistant."`
	ContactID   OptionalID `query:"contact_id" doc:"Calls with this contact."`
	CallStatus  string     `query:"call_status" enum:"queued,dialing,ringing,in-progress,forwarding,completed,missed,busy,no-answer,voicemail,failed,canceled" doc:"Calls in this state."`
	StartDate   string     `query:"start_date" format:"date" doc:"First day, in UTC." example:"2026-11-01"`
	EndDate     string     `query:"end_date" format:"date" doc:"Last day, in UTC, itself included." example:"2026-11-30"`
}

func (a *API) callList(ctx context.Context, in *callListInput) (*middleware.List[Call], error) {
	filter, err := in.filter(middleware.CallerOf(ctx).AccountID)
	if err != nil {
		return nil, err
	}
	total, err := filter.count(ctx, db.PlanEach(a.DB))
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	rows, err := filter.page(ctx, db.PlanEach(a.DB), middleware.QueryLimit(in.Limit), int32(in.Offset))
	if err != nil {
		return nil, apierror.FromDB("call", err)
	}
	where := func(row *dbsqlc.Call) middleware.Position { return middleware.Position{At: row.CreatedAt, ID: row.ID} }
	list, err := middleware.NewList(in.Limit, &in.Place, rows, total, renderCall, where)
	if err != nil {
		return nil, err
	}
	return list, a.setCosts(ctx, filter.accountID, list.Body.Data)
}

// setCosts sets what calls cost.
func (a *API) setCosts(ctx context.Context, accountID uuid.UUID, rendered []Call) error {
	ids := make([]uuid.UUID, len(rendered))
	for i := range rendered {
		ids[i] = rendered[i].CallID
	}
	used, err := costs.List(ctx, db.PlanEach(a.DB), accountID, ids...)
	if err != nil {
		return err
	}
	for i := range rendered {
		rendered[i].setCost(used)
	}
	return nil
}

// callFilter selects the calls of a list: those from since to before, and in the order of the list after (until,
// untilID).
type callFilter struct {
	accountID     uuid.UUID
	assistantID   *uuid.UUID
	contactID     *uuid.UUID
	statuses      []string
	since, before time.Time
	until         time.Time
	untilID       uuid.UUID
}

func (in *callListInput) filter(accountID uuid.UUID) (*callFilter, error) {
	wrong := apierror.Invalid()
	filter := &callFilter{
		accountID: accountID, assistantID: in.AssistantID.ID, contactID: in.ContactID.ID, statuses: callstate.Statuses(),
		since:  dayStart(wrong, "start_date", in.StartDate, 0, time.Time{}),
		before: dayStart(wrong, "end_date", in.EndDate, 1, middleware.LastTime),
	}
	if in.CallStatus != "" {
		filter.statuses = []string{in.CallStatus}
	}
	filter.until, filter.untilID = filter.before, uuid.Nil
	if in.Cursor != "" {
		filter.until, filter.untilID = in.After().At, in.After().ID
	}
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return filter, nil
}

// count returns the number of matching calls, on all pages.
func (f *callFilter) count(ctx context.Context, conn dbsqlc.DBTX) (int64, error) {
	if f.contactID != nil {
		return dbsqlc.New().CallCountByContact(ctx, conn, &dbsqlc.CallCountByContactParams{
			AccountID: f.accountID, ContactID: f.contactID, AssistantID: f.assistantID, Statuses: f.statuses, Since: f.since,
			Before: f.before,
		})
	}
	return dbsqlc.New().CallCount(ctx, conn, &dbsqlc.CallCountParams{
		AccountID: f.accountID, AssistantID: f.assistantID, Statuses: f.statuses, Since: f.since, Before: f.before,
	})
}

// page returns a page of calls, by the query that suits the filter.
func (f *callFilter) page(ctx context.Context, conn dbsqlc.DBTX, most, skip int32) ([]*dbsqlc.Call, error) {
	queries := dbsqlc.New()
	switch {
	case f.contactID != nil:
		return queries.CallListByContact(ctx, conn, &dbsqlc.CallListByContactParams{
			AccountID: f.accountID, ContactID: f.contactID, AssistantID: f.assistantID, Statuses: f.statuses,
			Since: f.since, Until: f.until, UntilID: f.untilID, Max: most, Skip: skip,
		})
	case f.assistantID != nil:
		return queries.CallListByAssistant(ctx, conn, &dbsqlc.CallListByAssistantParams{
			AccountID: f.accountID, AssistantID: f.assistantID, Statuses: f.statuses,
			Since: f.since, Until: f.until, UntilID: f.untilID, Reach: most + skip, Max: most, Skip: skip,
		})
	case len(f.statuses) == 1:
		return queries.CallListByStatus(ctx, conn, &dbsqlc.CallListByStatusParams{
			AccountID: f.accountID, Status: f.statuses[0], Since: f.since, Until: f.until, UntilID: f.untilID, Max: most, Skip: skip,
		})
	}
	return queries.CallList(ctx, conn, &dbsqlc.CallListParams{
		AccountID: f.accountID, Since: f.since, Until: f.until, UntilID: f.untilID, Max: most, Skip: skip,
	})
}

// dayStart returns the start of a day, plusDays later; otherwise if no day is given.
func dayStart(wrong *apierror.Error, field, text string, plusDays int, otherwise time.Time) time.Time {
	if text == "" {
		return otherwise
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		wrong.With(field, "is not a day, YYYY-MM-DD")
		return otherwise
	}
	return day.AddDate(0, 0, plusDays)
}
