package calls

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// TurnChannel is what API processes listen to: a notification names the calls, separated by commas, in which somebody who is
// watched has said something.
const TurnChannel = "call_turn"

// mostNamed calls fit into a notification, which may have 8,000 bytes.
const mostNamed = 200

// Watch has the worker of a call tell of its turns for as long as the lease lasts. It reports whether the call goes on.
func Watch(ctx context.Context, conn dbsqlc.DBTX, accountID, callID uuid.UUID, lease time.Duration) (bool, error) {
	watched, err := dbsqlc.New().CallWatchRenew(ctx, conn,
		&dbsqlc.CallWatchRenewParams{AccountID: accountID, CallID: callID, Seconds: lease.Seconds()})
	if err != nil {
		return false, fmt.Errorf("watch call: %w", err)
	}
	return watched > 0, nil
}

// tellOfTurns wakes those who watch calls.
func tellOfTurns(ctx context.Context, conn dbsqlc.DBTX, watched []uuid.UUID) error {
	for len(watched) > 0 {
		some := watched[:min(len(watched), mostNamed)]
		watched = watched[len(some):]
		names := make([]string, len(some))
		for i, id := range some {
			names[i] = id.String()
		}
		if err := db.Notify(ctx, conn, TurnChannel, strings.Join(names, ",")); err != nil {
			return err
		}
	}
	return nil
}
