package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
)

const furthestSchedule = 2 * 365 * 24 * time.Hour

// ScheduledCall is a call that is placed later.
type ScheduledCall struct {
	ID                 uuid.UUID     `json:"id"`
	AssistantID        uuid.UUID     `json:"assistant_id"`
	AssistantName      string        `json:"assistant_name"`
	ContactID          uuid.UUID     `json:"contact_id"`
	ContactName        *string       `json:"contact_name"`
	ContactPhoneNumber string        `json:"contact_phone_number" doc:"Empty once the person is erased." example:"+31612345678"`
	ScheduledTime      time.Time     `json:"scheduled_time" doc:"When it calls; with retries the time of the next attempt."`
	Processed          bool          `json:"processed"`
	Status             string        `json:"status" enum:"scheduled,processed,canceled"`
	CallID             *uuid.UUID    `json:"call_id" doc:"Its call, once placed; with retries the latest one."`
	Attempts           int32         `json:"attempts" doc:"Calls that were made for it so far."`
	Explanation        *string       `json:"explanation" doc:"Why it waits, or did not dial."`
	Variables          jsonb.Strings `json:"variables"`
	Instruction        *string       `json:"instruction"`
	Retry              *jsonb.Retry  `json:"retry"`
	Window             *jsonb.Window `json:"window"`
	CreatedAt          time.Time     `json:"created_at"`
	UpdatedAt          time.Time     `json:"updated_at"`
}

type ScheduledCallPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the scheduled call."`
}

type scheduledCallUpdateInput struct {
	ScheduledCallPath
	Body struct {
		ScheduledTime Opt[ISOTime]       `json:"scheduled_time,omitzero"`
		Instruction   Opt[string]        `json:"instruction,omitzero" maxLength:"50000"`
		Processed     Opt[bool]          `json:"processed,omitzero" doc:"true prevents the call; false allows it again, unless it was placed."`
		Variables     Opt[jsonb.Strings] `json:"variables,omitzero"`
		Retry         Opt[jsonb.Retry]   `json:"retry,omitzero"`
		Window        Opt[jsonb.Window]  `json:"window,omitzero"`

		ID                 AsRead `json:"id,omitzero"`
		AssistantID        AsRead `json:"assistant_id,omitzero"`
		AssistantName      AsRead `json:"assistant_name,omitzero"`
		ContactID          AsRead `json:"contact_id,omitzero"`
		ContactName        AsRead `json:"contact_name,omitzero"`
		ContactPhoneNumber AsRead `json:"contact_phone_number,omitzero"`
		Status             AsRead `json:"status,omitzero"`
		CallID             AsRead `json:"call_id,omitzero"`
		Attempts           AsRead `json:"attempts,omitzero"`
		Explanation        AsRead `json:"explanation,omitzero"`
		CreatedAt          AsRead `json:"created_at,omitzero"`
		UpdatedAt          AsRead `json:"updated_at,omitzero"`
	}
}

type scheduledCallListInput struct {
	middleware.Page10
	AssistantID OptionalID   `query:"assistant_id" doc:"Calls by this assistant."`
	ContactID   OptionalID   `query:"contact_id" doc:"Calls to this contact."`
	Processed   OptionalBool `query:"processed" doc:"Whether they are processed."`
}

type scheduledCallOutput struct{ Body ScheduledCall }

func (a *API) registerScheduledCalls(to huma.API) {
	handle(a, to, operation(http.MethodGet, "/v1/scheduled-calls", "list-scheduled-calls", tagScheduledCalls, "List scheduled calls",
		"Your scheduled calls, newest first; canceled ones are not listed."), a.scheduledCallList)
	create := creates("/v1/scheduled-calls", "create-scheduled-call", tagScheduledCalls, "Schedule a call",
		"The call is placed at its time, also if processes end meanwhile; `processed` becomes true in the transaction that creates the call. With `retry`, an attempt that ends as one of `on` turns it false again until the next one; until then PUT changes the next attempt, PUT `processed` true or DELETE cancels it, and so does the contact's or the assistant's deletion. When its time comes the rules of destinations are applied again: a call that they forbid is not dialed, and `explanation` says why."+destinationRules, http.StatusNotFound, http.StatusForbidden)
	handle(a, to, withRules(create, func(in *scheduledCallCreateInput) error {
		_, err := a.checkNewSchedule(in)
		return err
	}), a.scheduledCallCreate)
	handle(a, to, operation(http.MethodGet, "/v1/scheduled-calls/{id}", "get-scheduled-call", tagScheduledCalls,
		"Get a scheduled call", "One scheduled call.", http.StatusNotFound), a.scheduledCallGet)
	handle(a, to, operation(http.MethodPut, "/v1/scheduled-calls/{id}", "update-scheduled-call", tagScheduledCalls,
		"Update a scheduled call",
		"Changes the fields that the body names. 409 once it is processed, which may be one second before its time, except for `processed` itself.", http.StatusNotFound, http.StatusConflict), a.scheduledCallUpdate)
	remove := operation(http.MethodDelete, "/v1/scheduled-calls/{id}", "delete-scheduled-call", tagScheduledCalls,
		"Cancel a scheduled call", "409 once it is processed, which may be one second before its time.", http.StatusNotFound,
		http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.scheduledCallDelete)
}

