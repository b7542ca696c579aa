package events

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Channel is where Postgres notifies of newly numbered events: by the ids of their accounts, separated by commas. It is a
// wake-up, which may be lost with the process that sends it; the rows are the truth.
const Channel = "callwright_event"

// UnnumberedChannel is where whoever numbers events is notified of new ones, by the id of their account.
const UnnumberedChannel = "callwright_unnumbered"

// accountsPerBatch keeps a transaction short, and a notification below the 8000 bytes that it may have.
const accountsPerBatch = 200

// Number gives the oldest unnumbered events of the accounts their places in the accounts' gap-free sequences, in the
// order in which they were written, and notifies of the accounts' new events, whoever numbered them: deliveries number what they
// send, and leave the notification to whoever calls this. After an outage there may be more of them than one batch numbers.
func Number(ctx context.Context, tx dbsqlc.DBTX, accountIDs ...uuid.UUID) error {
	for accounts := range slices.Chunk(accountIDs, accountsPerBatch) {
		if err := dbsqlc.New().EventNumber(ctx, tx, &dbsqlc.EventNumberParams{AccountIds: accounts}); err != nil {
			return fmt.Errorf("number events: %w", err)
		}
		if err := notifyNumbered(ctx, tx, accounts); err != nil {
			return err
		}
	}
	return nil
}

// NumberFree is Number, except that it waits for nobody: it returns the accounts whose events others are numbering. Some of these
// may have come too late for that.
func NumberFree(ctx context.Context, tx dbsqlc.DBTX, accountIDs ...uuid.UUID) (left []uuid.UUID, err error) {
	for accounts := range slices.Chunk(accountIDs, accountsPerBatch) {
		busy, err := dbsqlc.New().EventNumberFree(ctx, tx, &dbsqlc.EventNumberFreeParams{AccountIds: accounts})
		if err != nil {
			return nil, fmt.Errorf("number events: %w", err)
		}
		left = append(left, busy...)
		free := slices.DeleteFunc(accounts, func(account uuid.UUID) bool { return slices.Contains(busy, account) })
		if err := notifyNumbered(ctx, tx, free); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func notifyNumbered(ctx context.Context, tx dbsqlc.DBTX, accounts []uuid.UUID) error {
	if len(accounts) == 0 {
		return nil
	}
	texts := make([]string, len(accounts))
	for i, account := range accounts {
		texts[i] = account.String()
	}
	return db.Notify(ctx, tx, Channel, strings.Join(texts, ","))
}
