package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/queue"
)

// Delete hides an ended call and asks for what it holds to be removed. ErrConflict means that the call is not over, or
// was deleted before.
func Delete(ctx context.Context, tx pgx.Tx, in queue.Inserter, accountID, callID uuid.UUID) error {
	call, err := dbsqlc.New().CallDelete(ctx, tx, &dbsqlc.CallDeleteParams{AccountID: accountID, ID: callID})
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrConflict
	}
	if err != nil {
		return fmt.Errorf("delete call: %w", err)
	}
	if _, err := in.InsertTx(ctx, tx, erasure.DiscardCallArgs{CallID: call.ID}, nil); err != nil {
		return fmt.Errorf("ask for call to be discarded: %w", err)
	}
	return nil
}
