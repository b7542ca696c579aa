package numbers

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/telco"
)

// CreateVerificationAddressArgs asks for a group's address to be filed at the carrier.
type CreateVerificationAddressArgs struct {
	VerificationGroupID uuid.UUID `json:"verification_group_id"`
}

// Kind implements river.JobArgs.
func (CreateVerificationAddressArgs) Kind() string { return "create_verification_address" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (CreateVerificationAddressArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// CreateVerificationAddressWorker files the address under the group's id, so a second try finds the first's.
type CreateVerificationAddressWorker struct {
	river.WorkerDefaults[CreateVerificationAddressArgs]
	DB       dbsqlc.DBTX
	Carriers *Carriers
}

// Work implements river.Worker.
func (w *CreateVerificationAddressWorker) Work(ctx context.Context, job *river.Job[CreateVerificationAddressArgs]) error {
	group, err := dbsqlc.New().VerificationGroupGetAny(ctx, w.DB,
		&dbsqlc.VerificationGroupGetAnyParams{ID: job.Args.VerificationGroupID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get verification group: %w", err)
	}
	if group.ExternalAddressID != nil {
		return nil
	}
	params := &dbsqlc.VerificationGroupSetAddressParams{ID: group.ID}
	id, err := w.Carriers.Of(group.Simulated).CreateAddress(ctx, addressOf(group))
	if reason, refused := refusal(err); refused {
		params.AddressError = &reason
	} else if err != nil {
		return w.Carriers.trouble(ctx, err, group.CreatedAt)
	} else {
		params.ExternalAddressID = &id
	}
	if err := dbsqlc.New().VerificationGroupSetAddress(ctx, w.DB, params); err != nil {
		return fmt.Errorf("set address: %w", err)
	}
	return nil
}

func addressOf(group *dbsqlc.VerificationGroup) telco.Address {
	return telco.Address{
		Reference: group.ID.String(), BusinessName: group.BusinessName, FirstName: group.ContactPersonFirstName,
		LastName: group.ContactPersonLastName,
		Phone:    group.ContactPersonPhone, Street: group.StreetName + " " + group.HouseNumber, PostalCode: group.PostalCode,
		City:     group.City,
		Province: group.Province, Country: "NL",
	}
}
