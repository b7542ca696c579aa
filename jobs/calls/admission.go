package calls

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// An account runs so many calls at once. A place is the row of a live call itself, owned by a worker whose death is
// noticed, so no place can leak. Places are counted, given and given back under the lock of the account's row.

// loads are the places of accounts, by account. The caller holds the accounts' locks.
type loads map[uuid.UUID]*dbsqlc.AccountListLoadsRow

func listLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	rows, err := dbsqlc.New().AccountListLoads(ctx, tx, &dbsqlc.AccountListLoadsParams{Ids: accountIDs})
	if err != nil {
		return nil, fmt.Errorf("list loads of accounts: %w", err)
	}
	found := make(loads, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

func lockLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	if err := dbsqlc.New().AccountLockMany(ctx, tx, &dbsqlc.AccountLockManyParams{Ids: accountIDs}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	return listLoads(ctx, tx, accountIDs)
}

// places returns how many more outbound calls the account may start: some of its places may be kept for calls that come in.
func (l loads) places(accountID uuid.UUID) int {
	load := l[accountID]
	if load == nil {
		return 0
	}
	free := load.MaxConcurrentCalls - load.Inbound - load.Outbound
	unreserved := load.MaxConcurrentCalls - load.ReservedInboundCalls - load.Outbound
	return int(max(0, min(free, unreserved)))
}

// explain returns why a call of the account waits when it has no place.
func (l loads) explain(accountID uuid.UUID) string {
	load := l[accountID]
	if load == nil || l.places(accountID) > 0 {
		return ""
	}
	text := fmt.Sprintf("Waits for another call to end: the account runs at most %d at once", load.MaxConcurrentCalls)
	if load.ReservedInboundCalls > 0 {
		text += fmt.Sprintf(", and keeps %d of these places for inbound calls", load.ReservedInboundCalls)
	}
	return text + "."
}

// admitInbound reports whether the account has a place for a call that comes in. The caller inserts the call's row, live,
// in the same transaction, or leaves it.
func admitInbound(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) (bool, error) {
	held, err := lockLoads(ctx, tx, []uuid.UUID{accountID})
	if err != nil {
		return false, err
	}
	load := held[accountID]
	return load != nil && load.Inbound+load.Outbound < load.MaxConcurrentCalls, nil
}
