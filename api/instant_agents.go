package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/agents"
	"github.com/callwright/callwright/jobs/numbers"
)

const (
	instantAgentTime = 25 * time.Second // for all of the work
	// The row is polled after these pauses, each half as long again as the one before.
	instantAgentFirstLook = 50 * time.Millisecond
	instantAgentLookEvery = 500 * time.Millisecond

	instantAgentsAtOnce = 5 // for each account: they take long, and jobs of other customers wait for them

	maxSMSMessage = 1000 // runes
)

// InstantAgent is an assistant that was made from a company's name.
type InstantAgent struct {
	Success       bool      `json:"success"`
	Message       string    `json:"message" example:"The agent answers +31850000000."`
	PhoneNumber   string    `json:"phone_number" example:"+31850000000"`
	PhoneNumberID uuid.UUID `json:"phone_number_id"`
	AgentName     string    `json:"agent_name" example:"Eva" doc:"Name of the assistant."`
	CompanyName   string    `json:"company_name" example:"Linden Dental"`
}

type instantAgentInput struct {
	middleware.Idempotency
	Body instantAgentBody
}

type instantAgentBody struct {
	PhoneNumberID uuid.UUID `json:"phone_number_id" format:"uuid" doc:"Id of a number of yours or of a default number. A custom number must be free; a default one is taken from your other assistants."`
	CompanyName   string    `json:"company_name" minLength:"1" maxLength:"150"`
	jsonb.InstantAgent
}

// instantAgentRef is what the idempotency key of this operation stores: the response is made from the row.
type instantAgentRef struct {
	InstantAgentID uuid.UUID `json:"instant_agent_id"`
}

func (a *API) registerInstantAgents(to huma.API) {
	create := creates("/instant-agents", "create-instant-agent", tagAssistants, "Create an instant agent",
		"Makes a complete assistant from a company's name, its website, its questions and answers and the other fields, links it to the number and responds when it can take calls. "+
			"It speaks Dutch or English: the language of the website, else of the texts, else of the number's country. The website, the answers and the context become its knowledge base too.\n\n"+
			"400 `already_in_use` when a custom number is linked to another assistant, 400 `invalid_request` too when `website_url` leads to no page that may be read, "+
			"502 `upstream_error` when the website failed, 504 `upstream_timeout` when it did not answer in time or all took over 25 seconds, 409 `limit_reached` when the knowledge base has no room for what it is to know. After these nothing is left behind: no assistant, no link, no knowledge. "+
			"A client that disconnects does not stop it; the same `Idempotency-Key` returns its outcome, errors included, and 409 `idempotency_in_progress` until then. At most 5 are made at once; more are 429 `rate_limited`.",
		http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, to, create, a.instantAgentCreate)
}

func (a *API) instantAgentCreate(ctx context.Context, in *instantAgentInput) (*middleware.Response[InstantAgent], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	ref, err := middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[instantAgentRef], error) {
		return a.instantAgentStart(ctx, tx, &in.Body)
	})
	if err != nil {
		return nil, err
	}
	if ref.Replayed != "" {
		return a.instantAgentAgain(ctx, ref.Body.InstantAgentID)
	}
	row, err := a.instantAgentWait(ctx, ref.Body.InstantAgentID)
	if err != nil {
		return nil, err
	}
	return instantAgentResponse(row)
}

// instantAgentStart inserts the row and its job.
func (a *API) instantAgentStart(ctx context.Context, tx pgx.Tx,
	body *instantAgentBody) (*middleware.Response[instantAgentRef], error) {
	who := middleware.CallerOf(ctx)
	if err := instantAgentAllowed(ctx, tx, body.PhoneNumberID); err != nil {
		return nil, err
	}
	row, err := dbsqlc.New().InstantAgentInsert(ctx, tx, &dbsqlc.InstantAgentInsertParams{
		ID: newID(), AccountID: who.AccountID, Test: who.Test, PhoneNumberID: body.PhoneNumberID, CompanyName: body.CompanyName,
		AgentName: cmp.Or(body.AgentName, body.CompanyName+" assistant"), Request: body.InstantAgent,
		Seconds: cmp.Or(a.instantAgentTime, instantAgentTime).Seconds(),
	})
	if err != nil {
		return nil, apierror.FromDB("instant agent", err)
	}
	if _, err := a.Jobs.InsertTx(ctx, tx, agents.SetUpInstantAgentArgs{InstantAgentID: row.ID}, nil); err != nil {
		return nil, err
	}
	return middleware.Respond(http.StatusCreated, instantAgentRef{InstantAgentID: row.ID}), nil
}

// instantAgentAllowed returns the error that the job would fail with later, or one for too many agents at once.
func instantAgentAllowed(ctx context.Context, tx pgx.Tx, numberID uuid.UUID) error {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	number, err := numbers.Linkable(ctx, tx, who.AccountID, numberID)
	if errors.Is(err, numbers.ErrForeign) { // 403 is only for the link of an assistant
		err = numbers.ErrGone
	}
	if err != nil {
		return linkError(err)
	}
	if who.Test {
		if err := numbers.CheckTest(ctx, tx, who.AccountID, number); err != nil {
			return linkError(err)
		}
	}
	linked, err := queries.PhoneNumberIsLinked(ctx, tx, &dbsqlc.PhoneNumberIsLinkedParams{ID: number.ID})
	if err != nil {
		return fmt.Errorf("look for link of number: %w", err)
	}
	if linked && number.Origin == "custom" {
		return linkError(numbers.ErrInUse)
	}
	pending, err := queries.InstantAgentCountPending(ctx, tx, &dbsqlc.InstantAgentCountPendingParams{AccountID: who.AccountID})
	if err != nil {
		return fmt.Errorf("count pending instant agents: %w", err)
	}
	if pending >= instantAgentsAtOnce {
		return apierror.New(http.StatusTooManyRequests, "rate_limited",
			"As many instant agents as may be are being made: 5.").WithHeader("Retry-After", "5")
	}
	return nil
}

