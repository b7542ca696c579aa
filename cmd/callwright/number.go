package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/worker"
)

// numberCommand lists numbers and manages those that all accounts share.
type numberCommand struct {
	Add     numberAddCommand     `cmd:"" help:"Add a shared default number, which the deployment's trunk must own."`
	Release numberReleaseCommand `cmd:"" help:"Take a number back from whoever has it: assistants lose it, its SIP connection is deleted, and a bought number goes back to the carrier."`
	List    numberListCommand    `cmd:"" help:"List the numbers in use, the shared ones first."`
	Owner   numberOwnerCommand   `cmd:"" help:"Give the inbound calls of a shared number to an account, except those of people whom others have reached from it."`
}

type numberAddCommand struct {
	databaseFlags
	Number   string `arg:"" help:"The number, such as +31850000000."`
	Type     string `help:"Its type: ${enum}." enum:"local,mobile,national" default:"national"`
	Locality string `help:"Its town or area."`
}

// Run implements the command.
func (c *numberAddCommand) Run(ctx context.Context) error {
	number, err := phonenumbers.Parse(c.Number, "")
	if err != nil || !phonenumbers.IsPossibleNumber(number) {
		return fmt.Errorf("%q is not a phone number with its country code", c.Number)
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	params := &dbsqlc.PhoneNumberInsertDefaultParams{
		ID: uuid.Must(uuid.NewV7()), Number: phonenumbers.Format(number, phonenumbers.E164), Type: &c.Type,
	}
	if c.Locality != "" {
		params.Locality = &c.Locality
	}
	if err := dbsqlc.New().PhoneNumberInsertDefault(ctx, pool, params); err != nil {
		return fmt.Errorf("insert number: %w", err)
	}
	row, err := dbsqlc.New().PhoneNumberGetByNumber(ctx, pool, &dbsqlc.PhoneNumberGetByNumberParams{Number: params.Number})
	if err != nil {
		return fmt.Errorf("read number: %w", err)
	}
	if row.AccountEmail != nil {
		return fmt.Errorf("%s belongs to the account of %s: it cannot be shared", params.Number, *row.AccountEmail)
	}
	fmt.Printf("%s is a shared number.\n", params.Number)
	return nil
}

type numberReleaseCommand struct {
	databaseFlags
	logFlags
	Number string `arg:"" help:"The number, such as +31850000000."`
}

// Run implements the command.
func (c *numberReleaseCommand) Run(ctx context.Context) error {
	parsed, err := phonenumbers.Parse(c.Number, "")
	if err != nil {
		return fmt.Errorf("%q is not a phone number with its country code", c.Number)
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, err := worker.NewInserter(pool, c.logger())
	if err != nil {
		return err
	}
	number := phonenumbers.Format(parsed, phonenumbers.E164)
	owner := "all accounts, which shared it"
	err = db.InTx(ctx, pool, func(tx pgx.Tx) error {
		row, err := dbsqlc.New().PhoneNumberGetByNumber(ctx, tx, &dbsqlc.PhoneNumberGetByNumberParams{Number: number})
		if err != nil {
			return err
		}
		if row.AccountEmail != nil {
			owner = "the account of " + *row.AccountEmail
		}
		return numbers.TakeBack(ctx, tx, client, &row.PhoneNumber)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("nobody has %s: callwright number list", number)
	case err != nil:
		return fmt.Errorf("release number: %w", err)
	}
	fmt.Printf("%s was taken back from %s.\n", number, owner)
	return nil
}

type numberListCommand struct {
	databaseFlags
	outputFlags
}

// numberRecord is a number as it is listed.
type numberRecord struct {
	ID        uuid.UUID  `json:"id"`
	Number    string     `json:"number"`
	Origin    string     `json:"origin"`
	Type      *string    `json:"type"`
	Locality  *string    `json:"locality"`
	Status    string     `json:"status"`
	AccountID *uuid.UUID `json:"account_id"`
	Account   *string    `json:"account"`
	Inbound   *string    `json:"inbound_account"`
	CreatedAt time.Time  `json:"created_at"`
}

// Run implements the command.
func (c *numberListCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	rows, err := dbsqlc.New().PhoneNumberListAll(ctx, pool)
	if err != nil {
		return fmt.Errorf("list numbers: %w", err)
	}
	var records []numberRecord
	for _, row := range rows {
		number := row.PhoneNumber
		records = append(records, numberRecord{
			ID: number.ID, Number: number.Number, Origin: number.Origin, Type: number.Type, Locality: number.Locality,
			Status:    number.Status,
			AccountID: number.AccountID, Account: row.AccountEmail, Inbound: row.InboundEmail, CreatedAt: number.CreatedAt.UTC(),
		})
	}
	return printList(c.outputFlags, records,
		column[numberRecord]{"ID", func(r numberRecord) string { return r.ID.String() }},
		column[numberRecord]{"NUMBER", func(r numberRecord) string { return r.Number }},
		column[numberRecord]{"STATUS", func(r numberRecord) string { return r.Status }},
		column[numberRecord]{"TYPE", func(r numberRecord) string { return optionalCell(r.Type) }},
		column[numberRecord]{"LOCALITY", func(r numberRecord) string { return optionalCell(r.Locality) }},
		column[numberRecord]{"ACCOUNT", func(r numberRecord) string {
			switch {
			case r.Account != nil:
				return table.Cell(*r.Account)
			case r.Inbound != nil:
				return "(shared, inbound to " + table.Cell(*r.Inbound) + ")"
			}
			return "(shared)"
		}},
	)
}
