package numbers

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
)

// numberTaken is why a connection is of no use although its proxy registered it.
const numberTaken = "The proxy registered the connection, but somebody else has this phone number."

// ReportSIPConnection records how a registration stands. The first that is registered makes its number the account's; one
// that has failed for a day is stopped, which is an event. A report of a process that does not keep the connection registered
// any more has no effect. If two connections claim a number at once, one of the reports fails and has to be made again.
func ReportSIPConnection(ctx context.Context, tx pgx.Tx, report *dbsqlc.SIPConnectionReportParams) error {
	connection, err := dbsqlc.New().SIPConnectionReport(ctx, tx, report)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("report registration: %w", err)
	case connection.Status == "registered":
		return claim(ctx, tx, connection)
	case connection.Status == "stopped":
		return stopped(ctx, tx, connection)
	}
	return nil
}

// claim makes the connection's number the account's, unless somebody else has it.
func claim(ctx context.Context, tx pgx.Tx, connection *dbsqlc.SIPConnection) error {
	queries := dbsqlc.New()
	claimed, err := queries.PhoneNumberClaim(ctx, tx, &dbsqlc.PhoneNumberClaimParams{AccountID: &connection.AccountID,
		ID: connection.PhoneNumberID})
	if err != nil || claimed > 0 {
		return err
	}
	pending, err := queries.PhoneNumberIsPending(ctx, tx,
		&dbsqlc.PhoneNumberIsPendingParams{AccountID: &connection.AccountID, ID: connection.PhoneNumberID})
	if err != nil || !pending {
		return err
	}
	return queries.SIPConnectionSetTaken(ctx, tx, &dbsqlc.SIPConnectionSetTakenParams{
		AccountID: connection.AccountID, ID: connection.ID, LastError: new(numberTaken),
	})
}

func stopped(ctx context.Context, tx pgx.Tx, connection *dbsqlc.SIPConnection) error {
	row, err := dbsqlc.New().SIPConnectionGet(ctx, tx, &dbsqlc.SIPConnectionGetParams{AccountID: connection.AccountID,
		ID: connection.ID})
	if err != nil {
		return fmt.Errorf("get SIP connection: %w", err)
	}
	return events.Record(ctx, tx, events.SIPConnectionStopped(connection, row.Number, events.StoppedFailing))
}

// ErrReleasing means that a number is on its way back to the carrier already.
var ErrReleasing = errors.New("the number is on its way back to the carrier")

// TakeBack takes a number from whoever has it, for the operator: no assistant has it any more, its SIP connection is deleted,
// and a number that was bought goes back to the carrier.
func TakeBack(ctx context.Context, tx pgx.Tx, in queue.Inserter, number *dbsqlc.PhoneNumber) error {
	queries := dbsqlc.New()
	if _, err := queries.PhoneNumberUnlinkAll(ctx, tx, &dbsqlc.PhoneNumberUnlinkAllParams{ID: number.ID}); err != nil {
		return fmt.Errorf("unlink number: %w", err)
	}
	if number.PhoneNumberOrderID != nil {
		return returnToCarrier(ctx, tx, in, number)
	}
	deleted, err := queries.SIPConnectionDeleteOfNumber(ctx, tx, &dbsqlc.SIPConnectionDeleteOfNumberParams{PhoneNumberID: number.ID})
	if err != nil {
		return fmt.Errorf("delete SIP connection: %w", err)
	}
	for _, connection := range deleted {
		if err := events.Record(ctx, tx, events.SIPConnectionStopped(connection, number.Number, events.StoppedTakenBack)); err != nil {
			return fmt.Errorf("record end of SIP connection: %w", err)
		}
	}
	if _, err := queries.PhoneNumberTakeBack(ctx, tx, &dbsqlc.PhoneNumberTakeBackParams{ID: number.ID}); err != nil {
		return fmt.Errorf("release number: %w", err)
	}
	return nil
}

func returnToCarrier(ctx context.Context, tx pgx.Tx, in queue.Inserter, number *dbsqlc.PhoneNumber) error {
	changed, err := dbsqlc.New().PhoneNumberSetReleasing(ctx, tx,
		&dbsqlc.PhoneNumberSetReleasingParams{AccountID: number.AccountID, ID: number.ID})
	if err != nil {
		return fmt.Errorf("set phone number releasing: %w", err)
	}
	if changed == 0 {
		return ErrReleasing
	}
	if _, err := in.InsertTx(ctx, tx, ReleasePhoneNumberArgs{PhoneNumberID: number.ID}, nil); err != nil {
		return fmt.Errorf("enqueue release: %w", err)
	}
	return nil
}
