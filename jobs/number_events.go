package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// EventChannel is where Postgres tells which accounts have newly numbered events: their ids, parted by commas. It is a
// wake-up, which may be lost with the process that sends it; the rows are the truth.
const EventChannel = "callwright_event"

// accountsPerRound keeps a transaction short, and a notification below the 8000 bytes that it may have.
const accountsPerRound = 200

// NumberEvents gives the oldest unnumbered events of the accounts their places in the accounts' gap-free sequences, in the
// order of their facts. After an outage there may be more of them than one round numbers.
func NumberEvents(ctx context.Context, beginner db.Beginner, accountIDs ...uuid.UUID) error {
	for accounts := range slices.Chunk(accountIDs, accountsPerRound) {
		numbered, err := numberRound(ctx, beginner, accounts)
		if err != nil {
			return err
		}
		if len(numbered) == 0 {
			continue
		}
		texts := make([]string, len(numbered))
		for i, account := range numbered {
			texts[i] = account.String()
		}
		// After the commit, since a transaction that notifies holds up all others of its kind while it is flushed.
		if err := dbsqlc.New().EventNotify(ctx, beginner, &dbsqlc.EventNotifyParams{AccountIds: strings.Join(texts, ",")}); err != nil {
			return fmt.Errorf("notify of events: %w", err)
		}
	}
	return nil
}

func numberRound(ctx context.Context, beginner db.Beginner, accounts []uuid.UUID) ([]uuid.UUID, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) ([]uuid.UUID, error) {
		queries := dbsqlc.New()
		if err := queries.EventCounterLock(ctx, tx, &dbsqlc.EventCounterLockParams{AccountIds: accounts}); err != nil {
			return nil, fmt.Errorf("lock event counters: %w", err)
		}
		numbered, err := queries.EventNumber(ctx, tx, &dbsqlc.EventNumberParams{AccountIds: accounts})
		if err != nil {
			return nil, fmt.Errorf("number events: %w", err)
		}
		return numbered, nil
	})
}
