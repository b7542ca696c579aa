package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
)

// LinkedNumber is the number of an assistant.
type LinkedNumber struct {
	ID       uuid.UUID `json:"id"`
	Number   string    `json:"number" example:"+31850000000"`
	Type     *string   `json:"type" enum:"local,mobile,national"`
	Locality *string   `json:"locality"`
	Origin   string    `json:"origin,omitempty" enum:"default,custom"`
}

type linkShown struct {
	Data struct {
		AssistantID   uuid.UUID     `json:"assistant_id"`
		AssistantName string        `json:"assistant_name"`
		PhoneNumber   *LinkedNumber `json:"phone_number" doc:"null if none is linked."`
	} `json:"data"`
}

type linkMade struct {
	Message string `json:"message"`
	Data    struct {
		AssistantID           uuid.UUID    `json:"assistant_id"`
		PhoneNumber           LinkedNumber `json:"phone_number"`
		PreviousPhoneNumberID *uuid.UUID   `json:"previous_phone_number_id" doc:"The number that was linked before."`
		ReleasedAssistants    int64        `json:"released_assistants" doc:"Other assistants that lost their default number."`
	} `json:"data"`
}

type linkRemoved struct {
	Message string `json:"message"`
	Data    struct {
		AssistantID         uuid.UUID       `json:"assistant_id"`
		UnlinkedPhoneNumber *unlinkedNumber `json:"unlinked_phone_number"`
	} `json:"data"`
}

type unlinkedNumber struct {
	ID     uuid.UUID `json:"id"`
	Number string    `json:"number"`
}

type LinkPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the assistant."`
}

type linkInput struct {
	middleware.Idempotency
	ID   uuid.UUID `path:"id" format:"uuid" doc:"Id of the assistant."`
	Body struct {
		PhoneNumberID uuid.UUID `json:"phone_number_id" doc:"Id of a number of yours or of a default number." format:"uuid"`
	}
}

type linkShownOutput struct{ Body linkShown }

type linkRemovedOutput struct{ Body linkRemoved }

func (a *API) registerNumberLink(to huma.API) {
	const path = "/v1/assistants/{id}/phone-number"
	handle(a, to, operation(http.MethodGet, path, "get-assistant-phone-number", tagAssistants, "Get an assistant's number",
		"The linked number, null when there is none.", http.StatusNotFound), a.linkGet)
	link := creates(path, "link-assistant-phone-number", tagAssistants, "Link a number to an assistant",
		"A number that was linked before is unlinked first. Linking a default number releases your other assistants from theirs. Codes: `invalid_parameters`, `already_linked`, `already_in_use` (400), `forbidden` (403), `not_found` (404).",
		http.StatusForbidden, http.StatusNotFound)
	link.DefaultStatus = http.StatusOK
	link.Metadata = map[string]any{validationCode: "invalid_parameters"}
	handle(a, to, link, a.linkCreate)
	handle(a, to, operation(http.MethodDelete, path, "unlink-assistant-phone-number", tagAssistants, "Unlink an assistant's number",
		"The number becomes available again. 400 `no_phone_number` when there is none.", http.StatusNotFound), a.linkDelete)
}

func (a *API) linkGet(ctx context.Context, in *LinkPath) (*linkShownOutput, error) {
	assistant, err := assistantShow(ctx, a.DB, in.ID)
	if err != nil {
		return nil, err
	}
	output := &linkShownOutput{}
	output.Body.Data.AssistantID, output.Body.Data.AssistantName = assistant.AssistantID, assistant.AssistantName
	row, err := dbsqlc.New().PhoneNumberLinkGet(ctx, a.DB,
		&dbsqlc.PhoneNumberLinkGetParams{AccountID: middleware.CallerOf(ctx).AccountID, AssistantID: in.ID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, apierror.FromDB("phone number", err)
	default:
		output.Body.Data.PhoneNumber = new(renderLinked(&row.PhoneNumber))
		output.Body.Data.PhoneNumber.Origin = row.PhoneNumber.Origin
	}
	return output, nil
}

func (a *API) linkCreate(ctx context.Context, in *linkInput) (*middleware.Response[linkMade], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[linkMade], error) {
		body, err := linkNumber(ctx, tx, in.ID, in.Body.PhoneNumberID)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusOK, *body), nil
	})
}

