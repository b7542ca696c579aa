package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
)

// pricesCommand manages what calls cost from now on, or from another instant. Calls that are over keep their costs.
type pricesCommand struct {
	List   pricesListCommand   `cmd:"" help:"List the prices, in US dollars."`
	Set    pricesSetCommand    `cmd:"" help:"Set a price. Calls that were priced keep their costs."`
	Import pricesImportCommand `cmd:"" help:"Set the prices of a CSV file, all or none: kind,provider,model,valid_from,usd."`
	Export pricesExportCommand `cmd:"" help:"Print all prices as CSV, as import reads them."`
	Vendor pricesVendorCommand `cmd:"" name:"vendors" help:"Print list prices of vendors as CSV, each with the day and the page it is of: a file to check, correct and import."`
}

type pricesListCommand struct {
	databaseFlags
	outputFlags
	Kind     string `help:"Only those of a kind, such as prompt_tokens."`
	Provider string `help:"Only those of a provider, such as openai."`
}

// Run implements the command.
func (c *pricesListCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	prices, err := costs.ListPrices(ctx, pool, c.Kind, c.Provider)
	if err != nil {
		return err
	}
	return printList(c.outputFlags, prices,
		column[costs.Price]{"KIND", func(p costs.Price) string { return p.Kind }},
		column[costs.Price]{"PROVIDER", func(p costs.Price) string { return table.Cell(p.Provider) }},
		column[costs.Price]{"MODEL", func(p costs.Price) string { return table.Cell(p.Model) }},
		column[costs.Price]{"VALID FROM", func(p costs.Price) string { return p.ValidFrom.Format(time.RFC3339) }},
		column[costs.Price]{"USD", func(p costs.Price) string { return p.USD.String() }},
		column[costs.Price]{"FOR", func(p costs.Price) string { return costs.UnitOf(p.Kind) }},
	)
}

type pricesSetCommand struct {
	databaseFlags
	Kind     string `arg:"" help:"What it is the price of: ${enum}." enum:"prompt_tokens,cached_tokens,completion_tokens,embedding_tokens,characters,transcriber_minutes,outbound_minutes,inbound_minutes,sms,mail"`
	Provider string `arg:"" help:"Who serves it, as calls show it: a vendor such as openai; of minutes trunk, which is the operator's carrier, or sip-connection; any, for every one that has no price of its own."`
	USD      string `arg:"" name:"usd" help:"US dollars for a million tokens or characters, for a minute, or for a message."`
	Model    string `help:"The model, or the first digits of numbers, such as 316, of which the longest wins; default: all that have no price of their own."`
	From     string `help:"From when it holds: a day in UTC or an instant; default: now." placeholder:"TIME"`
}

// anyProvider is given in place of a provider.
const anyProvider = "any"

// Run implements the command.
func (c *pricesSetCommand) Run(ctx context.Context) error {
	price := costs.Price{Kind: c.Kind, Provider: c.Provider, Model: c.Model}
	if c.Provider == anyProvider {
		price.Provider = ""
	}
	var err error
	if price.USD, err = jsonb.ParseUSD(c.USD); err != nil {
		return fmt.Errorf("%q %w", c.USD, err)
	}
	if price.ValidFrom, err = costs.ParseValidFrom(c.From, time.Now()); err != nil {
		return err
	}
	return setPrices(ctx, &c.databaseFlags, price)
}

type pricesImportCommand struct {
	databaseFlags
	File string `arg:"" help:"The file; - for standard input."`
}

// Run implements the command.
func (c *pricesImportCommand) Run(ctx context.Context) (err error) {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		in = file
	}
	prices, err := costs.ReadPrices(in, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return setPrices(ctx, &c.databaseFlags, prices...)
}

func setPrices(ctx context.Context, database *databaseFlags, prices ...costs.Price) error {
	pool, err := database.openMigrated(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := costs.SetPrices(ctx, pool, prices...); err != nil {
		return err
	}
	fmt.Printf("Prices set: %d.\n", len(prices))
	return nil
}

type pricesExportCommand struct{ databaseFlags }

// Run implements the command.
func (c *pricesExportCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	prices, err := costs.ListPrices(ctx, pool, "", "")
	if err != nil {
		return err
	}
	return costs.WritePrices(os.Stdout, prices)
}

// pricesVendorCommand sets nothing: what a vendor asks for is not known here, only what it asked for once.
type pricesVendorCommand struct{}

// Run implements the command.
func (*pricesVendorCommand) Run() error {
	_, err := os.Stdout.Write(costs.VendorPrices)
	return err
}
