package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
)

// orderCredits is the price of a number.
const orderCredits = 10

// GroupName is the id and name of a verification group.
type GroupName struct {
	ID   uuid.UUID `json:"id"`
	Name *string   `json:"name"`
}

// PhoneNumberOrder is the purchase of a number.
type PhoneNumberOrder struct {
	OrderID           uuid.UUID  `json:"order_id"`
	PhoneNumber       string     `json:"phone_number" example:"+31201234567"`
	NumberType        string     `json:"number_type" enum:"local,mobile,national"`
	Status            string     `json:"status" enum:"pending,completed,failed"`
	VerificationGroup GroupName  `json:"verification_group"`
	CreditsUsed       int32      `json:"credits_used" doc:"Refunded if the order fails."`
	RemainingCredits  int32      `json:"remaining_credits" doc:"Right after the order was paid."`
	FailureReason     *string    `json:"failure_reason"`
	CreatedAt         time.Time  `json:"created_at"`
	CompletedAt       *time.Time `json:"completed_at" doc:"When it was completed or failed."`
}

type numberOrdered struct {
	Message string `json:"message"`
	Data    struct {
		OrderID           uuid.UUID `json:"order_id"`
		PhoneNumber       string    `json:"phone_number" example:"+31201234567"`
		NumberType        string    `json:"number_type" enum:"local,mobile,national"`
		Status            string    `json:"status" enum:"pending,completed,failed"`
		VerificationGroup GroupName `json:"verification_group"`
		CreditsUsed       int32     `json:"credits_used"`
		RemainingCredits  int32     `json:"remaining_credits"`
	} `json:"data"`
}

type groupOrderInput struct {
	middleware.Idempotency
	ID   uuid.UUID `path:"id" format:"uuid" doc:"Id of the verification group."`
	Body struct {
		PhoneNumber string `json:"phone_number" maxLength:"64" doc:"One of the available numbers, E.164." example:"+31201234567"`
	}
}

type numberOrderInput struct {
	middleware.Idempotency
	Body struct {
		PhoneNumber         string    `json:"phone_number" maxLength:"64" doc:"One of the available numbers, E.164." example:"+31201234567"`
		VerificationGroupID uuid.UUID `json:"verification_group_id" format:"uuid" doc:"An approved group."`
	}
}

type numberOrderListInput struct {
	middleware.Page
	Status string `query:"status" enum:"pending,completed,failed" default:"pending" doc:"Orders in this state."`
}

type NumberOrderPath struct {
	ID uuid.UUID `path:"id" format:"uuid" doc:"Id of the order."`
}

type numberOrderOutput struct{ Body PhoneNumberOrder }

const orderRules = "Takes 10 credits and orders the number at the carrier; the order is `pending` until the carrier has decided. The credits of a failed order are refunded. " +
	"Numbers do not renew: the price is paid once. Codes: `invalid_parameters`, `invalid_status` (400), `insufficient_credits` (402), `not_found` (404), `conflict` (409: the number is taken or being ordered)."

func (a *API) registerNumberOrders(to huma.API) {
	orders := func(path, id, summary, description string, errors ...int) huma.Operation {
		op := creates(path, id, tagPhoneNumbers, summary, description,
			append(errors, http.StatusPaymentRequired, http.StatusNotFound)...)
		op.Metadata = map[string]any{validationCode: "invalid_parameters"}
		return op
	}
	handle(a, to, orders("/v1/verification-groups/{id}/order-number", "order-group-number",
		"Order a number through a verification group", orderRules), a.orderThroughGroup)
	handle(a, to, orders("/v1/phone-numbers", "order-phone-number", "Order a number with a subscription",
		"Like an order, for accounts with an active subscription: 403 `subscription_required` without one. "+orderRules,
		http.StatusForbidden), a.orderWithSubscription)
	handle(a, to, orders("/v1/phone-number-orders", "create-phone-number-order", "Order a number", orderRules), a.numberOrderCreate)
	handle(a, to, operation(http.MethodGet, "/v1/phone-number-orders", "list-phone-number-orders", tagPhoneNumbers,
		"List orders of numbers",
		"Your orders in a state, newest first; pending ones unless `status` says otherwise."), a.numberOrderList)
	handle(a, to, operation(http.MethodGet, "/v1/phone-number-orders/{id}", "get-phone-number-order", tagPhoneNumbers,
		"Get an order of a number",
		"One order.", http.StatusNotFound), a.numberOrderGet)
}

