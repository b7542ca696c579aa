package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// giveBackPause is how long a call that was given back waits for its next dispatch: what its process lacks may be back by then,
// and another process may have it sooner.
const giveBackPause = 2 * time.Second

// GiveBack puts a call that processID has claimed back into the queue, before any INVITE was sent: the process lacks what it
// takes to dial. explanation tells the customer why the call waits. Its place is free, it keeps its turn, and it costs no attempt
// of a retry plan. ErrConflict: the call is not this process's to dial.
func GiveBack(ctx context.Context, tx pgx.Tx, in queue.Inserter, callID uuid.UUID, processID, explanation string) (*dbsqlc.Call, error) {
	given, err := requeue(ctx, tx, in, &dbsqlc.CallRequeueManyParams{
		WorkerID: &processID, NotSent: true, Explanation: explanation, Ids: []uuid.UUID{callID},
	}, giveBackPause)
	if err != nil {
		return nil, fmt.Errorf("give call back: %w", err)
	}
	if len(given) == 0 {
		return nil, ErrConflict
	}
	return given[0], nil
}
