package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/people"
	"github.com/callwright/callwright/providers/hook"
)

// accountCommand manages accounts.
type accountCommand struct {
	Create       accountCreateCommand       `cmd:"" help:"Make an account."`
	List         accountListCommand         `cmd:"" help:"List the accounts, the oldest first."`
	Show         accountShowCommand         `cmd:"" help:"Show an account: its subscription, credits, limits and what it uses of them."`
	Credit       accountCreditCommand       `cmd:"" help:"Add credits to an account, or take some with a negative amount."`
	Subscription accountSubscriptionCommand `cmd:"" help:"Set an account's subscription."`
	Link         accountLinkCommand         `cmd:"" help:"Print a link by which somebody comes in to the dashboard, once: to set up a password, or another one."`
	Delete       accountDeleteCommand       `cmd:"" help:"Delete an account with everything of the customer: calls, recordings, contacts, events, documents, keys."`
}

// accountArg names an account.
type accountArg struct {
	Account string `arg:"" help:"Id or e-mail address of the account."`
}

// find returns the account that is named.
func (a accountArg) find(ctx context.Context, tx dbsqlc.DBTX) (*dbsqlc.Account, error) {
	var account *dbsqlc.Account
	id, err := uuid.Parse(a.Account)
	switch {
	case err == nil:
		account, err = dbsqlc.New().AccountGet(ctx, tx, &dbsqlc.AccountGetParams{ID: id})
	case strings.Contains(a.Account, "@"):
		account, err = dbsqlc.New().AccountGetByEmail(ctx, tx, &dbsqlc.AccountGetByEmailParams{Email: a.Account})
	default:
		return nil, fmt.Errorf("%q is neither the id of an account nor an e-mail address", a.Account)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("there is no account %s", a.Account)
	}
	if err != nil {
		return nil, fmt.Errorf("find account: %w", err)
	}
	return account, nil
}

// accountFlags are those of a command about one account.
type accountFlags struct {
	databaseFlags
	accountArg
}

// openAccount returns the database, which the caller closes, and the account in it.
func (f *accountFlags) openAccount(ctx context.Context) (*pgxpool.Pool, *dbsqlc.Account, error) {
	pool, err := f.openMigrated(ctx, 2)
	if err != nil {
		return nil, nil, err
	}
	account, err := f.find(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return pool, account, nil
}

type accountCreateCommand struct {
	databaseFlags
	sealFlags
	publicFlags
	Email string `arg:"" help:"Address of the account's owner."`
	Name  string `help:"Name of the account; default: the address."`
}

// Run implements the command.
func (c *accountCreateCommand) Run(ctx context.Context) error {
	if address, err := mail.ParseAddress(c.Email); err != nil || address.Address != c.Email {
		return fmt.Errorf("%q is not an e-mail address", c.Email)
	}
	public, err := c.public()
	if err != nil {
		return err
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
	if err := useSealKeys(ctx, pool, box); err != nil {
		return err
	}
	if c.Name == "" {
		c.Name = c.Email
	}
	account, err := createAccount(ctx, pool, box, c.Email, c.Name)
	if err != nil {
		return err
	}
	token, err := ownerLink(ctx, pool, account, people.PurposeSetup)
	if err != nil {
		return err
	}
	fmt.Printf("account  %s\nset up   %s\nThe link works for a day, once: callwright account link %s prints another.\nNow make a key: callwright key create %s --test\n",
		account.ID, people.URL(public, token), c.Email, account.ID)
	return nil
}

// ownerLink returns the token of a link for the owner of an account.
func ownerLink(ctx context.Context, beginner db.Beginner, account *dbsqlc.Account, purpose string) (string, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) (string, error) { return people.NewOwnerLink(ctx, tx, account, purpose) })
}

// accountLinkCommand lets somebody in where no mail is sent, or whose mail went astray.
type accountLinkCommand struct {
	databaseFlags
	publicFlags
	Email string `arg:"" help:"Address of the person, or of the account whose owner has not signed in yet."`
}

