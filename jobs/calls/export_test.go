package calls

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// What the tests of this package see of it.
const ClaimLead = claimLead

var Wake = wake

// AdmitInbound reports whether the account has a place for a call that comes in.
func AdmitInbound(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) (bool, error) {
	admitted, err := admitInbound(ctx, tx, []*Arrival{{&Ring{}, &dbsqlc.InboundRouteRow{AccountID: accountID}}})
	return len(admitted) == 1, err
}

func (w *FinishCallWorker) Finish(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]time.Duration, error) {
	return w.finish(ctx, ids)
}
