package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/dbsqlc"
)

// numberOwnerCommand decides who is called on a shared number by somebody whom no account has reached from it.
type numberOwnerCommand struct {
	databaseFlags
	Number  string `arg:"" help:"The shared number."`
	Account string `arg:"" optional:"" help:"Id or e-mail address of the account."`
	Nobody  bool   `help:"Such calls are refused with 404 again."`
}

// Run implements the command.
func (c *numberOwnerCommand) Run(ctx context.Context) error {
	if c.Nobody == (c.Account != "") {
		return errors.New("name an account, or give --nobody")
	}
	number, err := phonenumbers.Parse(c.Number, "")
	if err != nil {
		return fmt.Errorf("%q is not a phone number with its country code", c.Number)
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	params, whose := &dbsqlc.PhoneNumberSetInboundAccountParams{Number: phonenumbers.Format(number, phonenumbers.E164)}, "nobody"
	if !c.Nobody {
		account, err := accountArg{c.Account}.find(ctx, pool)
		if err != nil {
			return err
		}
		params.InboundAccountID, whose = &account.ID, account.Email
	}
	set, err := dbsqlc.New().PhoneNumberSetInboundAccount(ctx, pool, params)
	if err != nil {
		return fmt.Errorf("set owner of inbound calls: %w", err)
	}
	if set == 0 {
		return fmt.Errorf("%s is not a shared number: callwright number list", params.Number)
	}
	fmt.Printf("Inbound calls to %s from people whom no account has reached go to %s.\n", params.Number, whose)
	return nil
}