func (a *API) orderThroughGroup(ctx context.Context, in *groupOrderInput) (*middleware.Response[numberOrdered], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[numberOrdered], error) {
		order, err := a.orderNumber(ctx, tx, in.ID, in.Body.PhoneNumber)
		if err != nil {
			return nil, err
		}
		body := numberOrdered{Message: "The number is ordered."}
		body.Data.OrderID, body.Data.PhoneNumber, body.Data.NumberType, body.Data.Status = order.OrderID, order.PhoneNumber,
			order.NumberType, order.Status
		body.Data.VerificationGroup, body.Data.CreditsUsed, body.Data.RemainingCredits = order.VerificationGroup, order.CreditsUsed,
			order.RemainingCredits
		return middleware.Respond(http.StatusCreated, body), nil
	})
}

func (a *API) orderWithSubscription(ctx context.Context, in *numberOrderInput) (*middleware.Response[PhoneNumberOrder], error) {
	account, err := dbsqlc.New().AccountGet(ctx, a.DB, &dbsqlc.AccountGetParams{ID: middleware.CallerOf(ctx).AccountID})
	if err != nil {
		return nil, apierror.FromDB("user", err)
	}
	if account.SubscriptionStatus != "active" {
		return nil, apierror.New(http.StatusForbidden, "subscription_required",
			"Ordering a number this way needs an active subscription.")
	}
	return a.numberOrderCreate(ctx, in)
}

func (a *API) numberOrderCreate(ctx context.Context, in *numberOrderInput) (*middleware.Response[PhoneNumberOrder], error) {
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[PhoneNumberOrder], error) {
		order, err := a.orderNumber(ctx, tx, in.Body.VerificationGroupID, in.Body.PhoneNumber)
		if err != nil {
			return nil, err
		}
		return middleware.Respond(http.StatusCreated, *order), nil
	})
}

// orderNumber orders a number, whichever operation was called. Order, payment and job are written together; a
// concurrent order of the same number waits for this one and then finds its row.
func (a *API) orderNumber(ctx context.Context, tx pgx.Tx, groupID uuid.UUID, text string) (*PhoneNumberOrder, error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	number, err := parseNumber(text)
	numberType, locality, sold := a.numbering.Type(number)
	if err != nil || !sold {
		return nil, apierror.New(http.StatusBadRequest, "invalid_parameters",
			"This is no phone number that can be ordered.").With("phone_number",
			"is not a Dutch local, mobile or national number in E.164")
	}
	group, err := orderableGroup(ctx, tx, groupID)
	if err != nil {
		return nil, err
	}
	used, err := queries.PhoneNumberInUse(ctx, tx, &dbsqlc.PhoneNumberInUseParams{Number: number,
		Simulated: middleware.CallerOf(ctx).Simulated})
	if err != nil {
		return nil, fmt.Errorf("look for number: %w", err)
	}
	if used {
		return nil, numberTaken()
	}
	order, err := queries.PhoneNumberOrderInsert(ctx, tx, &dbsqlc.PhoneNumberOrderInsertParams{
		ID: newID(), AccountID: who.AccountID, VerificationGroupID: groupID, PhoneNumber: number, NumberType: numberType,
		Locality: nonEmpty(locality), Simulated: group.Simulated, CreditsUsed: orderCredits,
	})
	if apierror.Violates(err, "phone_number_order_pending_key") {
		return nil, numberTaken()
	}
	if err != nil {
		return nil, apierror.FromDB("phone number order", err)
	}
	paid, err := queries.CreditEntryInsert(ctx, tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: who.AccountID, ID: newID(), Kind: "order", Amount: -orderCredits, Reason: "Order of " + number,
		PhoneNumberOrderID: &order.ID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, apierror.New(http.StatusPaymentRequired, "insufficient_credits",
			fmt.Sprintf("A number costs %d credits.", orderCredits))
	}
	if err != nil {
		return nil, fmt.Errorf("pay order: %w", err)
	}
	if _, err := a.Jobs.InsertTx(ctx, tx, numbers.FulfilNumberOrderArgs{PhoneNumberOrderID: order.ID}, nil); err != nil {
		return nil, fmt.Errorf("enqueue order: %w", err)
	}
	return new(renderNumberOrder(order, group.Name, paid.Balance)), nil
}

