package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

type accountCreditCommand struct {
	accountFlags
	Amount int32  `arg:"" help:"Credits to add; negative ones, after --, are taken: callwright account credit ACCOUNT -- -10."`
	Reason string `help:"Why; the account's owner sees it." required:""`
}

// Run implements the command.
func (c *accountCreditCommand) Run(ctx context.Context) error {
	if c.Amount == 0 {
		return errors.New("the amount must not be 0")
	}
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	entry, err := grantCredits(ctx, pool, account.ID, c.Amount, c.Reason)
	if err != nil {
		return err
	}
	fmt.Printf("balance  %d\n", entry.Balance)
	return nil
}

// grantCredits moves a balance by an entry of the ledger.
func grantCredits(ctx context.Context, tx dbsqlc.DBTX, accountID uuid.UUID, amount int32,
	reason string) (*dbsqlc.CreditEntry, error) {
	entry, err := dbsqlc.New().CreditEntryInsert(ctx, tx, &dbsqlc.CreditEntryInsertParams{
		AccountID: accountID, ID: uuid.Must(uuid.NewV7()), Kind: "grant", Amount: amount, Reason: reason,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errors.New("the account has not so many credits")
	}
	if err != nil {
		return nil, fmt.Errorf("insert credit entry: %w", err)
	}
	return entry, nil
}

type accountSubscriptionCommand struct {
	accountFlags
	Status string `arg:"" help:"One of ${enum}." enum:"none,active,past_due,canceled"`
}

// Run implements the command.
func (c *accountSubscriptionCommand) Run(ctx context.Context) error {
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	if account, err = setSubscription(ctx, pool, account.ID, c.Status); err != nil {
		return err
	}
	fmt.Printf("subscription  %s\n", account.SubscriptionStatus)
	return nil
}

func setSubscription(ctx context.Context, tx dbsqlc.DBTX, accountID uuid.UUID, status string) (*dbsqlc.Account, error) {
	account, err := dbsqlc.New().AccountSetSubscription(ctx, tx,
		&dbsqlc.AccountSetSubscriptionParams{ID: accountID, SubscriptionStatus: status})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("there is no account %s", accountID)
	}
	if err != nil {
		return nil, fmt.Errorf("set subscription: %w", err)
	}
	return account, nil
}
