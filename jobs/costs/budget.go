package costs

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
)

// thresholds are the percents of a budget of which an event is written, in their order.
var thresholds = []int32{80, 100}

// Budget is what an account may spend on calls in a month, and has spent in this one.
type Budget struct {
	Monthly  *jsonb.USD // nil: there is no budget
	TimeZone string     // whose months count
	Month    string     // such as 2026-11
	Spent    jsonb.USD
	reached  int32
}

// Exhausted reports whether no more calls are made in the month.
func (b *Budget) Exhausted() bool { return b.Monthly != nil && b.Spent >= *b.Monthly }

// percent returns the highest threshold that is reached; 0: none.
func (b *Budget) percent() int32 {
	highest := int32(0)
	for _, percent := range thresholds {
		if b.Monthly != nil && b.Spent > 0 && b.Spent >= *b.Monthly-*b.Monthly/100*jsonb.USD(100-percent) {
			highest = percent
		}
	}
	return highest
}

// GetBudget returns the budget of an account.
func GetBudget(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID) (*Budget, error) {
	row, err := dbsqlc.New().MonthlySpendingGet(ctx, conn, &dbsqlc.MonthlySpendingGetParams{AccountID: accountID})
	if err != nil {
		return nil, fmt.Errorf("get budget: %w", err)
	}
	return &Budget{Monthly: (*jsonb.USD)(row.MonthlyBudget), TimeZone: row.TimeZone, Month: row.Month, Spent: jsonb.USD(row.Cost),
		reached: row.Reached}, nil
}

// SetBudget sets what an account may spend in a month, nil: without limit, and the time zone of its months. A budget that is
// reached already is an event at once, and so is one that is reached again after it was changed.
func SetBudget(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, monthly *jsonb.USD, timeZone string) (*Budget, error) {
	queries := dbsqlc.New()
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: accountID}); err != nil {
		return nil, fmt.Errorf("lock account: %w", err)
	}
	set := &dbsqlc.AccountSetBudgetParams{AccountID: accountID, MonthlyBudget: (*int64)(monthly), TimeZone: timeZone}
	if err := queries.AccountSetBudget(ctx, tx, set); err != nil {
		return nil, fmt.Errorf("set budget: %w", err)
	}
	budget, err := GetBudget(ctx, tx, accountID)
	if err != nil {
		return nil, err
	}
	return budget, reach(ctx, tx, accountID, budget)
}

// reachAll is reach of the accounts whose months have more costs.
func reachAll(ctx context.Context, tx pgx.Tx, rows []*dbsqlc.CallUsageAddManyRow) error {
	type month struct {
		accountID uuid.UUID
		month     string
	}
	done := map[month]bool{}
	for _, row := range rows {
		of := month{row.AccountID, row.Month}
		if row.MonthCost == 0 || row.MonthlyBudget == nil || done[of] {
			continue
		}
		done[of] = true
		budget := &Budget{
			Monthly: (*jsonb.USD)(row.MonthlyBudget), TimeZone: row.TimeZone, Month: row.Month, Spent: jsonb.USD(row.MonthCost),
			reached: row.MonthReached,
		}
		if err := reach(ctx, tx, row.AccountID, budget); err != nil {
			return err
		}
	}
	return nil
}

// reach records the events of thresholds that are reached and were not before, each once: whoever moves the row up writes them.
func reach(ctx context.Context, tx pgx.Tx, accountID uuid.UUID, budget *Budget) error {
	percent := budget.percent()
	if percent <= budget.reached {
		return nil
	}
	moved, err := dbsqlc.New().MonthlySpendingReach(ctx, tx,
		&dbsqlc.MonthlySpendingReachParams{AccountID: accountID, Month: budget.Month, Reached: percent})
	if err != nil {
		return fmt.Errorf("reach budget: %w", err)
	}
	if moved == 0 {
		return nil
	}
	var reached []events.Event
	for _, threshold := range thresholds {
		if threshold > budget.reached && threshold <= percent {
			reached = append(reached, events.BudgetReached(accountID, events.ReachedBudget{
				Month: budget.Month, TimeZone: budget.TimeZone, Percent: threshold, Amount: *budget.Monthly, Spent: budget.Spent,
			}))
		}
	}
	return events.Record(ctx, tx, reached...)
}
