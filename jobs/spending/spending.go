// Package spending keeps what calls and texts may cost within what each account is allowed: to which countries and types of
// numbers they go, how often to one number, and how much of them in a day. It counts what was used and what was refused.
//
// It knows accounts, numbers and counters. It must not know who wants to reach a number, nor how.
package spending

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Least is what must be left of a day's minutes for a call to be dialed: the shortest time that is reserved for one.
const Least = time.Minute

// The kinds of what is counted in a day.
const (
	kindCalls   = "call_seconds"
	kindTexts   = "texts"
	kindRefused = "refused:" // and the reason
)

// SecondsOf returns a limit of minutes in seconds; nil: no limit.
func SecondsOf(minutes *int32) int64 {
	if minutes == nil {
		return math.MaxInt32
	}
	return int64(*minutes) * 60
}

// Spent reports whether too little is left of a day's minutes for another call.
func Spent(minutes *int32, used int64) bool {
	return SecondsOf(minutes)-used < int64(Least.Seconds())
}

// Used is what an account used in a day.
type Used struct {
	CallSeconds, Texts int64
	Refused            map[string]int64 // by reason
}

// Today returns what an account used since the day began in UTC.
func Today(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID) (Used, error) {
	rows, err := dbsqlc.New().DailySpendingList(ctx, conn, &dbsqlc.DailySpendingListParams{AccountID: accountID})
	if err != nil {
		return Used{}, fmt.Errorf("list what was used: %w", err)
	}
	used := Used{Refused: map[string]int64{}}
	for _, row := range rows {
		switch row.Kind {
		case kindCalls:
			used.CallSeconds = row.N
		case kindTexts:
			used.Texts = row.N
		default:
			used.Refused[row.Kind[len(kindRefused):]] = row.N
		}
	}
	return used, nil
}

// AddCalls counts the time for which calls were connected, once they have ended.
func AddCalls(ctx context.Context, conn dbsqlc.DBTX, connected map[uuid.UUID]time.Duration) error {
	params := &dbsqlc.DailySpendingAddParams{}
	for accountID, d := range connected {
		params.AccountIds, params.Kinds = append(params.AccountIds, accountID), append(params.Kinds, kindCalls)
		params.Amounts = append(params.Amounts, int64(math.Ceil(d.Seconds())))
	}
	return add(ctx, conn, params)
}

// LockTexts returns how many texts the account may still send today. Nobody else sends any before the transaction ends.
func LockTexts(ctx context.Context, tx dbsqlc.DBTX, accountID uuid.UUID) (int64, error) {
	left, err := dbsqlc.New().DailySpendingLockTexts(ctx, tx, &dbsqlc.DailySpendingLockTextsParams{AccountID: accountID})
	if err != nil {
		return 0, fmt.Errorf("lock texts of the day: %w", err)
	}
	return left, nil
}

// AddTexts counts texts.
func AddTexts(ctx context.Context, tx dbsqlc.DBTX, texts map[uuid.UUID]int64) error {
	params := &dbsqlc.DailySpendingAddParams{}
	for accountID, n := range texts {
		params.AccountIds, params.Kinds, params.Amounts = append(params.AccountIds, accountID), append(params.Kinds, kindTexts),
			append(params.Amounts, n)
	}
	return add(ctx, tx, params)
}

// AddRefusals counts refusals, which a transaction that they undo cannot.
func AddRefusals(ctx context.Context, conn dbsqlc.DBTX, refusals ...*Refusal) error {
	type key struct {
		accountID uuid.UUID
		reason    Reason
	}
	counts := map[key]int64{}
	for _, refusal := range refusals {
		counts[key{refusal.AccountID, refusal.Reason}]++
	}
	params := &dbsqlc.DailySpendingAddParams{}
	for of, n := range counts {
		params.AccountIds, params.Kinds = append(params.AccountIds, of.accountID), append(params.Kinds, kindRefused+string(of.reason))
		params.Amounts = append(params.Amounts, n)
	}
	return add(ctx, conn, params)
}

func add(ctx context.Context, conn dbsqlc.DBTX, params *dbsqlc.DailySpendingAddParams) error {
	if len(params.AccountIds) == 0 {
		return nil
	}
	if err := dbsqlc.New().DailySpendingAdd(ctx, conn, params); err != nil {
		return fmt.Errorf("count what was used: %w", err)
	}
	return nil
}
