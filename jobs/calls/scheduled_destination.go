package calls

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/spending"
)

// admitScheduled returns why scheduled calls are not made now, by their ids. The others count as made.
func admitScheduled(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]*spending.Refusal, error) {
	wanted, err := destinationsOf(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	all := make([]*spending.Destination, 0, len(wanted))
	for _, id := range ids { // in their order
		if to := wanted[id]; to != nil && to.From != "" { // without a number no call is made
			all = append(all, to)
		}
	}
	refusals, err := spending.AdmitMany(ctx, tx, all...)
	if err != nil {
		return nil, err
	}
	refused, counted := map[uuid.UUID]*spending.Refusal{}, []*spending.Refusal{}
	for id, to := range wanted {
		if refusal := refusals[to]; refusal != nil {
			refused[id], counted = refusal, append(counted, refusal)
		}
	}
	return refused, spending.AddRefusals(ctx, tx, counted...)
}

// destinationsOf returns whom scheduled calls are to reach. Those whose contacts are gone have no entry, and make no call.
func destinationsOf(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) (map[uuid.UUID]*spending.Destination, error) {
	rows, err := dbsqlc.New().ScheduledCallListDestinations(ctx, tx, &dbsqlc.ScheduledCallListDestinationsParams{Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("list destinations of scheduled calls: %w", err)
	}
	wanted := make(map[uuid.UUID]*spending.Destination, len(rows))
	for _, row := range rows {
		wanted[row.ID] = &spending.Destination{AccountID: row.AccountID, Target: row.Target, From: row.Origin, Simulated: row.Simulated}
	}
	return wanted, nil
}
