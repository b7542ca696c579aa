package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/dbsqlc"
)

// numberCommand manages the numbers that all accounts share.
type numberCommand struct {
	Add numberAddCommand `cmd:"" help:"Add a shared default number, which the deployment's trunk must own."`
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
	fmt.Printf("%s is a shared number.\n", params.Number)
	return nil
}
