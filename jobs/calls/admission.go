package calls

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/spending"
)

// An account runs so many calls at once. A place is the row of a live call itself, owned by a worker whose death is
// noticed, so no place can leak. Places are counted, given and given back under the lock of the account's row.

// loads are the places of accounts, by account. The caller holds the accounts' locks.
type loads map[uuid.UUID]*dbsqlc.AccountListLoadsRow

func listLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	rows, err := dbsqlc.New().AccountListLoads(ctx, tx, loadsParams(accountIDs))
	if err != nil {
		return nil, fmt.Errorf("list loads of accounts: %w", err)
	}
	found := make(loads, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// lockLoads is the first thing that a transaction does.
func lockLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	if err := dbsqlc.New().AccountLockMany(ctx, tx, &dbsqlc.AccountLockManyParams{Ids: accountIDs}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	found, err := listLoads(ctx, tx, accountIDs)
	if err != nil {
		return nil, err
	}
	heads.remember(found)
	return found, nil
}

// seconds returns for how many seconds more the account's calls may be connected today, beside those that live calls may last
// still.
func (l loads) seconds(accountID uuid.UUID) int64 {
	load := l[accountID]
	if load == nil {
		return 0
	}
	return spending.SecondsOf(load.MaxDailyMinutes) - load.CallSeconds - load.ReservedSeconds
}

// longest returns how many of count calls may start that cost minutes, and how many seconds each of them may last: they
// share what is left of the day. No calls, no seconds: what is left is too little, or live calls hold it.
func (l loads) longest(accountID uuid.UUID, count int) (calls int, seconds int32) {
	left, least := l.seconds(accountID), int64(spending.Least.Seconds())
	if calls = int(min(int64(count), left/least)); calls <= 0 {
		return 0, 0
	}
	return calls, int32(min(left/int64(calls), math.MaxInt32))
}

// spent reports whether the account's minutes of the day are used: none of its calls starts before the next one.
func (l loads) spent(accountID uuid.UUID) bool {
	load := l[accountID]
	return load != nil && spending.Spent(load.MaxDailyMinutes, load.CallSeconds)
}

// refusal returns why none of the account's queued calls starts, and the reason of their ends; nil: they may.
func (l loads) refusal(accountID uuid.UUID) (refusal *spending.Refusal, reason string) {
	switch {
	case l[accountID] != nil && l[accountID].BudgetExhausted:
		return spending.BudgetExhausted(accountID), callstate.ReasonStartErrorBudgetExhausted
	case l.spent(accountID):
		return spending.MinutesSpent(accountID, *l[accountID].MaxDailyMinutes), callstate.ReasonStartErrorDestinationNotAllowed
	}
	return nil, ""
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
	if load == nil {
		return ""
	}
	if l.places(accountID) > 0 {
		if l.seconds(accountID) < int64(spending.Least.Seconds()) {
			return "Waits for another call to end: live calls hold what is left of today's minutes."
		}
		return ""
	}
	text := fmt.Sprintf("Waits for another call to end: the account runs at most %d at once", load.MaxConcurrentCalls)
	if load.ReservedInboundCalls > 0 {
		text += fmt.Sprintf(", and keeps %d of these places for inbound calls", load.ReservedInboundCalls)
	}
	return text + "."
}

// lockWithPlace locks those of the accounts that have a place, and returns their loads.
func lockWithPlace(ctx context.Context, tx pgx.Tx, accountIDs ...uuid.UUID) (loads, error) {
	from := loadsParams(accountIDs)
	locked, err := dbsqlc.New().AccountLockWithPlace(ctx, tx,
		&dbsqlc.AccountLockWithPlaceParams{Ids: from.Ids, LiveFrom: from.LiveFrom})
	if err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	if len(locked) == 0 {
		return nil, nil
	}
	return listLoads(ctx, tx, locked)
}

// admitInbound returns the arrivals for which their accounts have places, first come, first served. The caller inserts their
// rows, live, in the same transaction. An INVITE that came twice takes one place.
func admitInbound(ctx context.Context, tx pgx.Tx, arrivals []*Arrival) ([]*Arrival, error) {
	accounts := map[uuid.UUID]bool{}
	for _, arrival := range arrivals {
		accounts[arrival.route.AccountID] = true
	}
	held, err := lockWithPlace(ctx, tx, slices.Collect(maps.Keys(accounts))...)
	if err != nil {
		return nil, err
	}
	var admitted []*Arrival
	came := map[string]bool{}
	for _, arrival := range arrivals {
		load := held[arrival.route.AccountID]
		switch {
		case came[arrival.SIPCallID]:
		case load != nil && load.Inbound+load.Outbound < load.MaxConcurrentCalls:
			load.Inbound++
			came[arrival.SIPCallID] = true
		default:
			continue
		}
		admitted = append(admitted, arrival)
	}
	return admitted, nil
}