// instantAgentWait polls the row until its state is final. It ends the row itself when its time is over.
func (a *API) instantAgentWait(ctx context.Context, id uuid.UUID) (*dbsqlc.InstantAgentGetRow, error) {
	pause := time.NewTimer(instantAgentFirstLook)
	defer pause.Stop()
	for next := instantAgentFirstLook; ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-pause.C:
		}
		row, err := a.instantAgentLook(ctx, id)
		if err != nil || row.InstantAgent.Status != "pending" {
			return row, err
		}
		next = min(next*3/2, instantAgentLookEvery)
		pause.Reset(next)
	}
}

// instantAgentLook returns the row as it is now. A row whose time is over is no longer pending.
func (a *API) instantAgentLook(ctx context.Context, id uuid.UUID) (*dbsqlc.InstantAgentGetRow, error) {
	queries, params := dbsqlc.New(), &dbsqlc.InstantAgentGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: id}
	row, err := queries.InstantAgentGet(ctx, a.DB, params)
	if err == nil && row.Overdue {
		if err := agents.Expire(ctx, a.DB, id); err != nil {
			return nil, err
		}
		row, err = queries.InstantAgentGet(ctx, a.DB, params) // another process may have ended it meanwhile
	}
	if err != nil {
		return nil, apierror.FromDB("instant agent", err)
	}
	return row, nil
}

// instantAgentAgain returns the response for a repetition.
func (a *API) instantAgentAgain(ctx context.Context, id uuid.UUID) (*middleware.Response[InstantAgent], error) {
	row, err := a.instantAgentLook(ctx, id)
	if err != nil {
		return nil, err
	}
	if row.InstantAgent.Status == "pending" {
		return nil, middleware.IdempotencyInProgress()
	}
	output, err := instantAgentResponse(row)
	if answered, ok := errors.AsType[*apierror.Error](err); ok {
		return nil, answered.WithHeader("Idempotent-Replayed", "true")
	}
	if err != nil {
		return nil, err
	}
	output.Replayed = "true"
	return output, nil
}

// instantAgentResponse returns the response for a row in a final state.
func instantAgentResponse(row *dbsqlc.InstantAgentGetRow) (*middleware.Response[InstantAgent], error) {
	agent := &row.InstantAgent
	switch agent.Status {
	case "ready":
		return middleware.Respond(http.StatusCreated, InstantAgent{
			Success: true, Message: "The agent answers " + row.PhoneNumber + ".", PhoneNumber: row.PhoneNumber,
			PhoneNumberID: agent.PhoneNumberID,
			AgentName:     agent.AgentName, CompanyName: agent.CompanyName,
		}), nil
	case "expired":
		return nil, apierror.New(http.StatusGatewayTimeout, "upstream_timeout", "The agent was not ready in time.")
	}
	switch *agent.Failure { // the reason of a failure
	case agents.FailureWebsiteRefused:
		return nil, apierror.Invalid().With("website_url", *agent.Error)
	case agents.FailureWebsiteSlow:
		return nil, apierror.New(http.StatusGatewayTimeout, "upstream_timeout", *agent.Error)
	case agents.FailureNumberGone:
		return nil, linkError(numbers.ErrGone)
	case agents.FailureNumberInUse:
		return nil, linkError(numbers.ErrInUse)
	case agents.FailureKnowledgeFull:
		return nil, limitReached(*agent.Error)
	}
	return nil, upstreamError(*agent.Error)
}

// check checks what the schema does not express, that of the assistant included, and puts numbers into E.164.
func (b *instantAgentBody) check() error {
	wrong := apierror.Invalid()
	b.CompanyName, b.AgentName = strings.TrimSpace(b.CompanyName), strings.TrimSpace(b.AgentName)
	if b.CompanyName == "" {
		wrong.With("company_name", "is empty")
	}
	if b.NotificationEmail != "" && !validEmail(b.NotificationEmail) {
		wrong.With("notification_email", "is not an e-mail address")
	}
	if b.WebsiteURL != "" && !validServerURL(b.WebsiteURL) {
		wrong.With("website_url", "is not an absolute http or https URL")
	}
	if filled := agents.SMSText(b.SMSMessage, b.CompanyName); utf8.RuneCountInString(filled) > maxSMSMessage {
		wrong.With("sms_message", "is longer than 1000 characters with the company's name in it")
	}
	checkTransfers(wrong, b.CallTransfers)
	booking := apierror.Invalid()
	checkBooking(booking, &jsonb.Booking{CalendarICSURL: b.CalendarICSURL, AppointmentTypes: b.AppointmentTypes})
	for field, message := range booking.Body.Details {
		wrong.With(strings.TrimPrefix(field, "booking."), message)
	}
	if len(wrong.Body.Details) > 0 {
		return wrong
	}
	return nil
}
