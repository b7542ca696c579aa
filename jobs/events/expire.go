package events

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Expire deletes the oldest of an account's events from before, with their attempts, at most so many, and returns how many there
// were. It stops at one that is still to be delivered.
func Expire(ctx context.Context, tx dbsqlc.DBTX, accountID uuid.UUID, before time.Time, most int) (int, error) {
	deleted, err := dbsqlc.New().RetentionDeleteEvents(ctx, tx,
		&dbsqlc.RetentionDeleteEventsParams{AccountID: accountID, Before: before, Max: int32(most)})
	if err != nil {
		return 0, fmt.Errorf("delete old events: %w", err)
	}
	return int(deleted), nil
}
