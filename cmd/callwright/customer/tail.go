package customer

import (
	"context"
	"fmt"

	"github.com/alecthomas/kong"
)

// tailCommand prints events as they happen.
type tailCommand struct {
	streamFlags
}

// Run implements the command. With --json each event is one line.
func (c *tailCommand) Run(ctx context.Context, k *kong.Kong, operations Operations, events *eventsGroup) error {
	api, err := events.open(k)
	if err != nil {
		return err
	}
	reading := &stream{streamFlags: c.streamFlags, api: api, operations: operations, errors: k.Stderr,
		each: func(_ context.Context, read *event) error {
			line := read.line()
			if events.JSON {
				line = string(read.raw)
			}
			_, err := fmt.Fprintln(k.Stdout, line)
			return err
		}}
	return reading.run(ctx)
}