// Run implements the command.
func (c *accountLinkCommand) Run(ctx context.Context) error {
	public, err := c.public()
	if err != nil {
		return err
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	token, err := db.WithTx(ctx, pool, func(tx pgx.Tx) (string, error) {
		token, accountID, err := people.NewLinkFor(ctx, tx, c.Email)
		if err != nil {
			return "", err
		}
		return token, middleware.Audit(ctx, tx, middleware.AuditEntry{AccountID: accountID, Operation: "account-link",
			Origin: &middleware.Origin{}})
	})
	if errors.Is(err, people.ErrNobody) {
		return fmt.Errorf("nobody with the address %s has joined an account, and no account has it; who is invited only is invited again for another link", c.Email)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s\nIt works once.\n", people.URL(public, token))
	return nil
}

// createAccount makes an account and the secret that signs its events.
func createAccount(ctx context.Context, beginner db.Beginner, box *seal.Box, email, name string) (*dbsqlc.Account, error) {
	return db.WithTx(ctx, beginner, func(tx pgx.Tx) (*dbsqlc.Account, error) {
		queries := dbsqlc.New()
		account, err := queries.AccountInsert(ctx, tx, &dbsqlc.AccountInsertParams{ID: uuid.Must(uuid.NewV7()), Email: email,
			Name: name})
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code == pgerrcode.UniqueViolation {
			return nil, fmt.Errorf("there is an account for %s already: callwright account show %s", email, email)
		}
		if err != nil {
			return nil, fmt.Errorf("insert account: %w", err)
		}
		endpointID := uuid.Must(uuid.NewV7())
		sealed := box.Seal(hook.NewSecret(), events.SecretContext(endpointID))
		_, err = queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{ID: endpointID, AccountID: account.ID,
			Secret: &sealed})
		if err != nil {
			return nil, fmt.Errorf("insert webhook endpoint: %w", err)
		}
		return account, nil
	})
}

type accountListCommand struct {
	databaseFlags
	outputFlags
}

// accountRecord is an account as it is listed.
type accountRecord struct {
	ID           uuid.UUID `json:"id"`
	Email        string    `json:"email"`
	Name         string    `json:"name"`
	Subscription string    `json:"subscription"`
	Credits      int32     `json:"credits"`
	CreatedAt    time.Time `json:"created_at"`
}

func newAccountRecord(account *dbsqlc.Account) accountRecord {
	return accountRecord{
		ID: account.ID, Email: account.Email, Name: account.Name, Subscription: account.SubscriptionStatus, Credits: account.Credits,
		CreatedAt: account.CreatedAt.UTC(),
	}
}

// Run implements the command.
func (c *accountListCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	accounts, err := dbsqlc.New().AccountList(ctx, pool)
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	var records []accountRecord
	for _, account := range accounts {
		records = append(records, newAccountRecord(account))
	}
	return printList(c.outputFlags, records,
		column[accountRecord]{"ID", func(r accountRecord) string { return r.ID.String() }},
		column[accountRecord]{"EMAIL", func(r accountRecord) string { return table.Cell(r.Email) }},
		column[accountRecord]{"SUBSCRIPTION", func(r accountRecord) string { return r.Subscription }},
		column[accountRecord]{"CREDITS", func(r accountRecord) string { return strconv.Itoa(int(r.Credits)) }},
		column[accountRecord]{"CREATED", func(r accountRecord) string { return timeCell(r.CreatedAt) }},
		column[accountRecord]{"NAME", func(r accountRecord) string { return table.Cell(r.Name) }},
	)
}

type accountShowCommand struct {
	accountFlags
	outputFlags
}

// accountDetails is an account with its limits and what it uses of them.
type accountDetails struct {
	accountRecord
	MaxConcurrentCalls    int32 `json:"max_concurrent_calls"`
	ReservedInbound       int32 `json:"reserved_inbound"`
	RunningCalls          int64 `json:"running_calls"`
	WaitingCalls          int64 `json:"waiting_calls"`
	MaxKnowledgeDocuments int32 `json:"max_knowledge_documents"`
	KnowledgeDocuments    int64 `json:"knowledge_documents"`
	Keys                  int64 `json:"keys"`
	Numbers               int64 `json:"numbers"`
}

// Run implements the command.
func (c *accountShowCommand) Run(ctx context.Context) error {
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	details, err := readAccountDetails(ctx, pool, account)
	if err != nil {
		return err
	}
	count := func(n func(accountDetails) int64) func(accountDetails) string {
		return func(d accountDetails) string { return strconv.FormatInt(n(d), 10) }
	}
	return printRecord(c.outputFlags, details,
		column[accountDetails]{"id", func(d accountDetails) string { return d.ID.String() }},
		column[accountDetails]{"email", func(d accountDetails) string { return table.Cell(d.Email) }},
		column[accountDetails]{"name", func(d accountDetails) string { return table.Cell(d.Name) }},
		column[accountDetails]{"created", func(d accountDetails) string { return timeCell(d.CreatedAt) }},
		column[accountDetails]{"subscription", func(d accountDetails) string { return d.Subscription }},
		column[accountDetails]{"credits", count(func(d accountDetails) int64 { return int64(d.Credits) })},
		column[accountDetails]{"keys", count(func(d accountDetails) int64 { return d.Keys })},
		column[accountDetails]{"numbers of its own", count(func(d accountDetails) int64 { return d.Numbers })},
		column[accountDetails]{"concurrent calls", func(d accountDetails) string {
			return fmt.Sprintf("%d of %d, %d waiting, %d places reserved for inbound ones",
				d.RunningCalls, d.MaxConcurrentCalls, d.WaitingCalls, d.ReservedInbound)
		}},
		column[accountDetails]{"knowledge documents", func(d accountDetails) string {
			return fmt.Sprintf("%d of %d", d.KnowledgeDocuments, d.MaxKnowledgeDocuments)
		}},
	)
}

func readAccountDetails(ctx context.Context, tx dbsqlc.DBTX, account *dbsqlc.Account) (accountDetails, error) {
	queries := dbsqlc.New()
	use, err := queries.AccountGetUse(ctx, tx, &dbsqlc.AccountGetUseParams{ID: account.ID})
	if err != nil {
		return accountDetails{}, fmt.Errorf("read use of account: %w", err)
	}
	keys, err := queries.APIKeyCountWorking(ctx, tx, &dbsqlc.APIKeyCountWorkingParams{AccountID: account.ID})
	if err != nil {
		return accountDetails{}, fmt.Errorf("count keys: %w", err)
	}
	numbers, err := queries.PhoneNumberCountOwn(ctx, tx, &dbsqlc.PhoneNumberCountOwnParams{AccountID: &account.ID})
	if err != nil {
		return accountDetails{}, fmt.Errorf("count numbers: %w", err)
	}
	return accountDetails{
		accountRecord: newAccountRecord(account), MaxConcurrentCalls: use.MaxConcurrentCalls, ReservedInbound: use.ReservedInboundCalls,
		RunningCalls: use.Used, WaitingCalls: use.Waiting, MaxKnowledgeDocuments: use.MaxKnowledgeDocuments,
		KnowledgeDocuments: use.KnowledgeDocuments, Keys: keys, Numbers: numbers,
	}, nil
}
