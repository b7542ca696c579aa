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
)

// ReleasePhoneNumberArgs asks for a number to be given back to the carrier: one that an account had, or a purchase that
// never became anybody's.
type ReleasePhoneNumberArgs struct {
	PhoneNumberID   uuid.UUID `json:"phone_number_id,omitzero"`
	CarrierNumberID string    `json:"carrier_number_id,omitempty"`
	Simulated       bool      `json:"simulated,omitempty"`
}

// Kind implements river.JobArgs.
func (ReleasePhoneNumberArgs) Kind() string { return "release_phone_number" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (ReleasePhoneNumberArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// ReleasePhoneNumberWorker gives a number back. It names the purchase, not the number, so that it never gives back what
// somebody bought later; until it is done nobody can order the number here.
type ReleasePhoneNumberWorker struct {
	river.WorkerDefaults[ReleasePhoneNumberArgs]
	DB       dbsqlc.DBTX
	Carriers *Carriers
}

// Work implements river.Worker.
func (w *ReleasePhoneNumberWorker) Work(ctx context.Context, job *river.Job[ReleasePhoneNumberArgs]) error {
	args := job.Args
	if args.CarrierNumberID == "" {
		row, err := dbsqlc.New().PhoneNumberGetReleasing(ctx, w.DB, &dbsqlc.PhoneNumberGetReleasingParams{ID: args.PhoneNumberID})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("get phone number: %w", err)
		}
		args.CarrierNumberID, args.Simulated = db.TextOf(row.CarrierNumberID), row.Simulated
	}
	if err := w.Carriers.Of(args.Simulated).Release(ctx, args.CarrierNumberID); err != nil {
		return w.Carriers.trouble(ctx, err, job.CreatedAt)
	}
	if err := dbsqlc.New().PhoneNumberSetReleased(ctx, w.DB,
		&dbsqlc.PhoneNumberSetReleasedParams{ID: args.PhoneNumberID}); err != nil {
		return fmt.Errorf("set phone number released: %w", err)
	}
	return nil
}
