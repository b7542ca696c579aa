package customer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/api/client"
)

// operationCommand is the command of an operation.
type operationCommand struct {
	operation *client.Operation
	columns   []string
	group     *group
	takes     []client.Input // the operation's, then our own
	given     []argument
}

// Run implements the command.
func (c *operationCommand) Run(ctx context.Context, k *kong.Kong) error {
	api, err := c.group.open(k)
	if err != nil {
		return err
	}
	arguments := c.arguments()
	out := &printer{out: k.Stdout, json: c.group.JSON, columns: c.columns}
	switch {
	case c.operation.Binary:
		return c.download(ctx, api, arguments, k.Stdout)
	case c.own(flagAll).given:
		return c.all(ctx, api, arguments, out)
	case c.operation.CSV && string(arguments.Values["format"]) == `"csv"`:
		return c.print(ctx, api, arguments, k.Stdout)
	}
	answer, err := api.Call(ctx, c.operation, arguments)
	if err != nil {
		return failed(err)
	}
	if !c.operation.Paged {
		return out.record(answer)
	}
	page, err := readPage(answer)
	if err != nil {
		return err
	}
	if err := out.list(answer, page); err != nil {
		return err
	}
	if page.Pagination.HasMore && !c.group.JSON {
		_, err = fmt.Fprintln(k.Stderr, "There are more: --all shows them.")
	}
	return err
}

func (c *operationCommand) own(name string) argument {
	for i, in := range c.takes {
		if in.In == own && in.Name == name {
			return c.given[i]
		}
	}
	return argument{}
}

func (c *operationCommand) arguments() client.Arguments {
	arguments := client.Arguments{Values: map[string]json.RawMessage{}, Files: map[string][]byte{}, Body: c.own(flagBody).value}
	for i, in := range c.takes {
		switch given := c.given[i]; {
		case !given.given || in.In == own:
		case in.Kind == client.File:
			arguments.Files[in.Name] = given.file
		default:
			arguments.Values[in.Name] = given.value
		}
	}
	return arguments
}

// page is the response of a list.
type page struct {
	Data       []json.RawMessage `json:"data"`
	Pagination struct {
		HasMore    bool    `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	} `json:"pagination"`
}

func readPage(answer json.RawMessage) (*page, error) {
	var read page
	if err := json.Unmarshal(answer, &read); err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	return &read, nil
}

// pages calls a list page by page, until it ends or each returns an error.
func pages(ctx context.Context, api *client.Client, op *client.Operation, arguments client.Arguments,
	each func(*page) error) error {
	if arguments.Values["limit"] == nil {
		arguments.Values["limit"] = json.RawMessage("100")
	}
	for seen := 0; ; {
		answer, err := api.Call(ctx, op, arguments)
		if err != nil {
			return failed(err)
		}
		read, err := readPage(answer)
		if err != nil {
			return err
		}
		if err := each(read); err != nil {
			return err
		}
		seen += len(read.Data)
		switch {
		case !read.Pagination.HasMore || len(read.Data) == 0:
			return nil
		case read.Pagination.NextCursor != nil:
			delete(arguments.Values, "offset")
			arguments.Values["cursor"] = text(*read.Pagination.NextCursor)
		default:
			arguments.Values["offset"] = fmt.Append(nil, seen)
		}
	}
}

// all prints all entries of a list. As JSON they have the form of one page.
func (c *operationCommand) all(ctx context.Context, api *client.Client, arguments client.Arguments, out *printer) error {
	whole := &page{Data: []json.RawMessage{}}
	err := pages(ctx, api, c.operation, arguments, func(read *page) error {
		whole.Data = append(whole.Data, read.Data...)
		return nil
	})
	if err != nil {
		return err
	}
	answer, err := json.Marshal(map[string]any{"data": whole.Data})
	if err != nil {
		return fmt.Errorf("encode list: %w", err)
	}
	return out.list(answer, whole)
}

// print writes an answer as it is.
func (c *operationCommand) print(ctx context.Context, api *client.Client, arguments client.Arguments, out io.Writer) error {
	response, err := api.Open(ctx, c.operation, arguments)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	_, err = io.Copy(out, response.Body)
	return err
}

// download writes a file. What is incomplete is removed, unless it went to standard output.
func (c *operationCommand) download(ctx context.Context, api *client.Client, arguments client.Arguments,
	out io.Writer) (err error) {
	var name string
	if given := c.own(flagOutput); given.given {
		if err := json.Unmarshal(given.value, &name); err != nil {
			return err
		}
	}
	if name == "" {
		return wrongInput("--output: name a file, or - for standard output")
	}
	response, err := api.Open(ctx, c.operation, arguments)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	if name == "-" {
		_, err = io.Copy(out, response.Body)
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, response.Body)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("download: %w", err), os.Remove(name))
	}
	return nil
}

// failed gives an error of a request its exit status.
func failed(err error) error {
	if refused, ok := errors.AsType[*client.Refusal](err); ok {
		return &Failure{refusalStatus(refused.Status), err}
	}
	if _, ok := errors.AsType[*client.UnreachableError](err); ok {
		return &Failure{statusUnreachable, err}
	}
	if _, ok := errors.AsType[*client.ArgumentError](err); ok {
		return &Failure{statusInput, err}
	}
	return err
}
