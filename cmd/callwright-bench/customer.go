package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// customer is an account with an assistant on the shared number and keys without a rate limit, and calls without one that
// matters.
type customer struct {
	accountID   uuid.UUID
	assistantID uuid.UUID
	keys        []middleware.Key
}

// greeter says one word.
var greeter = jsonb.Assistant{FirstMessageOutbound: "Hello."}

// newCustomer makes a customer with test keys.
func newCustomer(ctx context.Context, pool *pgxpool.Pool, keys int, config jsonb.Assistant) (*customer, error) {
	return db.WithTx(ctx, pool, func(tx pgx.Tx) (*customer, error) {
		queries := dbsqlc.New()
		c := &customer{accountID: uuid.Must(uuid.NewV7()), assistantID: uuid.Must(uuid.NewV7())}
		_, err := queries.AccountInsert(
			ctx,
			tx,
			&dbsqlc.AccountInsertParams{ID: c.accountID, Email: c.accountID.String(), Name: "Bench"},
		)
		if err != nil {
			return nil, fmt.Errorf("insert account: %w", err)
		}
		if _, err := queries.AccountSetLimits(ctx, tx, &dbsqlc.AccountSetLimitsParams{
			ID: c.accountID, MaxConcurrentCalls: new(int32(10_000)), SetMaxCallsPerNumber: true, SetMaxDailyMinutes: true,
			SetMaxDailyTexts: true,
		}); err != nil {
			return nil, fmt.Errorf("set limits: %w", err)
		}
		_, err = queries.AssistantInsert(ctx, tx, &dbsqlc.AssistantInsertParams{
			ID: c.assistantID, AccountID: c.accountID, Name: "Bench", Config: config,
		})
		if err != nil {
			return nil, fmt.Errorf("insert assistant: %w", err)
		}
		numberID := uuid.Must(uuid.NewV7())
		if _, err := queries.PhoneNumberInsert(ctx, tx, &dbsqlc.PhoneNumberInsertParams{ID: numberID,
			Number: fmt.Sprintf("+3185%07d", rand.N(10_000_000)), Origin: "default"}); err != nil {
			return nil, fmt.Errorf("insert number: %w", err)
		}
		if _, err := tx.Exec(ctx, "UPDATE phone_number SET inbound_account_id = $1 WHERE id = $2", c.accountID, numberID); err != nil {
			return nil, fmt.Errorf("set owner of inbound calls: %w", err)
		}
		err = queries.PhoneNumberLinkInsert(ctx, tx, &dbsqlc.PhoneNumberLinkInsertParams{
			AccountID: c.accountID, AssistantID: c.assistantID, PhoneNumberID: numberID, Origin: "default",
		})
		if err != nil {
			return nil, fmt.Errorf("link number: %w", err)
		}
		for range keys {
			if err := c.addKey(ctx, tx, true); err != nil {
				return nil, err
			}
		}
		err = queries.AccountRaiseRate(ctx, tx, &dbsqlc.AccountRaiseRateParams{ID: c.accountID, KeyRequestsPerMinute: math.MaxInt32})
		if err != nil {
			return nil, fmt.Errorf("raise the account's rate: %w", err)
		}
		return c, nil
	})
}

func (c *customer) addKey(ctx context.Context, conn dbsqlc.DBTX, test bool) error {
	key := middleware.NewKey(test)
	_, err := dbsqlc.New().APIKeyInsert(ctx, conn, &dbsqlc.APIKeyInsertParams{
		ID: uuid.Must(uuid.NewV7()), AccountID: c.accountID, Name: "bench", Mode: key.Mode, Scope: string(middleware.ScopeAdmin),
		Prefix: key.Prefix, Hash: key.Hash,
		RequestsPerMinute: math.MaxInt32,
	})
	if err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	c.keys = append(c.keys, key)
	return nil
}