// orderableGroup returns the group if numbers can be ordered through it. It is locked until the transaction ends.
func orderableGroup(ctx context.Context, tx pgx.Tx, groupID uuid.UUID) (*dbsqlc.VerificationGroup, error) {
	who := middleware.CallerOf(ctx)
	group, err := dbsqlc.New().VerificationGroupGetForShare(ctx, tx,
		&dbsqlc.VerificationGroupGetForShareParams{AccountID: who.AccountID, ID: groupID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, apierror.NotFound("verification group").With("verification_group_id", "not found")
	case err != nil:
		return nil, fmt.Errorf("get verification group: %w", err)
	case group.Status != "approved":
		return nil, apierror.New(http.StatusBadRequest, "invalid_status",
			"The verification group is not approved.").With("verification_group_id", "is "+group.Status)
	case group.Simulated != who.Simulated:
		return nil, apierror.New(http.StatusBadRequest, "invalid_status",
			"A group that a test key created is for test keys only, other groups are not.").With("verification_group_id",
			"was checked for the other kind of key")
	}
	return group, nil
}

func numberTaken() error {
	return apierror.Conflict("This number is taken, or being ordered.").With("phone_number", "is not available")
}

func (a *API) numberOrderList(ctx context.Context, in *numberOrderListInput) (*middleware.List[PhoneNumberOrder], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	total, err := queries.PhoneNumberOrderCount(ctx, a.DB,
		&dbsqlc.PhoneNumberOrderCountParams{AccountID: who.AccountID, Status: in.Status})
	if err != nil {
		return nil, apierror.FromDB("phone number order", err)
	}
	rows, err := queries.PhoneNumberOrderList(ctx, a.DB, &dbsqlc.PhoneNumberOrderListParams{
		AccountID: who.AccountID, Status: in.Status, Before: in.Before(), Max: middleware.QueryLimit(in.Limit), Skip: int32(in.Offset),
	})
	if err != nil {
		return nil, apierror.FromDB("phone number order", err)
	}
	render := func(row *dbsqlc.PhoneNumberOrderListRow) PhoneNumberOrder {
		return renderNumberOrder(&row.PhoneNumberOrder, row.GroupName, row.RemainingCredits)
	}
	where := func(row *dbsqlc.PhoneNumberOrderListRow) middleware.Position {
		return middleware.Position{ID: row.PhoneNumberOrder.ID}
	}
	return middleware.NewList(in.Limit, &in.Place, rows, total, render, where)
}

func (a *API) numberOrderGet(ctx context.Context, in *NumberOrderPath) (*numberOrderOutput, error) {
	row, err := dbsqlc.New().PhoneNumberOrderGet(ctx, a.DB,
		&dbsqlc.PhoneNumberOrderGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("phone number order", err)
	}
	return &numberOrderOutput{Body: renderNumberOrder(&row.PhoneNumberOrder, row.GroupName, row.RemainingCredits)}, nil
}

func renderNumberOrder(row *dbsqlc.PhoneNumberOrder, groupName string, remaining int32) PhoneNumberOrder {
	return PhoneNumberOrder{
		OrderID: row.ID, PhoneNumber: row.PhoneNumber, NumberType: row.NumberType, Status: row.Status,
		VerificationGroup: GroupName{ID: row.VerificationGroupID, Name: &groupName}, CreditsUsed: row.CreditsUsed,
		RemainingCredits: remaining,
		FailureReason:    row.FailureReason, CreatedAt: row.CreatedAt.UTC(), CompletedAt: utc(row.CompletedAt),
	}
}
