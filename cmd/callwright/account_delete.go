package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
)

// accountDeleteCommand deletes an account for good. The rows go in one transaction, and the files behind it: a run that is cut
// off there is repeated with the id, and what is left is deleted by the hourly check of files.
type accountDeleteCommand struct {
	accountFlags
	fileFlags
	Confirm string `help:"The account's e-mail address once more: nothing brings it back but a backup." placeholder:"EMAIL"`
}

// Run implements the command.
func (c *accountDeleteCommand) Run(ctx context.Context) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	id, err := c.deleteRows(ctx, pool)
	if err != nil {
		return err
	}
	count := 0
	for _, prefix := range []string{recordings.Prefix, numbers.DocumentFiles} {
		deleted, err := deleteFiles(ctx, store, prefix+id.String()+"/")
		count += deleted
		if err != nil {
			return fmt.Errorf("the account is deleted, and of its files %d; run `callwright account delete %s` for the rest: %w", count,
				id, err)
		}
	}
	fmt.Printf("Account %s is deleted, with %d files. Backups still hold it.\n", id, count)
	return nil
}

// deleteRows returns the id of the account, which a run before may have deleted.
func (c *accountDeleteCommand) deleteRows(ctx context.Context, pool *pgxpool.Pool) (uuid.UUID, error) {
	if id, err := uuid.Parse(c.Account); err == nil {
		deleted, err := dbsqlc.New().AccountIsDeleted(ctx, pool, &dbsqlc.AccountIsDeletedParams{ID: id})
		if err != nil || deleted {
			return id, err
		}
	}
	account, err := c.find(ctx, pool)
	if err != nil {
		return uuid.UUID{}, err
	}
	if c.Confirm != account.Email {
		return account.ID,
			fmt.Errorf("--confirm=%s is missing: it says that all of this customer is to be deleted; `callwright export account` keeps a copy", account.Email)
	}
	err = db.InTx(ctx, pool, func(tx pgx.Tx) error {
		if err := dbsqlc.New().AccountLockMany(ctx, tx, &dbsqlc.AccountLockManyParams{Ids: []uuid.UUID{account.ID}}); err != nil {
			return err
		}
		if err := mayDelete(ctx, tx, account.ID); err != nil {
			return err
		}
		return db.DeleteAccount(ctx, tx, account.ID)
	})
	if errors.Is(err, pgx.ErrNoRows) { // another run was faster
		err = nil
	}
	return account.ID, err
}

// mayDelete fails while a call is live, or while the carrier has a number in the account's name.
func mayDelete(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	left, err := dbsqlc.New().AccountGetUndeletable(ctx, tx, &dbsqlc.AccountGetUndeletableParams{ID: accountID})
	switch {
	case err != nil:
		return fmt.Errorf("look at the account: %w", err)
	case left.LiveCalls > 0:
		return fmt.Errorf("%d calls are not over: revoke the keys (`callwright key revoke`), and wait or cancel them", left.LiveCalls)
	case left.BoughtNumbers > 0 || left.PendingOrders > 0:
		return fmt.Errorf("the carrier has %d numbers of the account, and %d orders are pending: release them first (`callwright number release`), and let workers do it",
			left.BoughtNumbers, left.PendingOrders)
	}
	return nil
}

// deleteFiles returns how many it deleted.
func deleteFiles(ctx context.Context, store files.Store, prefix string) (int, error) {
	var keys []string
	for file, err := range store.List(ctx, prefix) {
		if err != nil {
			return 0, err
		}
		keys = append(keys, file.Key)
	}
	for i, key := range keys {
		if err := store.Delete(ctx, key); err != nil {
			return i, err
		}
	}
	return len(keys), nil
}
