package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/callwright/callwright/cmd/callwright/table"
	"github.com/callwright/callwright/cmd/callwright/vapi"
)

// importCommand moves a customer's configuration in from elsewhere.
type importCommand struct {
	Vapi importVapiCommand `cmd:"" help:"Move assistants, their tools, phone numbers and squads in from Vapi. What a run before has made is left as it is."`
}

// importVapiCommand moves in from Vapi.
type importVapiCommand struct {
	outputFlags
	File    string `arg:"" optional:"" help:"What Vapi's lists answer, as JSON: a list of assistants, or an object with assistants, tools, phoneNumbers and squads. - is standard input." placeholder:"FILE"`
	Key     string `help:"In place of a file: a private key of Vapi, with which they are read." env:"VAPI_API_KEY" placeholder:"KEY"`
	VapiURL string `help:"Address of Vapi." default:"https://api.vapi.ai" env:"VAPI_URL" placeholder:"URL"`
	SIP     string `help:"SIP accounts of phone numbers, which Vapi does not answer, as JSON: {NUMBER: {sip_username, sip_password, sip_proxy, provider_name}}." name:"sip" placeholder:"FILE"`
	DryRun  bool   `help:"Make nothing, and show what would be made."`
	API     string `help:"Address of Callwright; default: ${default}." name:"api" default:"http://127.0.0.1:8080" env:"CALLWRIGHT_URL" placeholder:"URL"`
	APIKey  string `help:"Your key there; a dry run does without." name:"api-key" env:"CALLWRIGHT_API_KEY" placeholder:"KEY"`
}

// importTimeout is what one request may take.
const importTimeout = time.Minute

// Run implements the command.
func (c *importVapiCommand) Run(ctx context.Context) error {
	client := &http.Client{Timeout: importTimeout}
	importer := &vapi.Importer{DryRun: c.DryRun}
	switch {
	case c.APIKey != "":
		importer.To = &vapi.Client{URL: c.API, Key: c.APIKey, HTTP: client}
	case !c.DryRun:
		return errors.New("--api-key (CALLWRIGHT_API_KEY) is missing; a --dry-run does without")
	}
	var err error
	if c.SIP != "" {
		if importer.SIP, err = readFrom(c.SIP, vapi.ReadSIP); err != nil {
			return err
		}
	}
	export, err := c.export(ctx, client)
	if err != nil {
		return err
	}
	rows, failure := importer.Run(ctx, export)
	if err := c.print(rows); err != nil {
		return err
	}
	return failure
}

func (c *importVapiCommand) export(ctx context.Context, client *http.Client) (*vapi.Export, error) {
	if c.File != "" { // before a key that the environment happens to hold
		return readFrom(c.File, vapi.ReadFile)
	}
	if c.Key == "" {
		return nil, errors.New("name a file, or give --key (VAPI_API_KEY)")
	}
	return vapi.Fetch(ctx, &vapi.Client{URL: c.VapiURL, Key: c.Key, HTTP: client})
}

// readFrom reads a file or, for -, standard input.
func readFrom[T any](name string, read func(io.Reader) (T, error)) (T, error) {
	if name == "-" {
		return read(os.Stdin)
	}
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	made, err := read(file)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return made, nil
}

// print prints the rows, and fails where something could not be made.
func (c *importVapiCommand) print(rows []vapi.Row) error {
	err := printList(c.outputFlags, rows,
		column[vapi.Row]{"KIND", func(r vapi.Row) string { return r.Kind }},
		column[vapi.Row]{"NAME", func(r vapi.Row) string { return table.Cell(r.Name) }},
		column[vapi.Row]{"FIELD", func(r vapi.Row) string { return table.Cell(r.Field) }},
		column[vapi.Row]{"OUTCOME", func(r vapi.Row) string { return string(r.Outcome) }},
		column[vapi.Row]{"WHY", func(r vapi.Row) string { return table.Cell(r.Why) }},
	)
	if err != nil {
		return err
	}
	failed := 0
	for _, row := range rows {
		if row.Outcome == vapi.Failed {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the export could not be made", failed)
	}
	return nil
}
