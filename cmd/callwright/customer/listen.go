package customer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/hook"
)

// forwardTimeout is how long the server on this machine has for an event: as long as a customer's server has.
const forwardTimeout = 15 * time.Second

// listenCommand shows events and forwards them.
type listenCommand struct {
	streamFlags
	Forward string  `help:"Where to send events: a server on this machine." placeholder:"URL"`
	Secret  string  `help:"Secret that signs them: whsec_ and base64. Default: one of this machine's own, which is printed." env:"CALLWRIGHT_WEBHOOK_SECRET" placeholder:"SECRET"`
	Resend  []int64 `help:"Send these events again, by their sequence, and end." placeholder:"SEQUENCE"`
}

// Run implements the command.
func (c *listenCommand) Run(ctx context.Context, k *kong.Kong, operations Operations, webhooks *webhooksGroup) error {
	api, err := webhooks.open(k)
	if err != nil {
		return err
	}
	to, err := c.forwarder(webhooks.ConfigDir, api.UserAgent)
	if err != nil {
		return err
	}
	defer to.close()
	if to.url != "" {
		if _, err := fmt.Fprintf(k.Stderr, "Events go to %s, signed with %s\n", to.url, to.secret); err != nil {
			return err
		}
	}
	show := func(ctx context.Context, read *event) error {
		line := read.line()
		if webhooks.JSON {
			line = string(read.raw)
		}
		if _, err := fmt.Fprintln(k.Stdout, line); err != nil {
			return err
		}
		said, err := to.send(ctx, read)
		if err != nil || said == "" {
			return err
		}
		_, err = fmt.Fprintf(k.Stderr, "%6d  %s\n", read.Sequence, said)
		return err
	}
	if len(c.Resend) > 0 {
		return c.again(ctx, api, operations, show)
	}
	reading := &stream{streamFlags: c.streamFlags, api: api, operations: operations, errors: k.Stderr, each: show}
	return reading.run(ctx)
}

// again sends single events.
func (c *listenCommand) again(ctx context.Context, api *client.Client, operations Operations,
	show func(context.Context, *event) error) error {
	if c.Forward == "" {
		return wrongInput("--resend: give --forward too")
	}
	for _, sequence := range c.Resend {
		arguments := client.Arguments{Values: map[string]json.RawMessage{"after": fmt.Append(nil, sequence-1),
			"limit": json.RawMessage("1")}}
		if sequence < 1 {
			return wrongInput("--resend: sequences begin with 1")
		}
		answer, err := api.Call(ctx, operations["list-events"], arguments)
		if err != nil {
			return failed(err)
		}
		read, err := readPage(answer)
		if err != nil {
			return err
		}
		found := &event{}
		if len(read.Data) > 0 {
			found.raw = read.Data[0]
			if err := json.Unmarshal(found.raw, found); err != nil {
				return fmt.Errorf("read event: %w", err)
			}
		}
		if found.Sequence != sequence {
			return &Failure{statusNotFound, fmt.Errorf("there is no event %d", sequence)}
		}
		if err := show(ctx, found); err != nil {
			return err
		}
	}
	return nil
}

// forwarder sends events to a server as webhooks are sent.
type forwarder struct {
	url, secret string // no url: nothing is sent
	hook        *hook.Client
}

func (c *listenCommand) forwarder(folder, userAgent string) (*forwarder, error) {
	// Whoever names the server runs this command: every address is theirs to name.
	everywhere := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	made := &forwarder{url: c.Forward, secret: c.Secret, hook: hook.New(hook.Config{Allow: everywhere, UserAgent: userAgent})}
	if c.Forward == "" {
		return made, nil
	}
	if target, err := url.Parse(c.Forward); err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, wrongInput("--forward: %s is not an address such as http://127.0.0.1:3000", c.Forward)
	}
	if made.secret == "" {
		var err error
		if made.secret, err = machineSecret(folder); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// machineSecret returns this machine's secret, the same for every run: whoever configures a server does so once.
func machineSecret(folder string) (string, error) {
	path := filepath.Join(folder, "webhook-secret")
	read, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(read)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read webhook secret: %w", err)
	}
	secret := hook.NewSecret()
	if err := writePrivate(path, []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("keep webhook secret: %w", err)
	}
	return secret, nil
}

func (f *forwarder) close() { f.hook.Close() }

// send forwards an event and says what became of it; nothing where events are only shown. A server that fails stops nothing:
// --resend sends the event again.
func (f *forwarder) send(ctx context.Context, read *event) (string, error) {
	if f.url == "" {
		return "", nil
	}
	if slices.Contains(callstate.Questions(), read.Type) {
		return "not sent: it is a question, which was answered while the call ran", nil
	}
	id, err := uuid.Parse(read.ID)
	if err != nil {
		return "", fmt.Errorf("read event: %w", err)
	}
	body, err := events.DeliveryBody(id, read.Sequence, read.Message)
	if err != nil {
		return "", fmt.Errorf("compose event: %w", err)
	}
	answer, err := f.hook.Post(ctx, hook.Post{URL: f.url, ID: read.ID, Secrets: []string{f.secret}, Body: body,
		Timeout: forwardTimeout})
	if err != nil {
		return fmt.Sprintf("not delivered: %v; again: --resend %d", err, read.Sequence), nil
	}
	if answer.Status >= 300 {
		return fmt.Sprintf("refused with %d in %d ms; again: --resend %d", answer.Status, answer.Latency.Milliseconds(), read.Sequence),
			nil
	}
	return fmt.Sprintf("delivered: %d in %d ms", answer.Status, answer.Latency.Milliseconds()), nil
}
