// Package costs adds up what calls cost: what each of them used is priced where it is written, with its call and its account's
// month, and the owner of an account learns when the month's budget is reached.
//
// It knows what was used, prices, months and budgets. It must not know who counted, nor whether a call may be made: the limits
// that a budget sets are in package spending.
package costs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/metrics"
)

// Use is what an ended call used besides what was added before.
type Use struct {
	CallID uuid.UUID
	Usage  jsonb.Usage
	Ended  bool // it has just ended: the time for which it was connected is added, too
	Legs   bool // so is the time of its second legs, which are over
}

// AddLater is AddAllLater of one call.
func AddLater(ctx context.Context, tx pgx.Tx, callID uuid.UUID, used jsonb.Usage) error {
	return AddAllLater(ctx, tx, Use{CallID: callID, Usage: used})
}

// AddAllLater is Add of what ended calls used after their ends. It locks the calls' accounts, which the caller does before all
// else.
func AddAllLater(ctx context.Context, tx pgx.Tx, uses ...Use) error {
	uses = slices.DeleteFunc(uses, func(use Use) bool { return len(use.Usage) == 0 })
	if len(uses) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(uses))
	for i, use := range uses {
		ids[i] = use.CallID
	}
	if err := dbsqlc.New().AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: ids}); err != nil {
		return fmt.Errorf("lock accounts: %w", err)
	}
	_, err := Add(ctx, tx, uses...)
	return err
}

// Add adds what calls used at the prices that held when they were answered, and records the events of budgets that are reached by
// it. A price that comes later changes nothing. The caller holds the locks of the calls' accounts. It returns the calls to which
// a command is pending, or on which somebody listens in.
func Add(ctx context.Context, tx pgx.Tx, uses ...Use) (commanded []uuid.UUID, err error) {
	params := &dbsqlc.CallUsageAddManyParams{}
	for _, use := range uses {
		items := json.RawMessage("[]")
		if len(use.Usage) > 0 {
			if items, err = json.Marshal(use.Usage); err != nil {
				return nil, fmt.Errorf("encode usage: %w", err)
			}
		}
		params.CallIds, params.Items = append(params.CallIds, use.CallID), append(params.Items, items)
		params.Ended, params.Legs = append(params.Ended, use.Ended), append(params.Legs, use.Legs)
	}
	rows, err := dbsqlc.New().CallUsageAddMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("add what calls used: %w", err)
	}
	for _, row := range rows {
		if row.PendingCommand {
			commanded = append(commanded, row.CallID)
		}
		for _, missing := range row.Missing {
			kind, provider, _ := strings.Cut(missing, " ")
			metrics.Unpriced.WithLabelValues(kind, provider).Inc()
		}
	}
	return commanded, reachAll(ctx, tx, rows)
}

// List returns what ended calls used, by call. Those that used nothing, or ended before it was counted, have no entry.
func List(ctx context.Context, conn dbsqlc.DBTX, accountID uuid.UUID, callIDs ...uuid.UUID) (map[uuid.UUID]jsonb.Usage, error) {
	rows, err := dbsqlc.New().CallUsageListByCall(ctx, conn,
		&dbsqlc.CallUsageListByCallParams{AccountID: accountID, CallIds: callIDs})
	if err != nil {
		return nil, fmt.Errorf("list what calls used: %w", err)
	}
	used := make(map[uuid.UUID]jsonb.Usage, len(rows))
	for _, row := range rows {
		used[row.CallID] = row.Items
	}
	return used, nil
}