func (a *API) scheduledCallList(ctx context.Context, in *scheduledCallListInput) (*middleware.List[ScheduledCall], error) {
	filter := scheduledCallFilter{
		accountID: middleware.CallerOf(ctx).AccountID, assistantID: in.AssistantID.ID, contactID: in.ContactID.ID,
		statuses: []string{"scheduled", "processed"},
	}
	if in.Processed.Given {
		filter.statuses = []string{statusOfProcessed(in.Processed.Value)}
	}
	total, err := filter.count(ctx, db.PlanEach(a.DB))
	if err != nil {
		return nil, apierror.FromDB("scheduled call", err)
	}
	rows, err := filter.page(ctx, db.PlanEach(a.DB), in.Before(), middleware.QueryLimit(in.Limit), int32(in.Offset))
	if err != nil {
		return nil, apierror.FromDB("scheduled call", err)
	}
	where := func(row *dbsqlc.ScheduledCallGetRow) middleware.Position {
		return middleware.Position{ID: row.ScheduledCall.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, renderScheduledCall, where)
}

func statusOfProcessed(processed bool) string {
	if processed {
		return "processed"
	}
	return "scheduled"
}

func (a *API) scheduledCallGet(ctx context.Context, in *ScheduledCallPath) (*scheduledCallOutput, error) {
	shown, err := scheduledCallShow(ctx, a.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &scheduledCallOutput{Body: shown}, nil
}

func (a *API) scheduledCallUpdate(ctx context.Context, in *scheduledCallUpdateInput) (*scheduledCallOutput, error) {
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*scheduledCallOutput, error) {
		row, err := dbsqlc.New().ScheduledCallGetForUpdate(ctx, tx,
			&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
		if err != nil {
			return nil, apierror.FromDB("scheduled call", err)
		}
		before, err := scheduledCallShow(ctx, tx, in.ID)
		if err != nil {
			return nil, err
		}
		wrong := apierror.Invalid()
		if err := refuseChanges(wrong, fieldsAsRead(&in.Body), before); err != nil {
			return nil, err
		}
		params, err := a.scheduledCallChange(wrong, in, row)
		if err != nil {
			return nil, err
		}
		updated, err := dbsqlc.New().ScheduledCallUpdate(ctx, tx, params)
		if err != nil {
			return nil, apierror.FromDB("scheduled call", err)
		}
		// A job that was enqueued for another time finds the row as it is now.
		if updated.Status == "scheduled" && (row.Status != "scheduled" || !updated.ScheduledTime.Equal(row.ScheduledTime) ||
			in.Body.Window.Set) {
			if err := calls.Schedule(ctx, tx, a.Jobs, updated); err != nil {
				return nil, err
			}
		}
		shown, err := scheduledCallShow(ctx, tx, in.ID)
		if err != nil {
			return nil, err
		}
		return &scheduledCallOutput{Body: shown}, nil
	})
}

// scheduledCallChange returns the row after the change, or an error that says why it is not possible.
func (a *API) scheduledCallChange(wrong *apierror.Error, in *scheduledCallUpdateInput,
	row *dbsqlc.ScheduledCall) (*dbsqlc.ScheduledCallUpdateParams, error) {
	body := &in.Body
	processed := body.Processed.or(row.Status == "processed")
	params := &dbsqlc.ScheduledCallUpdateParams{
		AccountID: row.AccountID, ID: row.ID, Status: statusOfProcessed(processed), Stop: body.Processed.Set && processed,
		ScheduledTime: row.ScheduledTime,
		Instruction:   row.Instruction, Variables: body.Variables.or(row.Variables), Retry: row.Retry, Window: row.Window,
	}
	if text := body.ScheduledTime.value(); text != nil {
		params.ScheduledTime = readMoment(wrong, "scheduled_time", *text)
	}
	if value, set := body.Instruction.pointer(); set {
		params.Instruction = value
	}
	if value, set := body.Retry.pointer(); set {
		params.Retry = value
	}
	if value, set := body.Window.pointer(); set {
		params.Window = value
	}
	if params.Variables == nil {
		params.Variables = jsonb.Strings{}
	}
	changes := !params.ScheduledTime.Equal(row.ScheduledTime) || !reflect.DeepEqual(params.Instruction, row.Instruction) ||
		!maps.Equal(params.Variables, row.Variables) || !reflect.DeepEqual(params.Retry, row.Retry) ||
		!reflect.DeepEqual(params.Window, row.Window)
	switch {
	case row.Status == "processed" && changes && processed:
		return nil, apierror.Conflict("The scheduled call is already processed.")
	case row.Status == "processed" && !processed && row.CallID != nil:
		return nil, apierror.Conflict("The scheduled call was already placed.").With("processed",
			"cannot be false once the call was placed")
	}
	for field, null := range map[string]bool{"scheduled_time": body.ScheduledTime.Null, "processed": body.Processed.Null} {
		if null {
			wrong.With(field, "must not be null")
		}
	}
	a.checkSchedule(wrong, params.ScheduledTime, params.Variables, params.Window)
	if len(wrong.Body.Details) > 0 {
		return nil, wrong
	}
	return params, nil
}

func (a *API) scheduledCallDelete(ctx context.Context, in *ScheduledCallPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		if _, err := queries.ScheduledCallGetForUpdate(ctx, tx,
			&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
			return apierror.FromDB("scheduled call", err)
		}
		_, err := queries.ScheduledCallCancel(ctx, tx, &dbsqlc.ScheduledCallCancelParams{AccountID: who.AccountID, ID: in.ID})
		if errors.Is(err, pgx.ErrNoRows) {
			return apierror.Conflict("The scheduled call is already processed.")
		}
		return err
	})
}

