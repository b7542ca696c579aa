package customer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/client"
)

// followEvery is how often a call is looked up that is followed: 40 times a minute, of the 100 that a key has.
const followEvery = 1500 * time.Millisecond

// callCommand places a call.
type callCommand struct {
	connection
	form
	PhoneNumber string `arg:"" help:"Whom to call, such as +31612345678."`
	Assistant   string `help:"Who calls: an assistant's id or name." required:"" placeholder:"ID|NAME"`
	CustomData  string `help:"Yours: comes back with the call and its events, and fills {{name}} in what the assistant says." placeholder:"JSON"`
	Follow      bool   `help:"Print the conversation as it happens; status 1 unless the call completes. Ctrl-C leaves the call alone."`
}

// shownCall is a call as its follower reads it.
type shownCall struct {
	ID          string  `json:"call_id"`
	Status      string  `json:"call_status"`
	EndedAt     *string `json:"ended_at"`
	EndedReason *string `json:"ended_reason"`
	Explanation *string `json:"explanation"`
	Duration    float64 `json:"duration_seconds"`
	Transcript  []struct {
		Role    string  `json:"role"`
		Text    string  `json:"text"`
		Seconds float64 `json:"seconds_from_start"`
	} `json:"transcript"`
}

// Run implements the command.
func (c *callCommand) Run(ctx context.Context, k *kong.Kong, operations Operations) error {
	api, err := c.open(k)
	if err != nil {
		return err
	}
	assistant, err := c.assistant(ctx, api, operations)
	if err != nil {
		return err
	}
	values := map[string]json.RawMessage{"assistant_id": text(assistant), "contact_phone_number": text(c.PhoneNumber)}
	if c.CustomData != "" {
		if values["custom_data"] = json.RawMessage(c.CustomData); !json.Valid(values["custom_data"]) {
			return wrongInput("--custom-data: must be JSON")
		}
	}
	answer, err := api.Call(ctx, operations["create-direct-call"], client.Arguments{Values: values})
	if err != nil {
		return failed(err)
	}
	out := &printer{out: k.Stdout, json: c.JSON}
	if !c.Follow {
		return out.record(answer)
	}
	var placed shownCall
	if err := json.Unmarshal(answer, &placed); err != nil {
		return fmt.Errorf("read call: %w", err)
	}
	following := &following{api: api, get: operations["get-call"], out: out, id: placed.ID}
	return following.run(ctx)
}

// assistant returns the id of the assistant that is named.
func (c *callCommand) assistant(ctx context.Context, api *client.Client, operations Operations) (string, error) {
	if id, err := uuid.Parse(c.Assistant); err == nil {
		return id.String(), nil
	}
	var found []string
	err := pages(ctx, api, operations["list-assistants"], client.Arguments{Values: map[string]json.RawMessage{}},
		func(read *page) error {
			for _, entry := range read.Data {
				var one struct {
					ID   string `json:"assistant_id"`
					Name string `json:"assistant_name"`
				}
				if err := json.Unmarshal(entry, &one); err != nil {
					return fmt.Errorf("read assistant: %w", err)
				}
				if one.Name == c.Assistant {
					found = append(found, one.ID)
				}
			}
			return nil
		})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", &Failure{statusNotFound, fmt.Errorf("--assistant: there is none with the name %q", c.Assistant)}
	case len(found) > 1:
		return "", wrongInput("--assistant: %d have the name %q; give an id", len(found), c.Assistant)
	}
	return found[0], nil
}

// following prints a call as it goes.
type following struct {
	api    *client.Client
	get    *client.Operation
	out    *printer
	id     string
	status string // printed last
	turns  int    // printed so far
}

func (f *following) run(ctx context.Context) error {
	arguments := client.Arguments{Values: map[string]json.RawMessage{"call_id": text(f.id)}}
	for {
		answer, err := f.api.Call(ctx, f.get, arguments)
		if err != nil {
			return f.left(ctx, err)
		}
		var call shownCall
		if err := json.Unmarshal(answer, &call); err != nil {
			return fmt.Errorf("read call: %w", err)
		}
		ended := call.EndedAt != nil
		switch {
		case f.out.json && !ended:
		case f.out.json:
			if err := f.out.raw(answer); err != nil {
				return err
			}
		default:
			if err := f.show(&call); err != nil {
				return err
			}
		}
		if ended {
			return outcome(&call)
		}
		select {
		case <-ctx.Done():
			return f.left(ctx, ctx.Err())
		case <-time.After(followEvery):
		}
	}
}

// left says that the call goes on without us.
func (f *following) left(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("no longer followed; the call goes on: callwright calls get %s, callwright calls end %s", f.id, f.id)
	}
	return failed(err)
}

// show prints what is new of a call. The last turn of a live call may still grow, so it waits for the next one or the end.
func (f *following) show(call *shownCall) error {
	if call.Status != f.status && call.EndedAt == nil {
		f.status = call.Status
		if err := f.out.line("%8s  %s%s", "", call.Status, detail(call.Explanation)); err != nil {
			return err
		}
	}
	settled := len(call.Transcript)
	if call.EndedAt == nil && settled > 0 {
		settled--
	}
	for ; f.turns < settled; f.turns++ {
		turn := call.Transcript[f.turns]
		if err := f.out.line("%7.1fs  %-9s  %s", turn.Seconds, turn.Role, plainText(turn.Text)); err != nil {
			return err
		}
	}
	if call.EndedAt == nil {
		return nil
	}
	return f.out.line("%8s  %s after %.0f s%s  (callwright calls get %s)", "", call.Status, call.Duration, detail(call.EndedReason),
		f.id)
}

func detail(text *string) string {
	if text == nil || *text == "" {
		return ""
	}
	return ": " + plainText(*text)
}

// outcome returns why a call did not complete.
func outcome(call *shownCall) error {
	if call.Status == "completed" {
		return nil
	}
	return &Failure{statusOther, errors.New("the call ended as " + call.Status + detail(call.EndedReason))}
}