// linkNumber links a number to an assistant of the caller's account.
func linkNumber(ctx context.Context, tx pgx.Tx, assistantID, numberID uuid.UUID) (*linkMade, error) {
	who := middleware.CallerOf(ctx)
	if _, err := dbsqlc.New().AssistantLock(ctx, tx, &dbsqlc.AssistantLockParams{AccountID: who.AccountID,
		ID: assistantID}); err != nil {
		return nil, apierror.FromDB("assistant", err)
	}
	link, err := numbers.Link(ctx, tx, who.AccountID, assistantID, numberID)
	if err != nil {
		return nil, linkError(err)
	}
	made := &linkMade{Message: "The phone number is linked."}
	made.Data.AssistantID, made.Data.PhoneNumber = assistantID, renderLinked(link.Number)
	made.Data.PreviousPhoneNumberID, made.Data.ReleasedAssistants = link.Previous, link.Released
	return made, nil
}

// linkError returns the response for a number that could not be linked.
func linkError(err error) error {
	switch {
	case errors.Is(err, numbers.ErrGone):
		return apierror.NotFound("phone number")
	case errors.Is(err, numbers.ErrForeign):
		return apierror.New(http.StatusForbidden, "forbidden", "This phone number is not yours.")
	case errors.Is(err, numbers.ErrAlreadyLinked):
		return apierror.New(http.StatusBadRequest, "already_linked", "This phone number is already linked to this assistant.")
	case errors.Is(err, numbers.ErrTest):
		return middleware.TestKeyRefused("An assistant that a test key made gets no real number, and takes no default number from a live assistant.")
	case errors.Is(err, numbers.ErrInUse):
		return apierror.New(http.StatusBadRequest, "already_in_use", "This phone number is linked to another assistant.")
	}
	return err
}

// linkByUpdate links a number by the earlier form of an assistant's update.
func (a *API) linkByUpdate(ctx context.Context, tx pgx.Tx, assistantID uuid.UUID, value any) error {
	wrong := func(message string) error {
		return apierror.New(http.StatusBadRequest, "invalid_parameters", "phone_number_id "+message+".").With("phone_number_id",
			message)
	}
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	if value == nil {
		return queries.PhoneNumberLinkRemove(ctx, tx, &dbsqlc.PhoneNumberLinkRemoveParams{AccountID: who.AccountID,
			AssistantID: assistantID})
	}
	text, _ := value.(string)
	numberID, err := uuid.Parse(text)
	if err != nil {
		return wrong("is not a UUID")
	}
	number, err := queries.PhoneNumberGetAny(ctx, tx, &dbsqlc.PhoneNumberGetAnyParams{ID: numberID})
	if err != nil {
		return apierror.FromDB("phone number", err)
	}
	if number.Origin != "custom" {
		return wrong("is a default number; link it at /v1/assistants/{id}/phone-number")
	}
	linked, err := queries.PhoneNumberLinkGet(ctx, tx, &dbsqlc.PhoneNumberLinkGetParams{AccountID: who.AccountID,
		AssistantID: assistantID})
	if err == nil && linked.PhoneNumber.ID == numberID {
		return nil // an update may repeat what is so
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return apierror.FromDB("phone number", err)
	}
	_, err = linkNumber(ctx, tx, assistantID, numberID)
	return err
}

func (a *API) linkDelete(ctx context.Context, in *LinkPath) (*linkRemovedOutput, error) {
	return middleware.WithChange(ctx, a.DB, func(tx pgx.Tx) (*linkRemovedOutput, error) {
		who, queries := middleware.CallerOf(ctx), dbsqlc.New()
		if _, err := queries.AssistantLock(ctx, tx, &dbsqlc.AssistantLockParams{AccountID: who.AccountID, ID: in.ID}); err != nil {
			return nil, apierror.FromDB("assistant", err)
		}
		unlinked, err := queries.PhoneNumberLinkDelete(ctx, tx,
			&dbsqlc.PhoneNumberLinkDeleteParams{AccountID: who.AccountID, AssistantID: in.ID})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, apierror.New(http.StatusBadRequest, "no_phone_number", "The assistant has no phone number.")
		}
		if err != nil {
			return nil, fmt.Errorf("unlink number: %w", err)
		}
		output := &linkRemovedOutput{Body: linkRemoved{Message: "The phone number is unlinked."}}
		output.Body.Data.AssistantID = in.ID
		output.Body.Data.UnlinkedPhoneNumber = &unlinkedNumber{ID: unlinked.ID, Number: unlinked.Number}
		return output, nil
	})
}

func renderLinked(number *dbsqlc.PhoneNumber) LinkedNumber {
	return LinkedNumber{ID: number.ID, Number: number.Number, Type: number.Type, Locality: number.Locality}
}
