package calls

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// What the tests of this package see of it.
const (
	ClaimLead    = claimLead
	ErrArguments = errArguments
)

var (
	AdmitInbound = admitInbound
	Wake         = wake
)

func (w *FinishCallWorker) Finish(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]time.Duration, error) {
	return w.finish(ctx, ids)
}