// checkSchedule checks what the schema does not express.
func (a *API) checkSchedule(wrong *apierror.Error, at time.Time, variables jsonb.Strings, window *jsonb.Window) {
	if at.After(a.Now().Add(furthestSchedule)) {
		wrong.With("scheduled_time", "is more than two years ahead")
	}
	size := 0
	for name, value := range variables {
		size += len(name) + len(value)
	}
	if size > maxObjectBytes {
		wrong.With("variables", fmt.Sprintf("are larger than %d KiB", maxObjectBytes>>10))
	}
	if window != nil {
		if _, err := window.Opens(at); err != nil {
			wrong.With("window", err.Error())
		}
	}
}

func scheduledCallShow(ctx context.Context, tx dbsqlc.DBTX, id uuid.UUID) (ScheduledCall, error) {
	row, err := dbsqlc.New().ScheduledCallGet(ctx, tx, &dbsqlc.ScheduledCallGetParams{AccountID: middleware.CallerOf(ctx).AccountID,
		ID: id})
	if err != nil {
		return ScheduledCall{}, apierror.FromDB("scheduled call", err)
	}
	return renderScheduledCall(row), nil
}

func renderScheduledCall(row *dbsqlc.ScheduledCallGetRow) ScheduledCall {
	scheduled := &row.ScheduledCall
	return ScheduledCall{
		ID: scheduled.ID, AssistantID: scheduled.AssistantID, AssistantName: row.AssistantName, ContactID: scheduled.ContactID,
		ContactName: row.ContactName, ContactPhoneNumber: row.ContactPhoneNumber, ScheduledTime: scheduled.ScheduledTime.UTC(),
		Processed: scheduled.Status == "processed", Status: scheduled.Status, CallID: scheduled.CallID, Attempts: scheduled.Attempt,
		Explanation: scheduled.Explanation,
		Variables:   scheduled.Variables, Instruction: scheduled.Instruction, Retry: scheduled.Retry, Window: scheduled.Window,
		CreatedAt: scheduled.CreatedAt.UTC(), UpdatedAt: scheduled.UpdatedAt.UTC(),
	}
}
