package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// keyCommand manages API keys.
type keyCommand struct {
	Create keyCreateCommand `cmd:"" help:"Make a key and show it once."`
	List   keyListCommand   `cmd:"" help:"List an account's keys, revoked ones too, the oldest first. The keys themselves are kept nowhere."`
	Revoke keyRevokeCommand `cmd:"" help:"Revoke a key at once."`
}

type keyCreateCommand struct {
	accountFlags
	Name              string        `help:"What the key is for." default:"key"`
	Test              bool          `help:"A test key: its calls stay on the simulated phone network."`
	Scope             string        `help:"What it may do: ${enum}. Each contains those before it; admin manages keys, the webhook and the profile." enum:"read,write,admin" default:"admin"`
	RequestsPerMinute int32         `help:"Rate limit. The keys of an account share ten times the highest of them." default:"100"`
	ExpiresIn         time.Duration `help:"Lifetime, such as 720h; 0: no end." default:"0"`
}

// Run implements the command.
func (c *keyCreateCommand) Run(ctx context.Context) error {
	if c.RequestsPerMinute < 1 {
		return errors.New("--requests-per-minute must be 1 or more")
	}
	if c.ExpiresIn < 0 {
		return errors.New("--expires-in must not be negative")
	}
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	params := &dbsqlc.APIKeyInsertParams{AccountID: account.ID, Name: c.Name, Scope: c.Scope, RequestsPerMinute: c.RequestsPerMinute}
	if c.ExpiresIn > 0 {
		params.ExpiresAt = new(time.Now().Add(c.ExpiresIn))
	}
	key := middleware.NewKey(c.Test)
	row, err := db.WithTx(ctx, pool, func(tx pgx.Tx) (*dbsqlc.APIKey, error) { return insertKey(ctx, tx, key, params) })
	if err != nil {
		return err
	}
	fmt.Printf("id   %s\nkey  %s\nThe key is shown only now.\n", row.ID, key.Text)
	return nil
}

// insertKey stores a key, whose text is kept nowhere, and raises what the account's keys share.
func insertKey(ctx context.Context, tx pgx.Tx, key middleware.Key, params *dbsqlc.APIKeyInsertParams) (*dbsqlc.APIKey, error) {
	params.ID, params.Mode, params.Prefix, params.Hash = uuid.Must(uuid.NewV7()), key.Mode, key.Prefix, key.Hash
	row, err := dbsqlc.New().APIKeyInsert(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert key: %w", err)
	}
	rate := &dbsqlc.AccountRaiseRateParams{ID: params.AccountID, KeyRequestsPerMinute: int64(params.RequestsPerMinute)}
	if err := dbsqlc.New().AccountRaiseRate(ctx, tx, rate); err != nil {
		return nil, fmt.Errorf("raise the account's rate: %w", err)
	}
	return row, nil
}

type keyListCommand struct {
	accountFlags
	outputFlags
}

// keyRecord is a key as it is listed.
type keyRecord struct {
	ID                uuid.UUID  `json:"id"`
	Name              string     `json:"name"`
	Mode              string     `json:"mode"`
	Scope             string     `json:"scope"`
	Prefix            string     `json:"prefix"`
	Status            string     `json:"status"`
	RequestsPerMinute int32      `json:"requests_per_minute"`
	CreatedAt         time.Time  `json:"created_at"`
	LastUsedAt        *time.Time `json:"last_used_at"`
	ExpiresAt         *time.Time `json:"expires_at"`
	RevokedAt         *time.Time `json:"revoked_at"`
}

func newKeyRecord(row *dbsqlc.APIKeyListAllRow) keyRecord {
	key, status := row.APIKey, "works"
	switch {
	case key.RevokedAt != nil:
		status = "revoked"
	case key.ExpiresAt != nil && !key.ExpiresAt.After(time.Now()):
		status = "expired"
	}
	return keyRecord{
		ID: key.ID, Name: key.Name, Mode: key.Mode, Scope: key.Scope, Prefix: key.Prefix, Status: status,
		RequestsPerMinute: key.RequestsPerMinute,
		CreatedAt:         key.CreatedAt.UTC(), LastUsedAt: optionalUTC(row.LastUsedAt), ExpiresAt: optionalUTC(key.ExpiresAt),
		RevokedAt: optionalUTC(key.RevokedAt),
	}
}

// Run implements the command.
func (c *keyListCommand) Run(ctx context.Context) error {
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	rows, err := dbsqlc.New().APIKeyListAll(ctx, pool, &dbsqlc.APIKeyListAllParams{AccountID: account.ID})
	if err != nil {
		return fmt.Errorf("list keys: %w", err)
	}
	var records []keyRecord
	for _, row := range rows {
		records = append(records, newKeyRecord(row))
	}
	return printList(c.outputFlags, records,
		column[keyRecord]{"ID", func(r keyRecord) string { return r.ID.String() }},
		column[keyRecord]{"KEY", func(r keyRecord) string { return table.Cell(r.Prefix) + "…" }},
		column[keyRecord]{"MODE", func(r keyRecord) string { return r.Mode }},
		column[keyRecord]{"SCOPE", func(r keyRecord) string { return r.Scope }},
		column[keyRecord]{"STATUS", func(r keyRecord) string { return r.Status }},
		column[keyRecord]{"PER MINUTE", func(r keyRecord) string { return strconv.Itoa(int(r.RequestsPerMinute)) }},
		column[keyRecord]{"CREATED", func(r keyRecord) string { return timeCell(r.CreatedAt) }},
		column[keyRecord]{"LAST USED", func(r keyRecord) string { return optionalTimeCell(r.LastUsedAt) }},
		column[keyRecord]{"EXPIRES", func(r keyRecord) string { return optionalTimeCell(r.ExpiresAt) }},
		column[keyRecord]{"NAME", func(r keyRecord) string { return table.Cell(r.Name) }},
	)
}

type keyRevokeCommand struct {
	accountFlags
	ID uuid.UUID `arg:"" help:"Id of the key, as key list shows it."`
}

// Run implements the command.
func (c *keyRevokeCommand) Run(ctx context.Context) error {
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = dbsqlc.New().APIKeyRevoke(ctx, pool, &dbsqlc.APIKeyRevokeParams{AccountID: account.ID, ID: c.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("the account has no key %s, or it is revoked already: callwright key list %s", c.ID, c.Account)
	}
	if err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	fmt.Printf("Key %s is revoked.\n", c.ID)
	return nil
}
