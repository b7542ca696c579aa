package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/hook"
)

// accountCommand manages accounts.
type accountCommand struct {
	Create       accountCreateCommand       `cmd:"" help:"Make an account."`
	Credit       accountCreditCommand       `cmd:"" help:"Add credits to an account, or take some with a negative amount."`
	Subscription accountSubscriptionCommand `cmd:"" help:"Set an account's subscription."`
	Limits       accountLimitsCommand       `cmd:"" help:"Set how many calls an account runs at once."`
}

type accountCreateCommand struct {
	databaseFlags
	sealFlags
	Email string `arg:"" help:"Address of the account's owner."`
	Name  string `help:"Name of the account; default: the address."`
}

// Run implements the command.
func (c *accountCreateCommand) Run(ctx context.Context) error {
	if _, err := mail.ParseAddress(c.Email); err != nil {
		return fmt.Errorf("%q is not an e-mail address", c.Email)
	}
	box, err := c.box()
	if err != nil {
		return err
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	if c.Name == "" {
		c.Name = c.Email
	}
	account, err := createAccount(ctx, pool, box, c.Email, c.Name)
	if err != nil {
		return err
	}
	fmt.Printf("account  %s\nNow make a key: callwright key create %s --test\n", account.ID, account.ID)
	return nil
}

// createAccount makes an account and the secret that signs its events.
func createAccount(ctx context.Context, beginner db.Beginner, box *seal.Box, email, name string) (*dbsqlc.Account, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) (*dbsqlc.Account, error) {
		queries := dbsqlc.New()
		account, err := queries.AccountInsert(ctx, tx, &dbsqlc.AccountInsertParams{ID: uuid.Must(uuid.NewV7()), Email: email, Name: name})
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code == pgerrcode.UniqueViolation {
			return nil, fmt.Errorf("there is an account for %s already", email)
		}
		if err != nil {
			return nil, fmt.Errorf("insert account: %w", err)
		}
		endpointID := uuid.Must(uuid.NewV7())
		sealed := box.Seal(hook.NewSecret(), events.SecretContext(endpointID))
		_, err = queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{ID: endpointID, AccountID: account.ID, Secret: &sealed})
		if err != nil {
			return nil, fmt.Errorf("insert webhook endpoint: %w", err)
		}
		return account, nil
	})
}

// keyCommand manages API keys.
type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Make a key and show it once."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key at once."`
}

type keyCreateCommand struct {
	databaseFlags
	Account           uuid.UUID     `arg:"" help:"Id of the account."`
	Name              string        `help:"What the key is for." default:"key"`
	Test              bool          `help:"A test key: its calls stay on the simulated phone network."`
	RequestsPerMinute int32         `help:"Rate limit." default:"100"`
	ExpiresIn         time.Duration `help:"Lifetime, such as 720h; 0: no end." default:"0"`
}

// Run implements the command.
func (c *keyCreateCommand) Run(ctx context.Context) error {
	if c.RequestsPerMinute < 1 {
		return errors.New("--requests-per-minute must be 1 or more")
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := dbsqlc.New().AccountGet(ctx, pool, &dbsqlc.AccountGetParams{ID: c.Account}); err != nil {
		return fmt.Errorf("there is no account %s", c.Account)
	}
	params := &dbsqlc.APIKeyInsertParams{AccountID: c.Account, Name: c.Name, RequestsPerMinute: c.RequestsPerMinute}
	if c.ExpiresIn > 0 {
		params.ExpiresAt = new(time.Now().Add(c.ExpiresIn))
	}
	text, key, err := createKey(ctx, pool, c.Test, params)
	if err != nil {
		return err
	}
	fmt.Printf("id   %s\nkey  %s\nThe key is shown only now.\n", key.ID, text)
	return nil
}

// createKey makes a key and answers its text, which is kept nowhere.
func createKey(ctx context.Context, tx dbsqlc.DBTX, test bool, params *dbsqlc.APIKeyInsertParams) (string, *dbsqlc.APIKey, error) {
	key := api.NewKey(test)
	params.ID, params.Mode, params.Prefix, params.Hash = uuid.Must(uuid.NewV7()), key.Mode, key.Prefix, key.Hash
	row, err := dbsqlc.New().APIKeyInsert(ctx, tx, params)
	if err != nil {
		return "", nil, fmt.Errorf("insert key: %w", err)
	}
	return key.Text, row, nil
}

type keyRevokeCommand struct {
	databaseFlags
	Account uuid.UUID `arg:"" help:"Id of the account."`
	ID      uuid.UUID `arg:"" help:"Id of the key."`
}

// Run implements the command.
func (c *keyRevokeCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = dbsqlc.New().APIKeyRevoke(ctx, pool, &dbsqlc.APIKeyRevokeParams{AccountID: c.Account, ID: c.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("the account has no key %s, or it is revoked already", c.ID)
	}
	if err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	fmt.Printf("Key %s is revoked.\n", c.ID)
	return nil
}

// sealCommand manages the keys under which secrets are kept.
type sealCommand struct {
	Generate sealGenerateCommand `cmd:"" help:"Make a key for CALLWRIGHT_SEAL_KEYS. To rotate, put the new one first and keep the old ones."`
}

type sealGenerateCommand struct{}

// Run implements the command.
func (c *sealGenerateCommand) Run() error {
	_, err := fmt.Println(newSealKey())
	return err
}

// newSealKey makes a key that is named after its day, so that an operator can tell old from new.
func newSealKey() string {
	return seal.GenerateKey(time.Now().UTC().Format("20060102")).Format()
}
