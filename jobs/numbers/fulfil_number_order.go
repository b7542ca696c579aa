package numbers

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/telco"
)

// FulfilNumberOrderArgs asks for an order to be placed at the carrier and followed to its end.
type FulfilNumberOrderArgs struct {
	PhoneNumberOrderID uuid.UUID `json:"phone_number_order_id"`
	Notice             bool      `json:"notice,omitempty"` // the carrier said that something changed: look once
}

// Kind implements river.JobArgs.
func (FulfilNumberOrderArgs) Kind() string { return "fulfil_number_order" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (FulfilNumberOrderArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// FulfilNumberOrderWorker buys the number of an order. The carrier knows the order by our id, so it is bought once,
// however often this runs; the order ends by compare-and-set, together with the number or with the credits given back.
type FulfilNumberOrderWorker struct {
	river.WorkerDefaults[FulfilNumberOrderArgs]
	DB       db.Beginner
	Carriers *Carriers
}

// Work implements river.Worker.
func (w *FulfilNumberOrderWorker) Work(ctx context.Context, job *river.Job[FulfilNumberOrderArgs]) error {
	row, err := dbsqlc.New().PhoneNumberOrderGetAny(ctx, w.DB, &dbsqlc.PhoneNumberOrderGetAnyParams{ID: job.Args.PhoneNumberOrderID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get phone number order: %w", err)
	}
	order := &row.PhoneNumberOrder
	if order.Status != "pending" {
		return nil
	}
	purchase, err := w.Carriers.Of(order.Simulated).Order(ctx, telco.Order{
		Reference: order.ID.String(), PhoneNumber: order.PhoneNumber, Dossier: dossierOf(&row.VerificationGroup, order.NumberType),
	})
	if reason, refused := refusal(err); refused {
		purchase, err = telco.Purchase{Status: telco.Failed, Reason: reason}, nil
	}
	if err != nil {
		return w.Carriers.trouble(ctx, err, order.CreatedAt)
	}
	switch purchase.Status {
	case telco.Completed:
		return w.complete(ctx, order, purchase)
	case telco.Failed:
		return db.InTx(ctx, w.DB, func(tx pgx.Tx) error { return failOrder(ctx, tx, order, purchase.Reason) })
	}
	return w.wait(ctx, job, order, purchase)
}

func (w *FulfilNumberOrderWorker) wait(ctx context.Context, job *river.Job[FulfilNumberOrderArgs], order *dbsqlc.PhoneNumberOrder,
	purchase telco.Purchase) error {
	err := dbsqlc.New().PhoneNumberOrderSetExternal(ctx, w.DB,
		&dbsqlc.PhoneNumberOrderSetExternalParams{ID: order.ID, ExternalOrderID: &purchase.OrderID})
	if err != nil {
		return fmt.Errorf("set external order: %w", err)
	}
	if job.Args.Notice {
		return nil
	}
	return river.JobSnooze(patience(w.Carriers.Now(), order.CreatedAt))
}

func (w *FulfilNumberOrderWorker) complete(ctx context.Context, order *dbsqlc.PhoneNumberOrder, purchase telco.Purchase) error {
	return db.InTx(ctx, w.DB, func(tx pgx.Tx) error {
		numberID, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make phone number id: %w", err)
		}
		queries := dbsqlc.New()
		number, err := queries.PhoneNumberInsertOrdered(ctx, tx, &dbsqlc.PhoneNumberInsertOrderedParams{
			ID: numberID, AccountID: &order.AccountID, Number: order.PhoneNumber, Simulated: order.Simulated, Type: &order.NumberType,
			Locality:           order.Locality,
			PhoneNumberOrderID: &order.ID, CarrierNumberID: &purchase.NumberID,
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return w.giveUp(ctx, tx, order, purchase)
		}
		if err != nil {
			return fmt.Errorf("insert phone number: %w", err)
		}
		completed, err := queries.PhoneNumberOrderComplete(ctx, tx, &dbsqlc.PhoneNumberOrderCompleteParams{
			ID: order.ID, PhoneNumberID: &number.ID, ExternalOrderID: &purchase.OrderID,
		})
		if err == nil && completed == 0 {
			err = errors.New("the order is not pending any more")
		}
		if err != nil {
			return fmt.Errorf("complete phone number order: %w", err)
		}
		return nil
	})
}

// giveUp ends an order whose number is in use here already, unless it is this order that put it there: the purchase goes
// back to the carrier.
func (w *FulfilNumberOrderWorker) giveUp(ctx context.Context, tx pgx.Tx, order *dbsqlc.PhoneNumberOrder,
	purchase telco.Purchase) error {
	current, err := dbsqlc.New().PhoneNumberOrderGetAny(ctx, tx, &dbsqlc.PhoneNumberOrderGetAnyParams{ID: order.ID})
	if err != nil {
		return fmt.Errorf("get phone number order: %w", err)
	}
	if current.PhoneNumberOrder.Status != "pending" {
		return nil
	}
	args := ReleasePhoneNumberArgs{CarrierNumberID: purchase.NumberID, Simulated: order.Simulated}
	if _, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx, args, nil); err != nil {
		return fmt.Errorf("enqueue release: %w", err)
	}
	return failOrder(ctx, tx, order, "The number is in use already.")
}

// failOrder ends an order without a number and gives its credits back, once.
func failOrder(ctx context.Context, tx pgx.Tx, order *dbsqlc.PhoneNumberOrder, reason string) error {
	failed, err := dbsqlc.New().PhoneNumberOrderFail(ctx, tx,
		&dbsqlc.PhoneNumberOrderFailParams{ID: order.ID, FailureReason: &reason})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("fail phone number order: %w", err)
	}
	entryID, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make credit entry id: %w", err)
	}
	_, err = dbsqlc.New().CreditEntryInsert(ctx, tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: failed.AccountID, ID: entryID, Kind: "refund", Amount: failed.CreditsUsed, Reason: "Order of " + failed.PhoneNumber +
			" failed",
		PhoneNumberOrderID: &failed.ID,
	})
	if err != nil {
		return fmt.Errorf("give credits back: %w", err)
	}
	return nil
}
