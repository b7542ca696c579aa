// Package customer has the commands of a customer: they call the public API with the customer's key, and reach nothing that
// another program could not. Most are made from the OpenAPI document when the program starts, one for each operation; by hand are
// those that are more than one request. It must not know the database.
package customer

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/client"
)

// Commands are the commands of a customer. The operations of a group are added to it by Operations.AddTo.
type Commands struct {
	Login              loginCommand    `cmd:"" help:"Keep the address of a server and a key in a profile, after trying them."`
	Logout             logoutCommand   `cmd:"" help:"Delete a profile with its key."`
	Call               callCommand     `cmd:"" help:"Call somebody now, and follow the conversation."`
	Assistants         group           `cmd:"" help:"AI phone assistants and their numbers."`
	InstantAgents      group           `cmd:"" help:"Assistants made from a website."`
	Calls              group           `cmd:"" help:"Calls, past and present."`
	Contacts           group           `cmd:"" help:"People who are called."`
	ScheduledCalls     group           `cmd:"" help:"Calls placed later."`
	Numbers            group           `cmd:"" help:"Phone numbers: yours, and those that can be ordered."`
	SIPConnections     group           `cmd:"" name:"sip-connections" help:"Numbers that you bring: your own accounts at SIP providers."`
	VerificationGroups group           `cmd:"" help:"Proof of who orders numbers: a business and its documents."`
	Knowledge          group           `cmd:"" help:"Documents that assistants know."`
	Events             eventsGroup     `cmd:"" help:"Events and their deliveries."`
	Webhooks           webhooksGroup   `cmd:"" help:"Where events go; your own machine too."`
	User               group           `cmd:"" help:"Your profile, credits and limits."`
	Members            group           `cmd:"" help:"The people of your account, and what they may do."`
	Audit              group           `cmd:"" help:"Who changed what."`
	APIKeys            group           `cmd:"" name:"api-keys" help:"Keys of your account."`
	MCP                mcpCommand      `cmd:"" name:"mcp" help:"Serve tools for AI agents on standard input and output (Model Context Protocol)."`
	Completion         completion      `cmd:"" help:"Print what has a shell complete commands: source it."`
	Complete           completeCommand `cmd:"" hidden:""`
}

// group is the commands of a resource.
type group struct {
	connection
	form
}

// form chooses how answers are printed.
type form struct {
	JSON bool `name:"json" help:"Print the JSON of the response."`
}

// of lets an operation find the flags of its group, whatever else that has.
func (g *group) of() *group { return g }

type eventsGroup struct {
	group
	Tail tailCommand `cmd:"" help:"Print events as they happen."`
}

type webhooksGroup struct {
	group
	Listen listenCommand `cmd:"" help:"Show events as they happen and send them to a server on this machine, signed as webhooks are."`
}

// Operations are those of the API, by their ids.
type Operations map[string]*client.Operation

// NewOperations returns those of a document.
func NewOperations(document *huma.OpenAPI) Operations { return client.Operations(document) }

// AddTo adds a command for each operation that has a name here.
func (operations Operations) AddTo(app *kong.Application) error {
	for _, named := range names {
		groupName, name, _ := strings.Cut(named.command, " ")
		op := operations[named.operation]
		parent := childOf(app.Node, groupName)
		if op == nil || parent == nil {
			return fmt.Errorf("the command %s: there is no operation %s, or no such group", named.command, named.operation)
		}
		flags, ok := reflect.TypeAssert[interface{ of() *group }](parent.Target.Addr())
		if !ok {
			return fmt.Errorf("the command %s is no group", groupName)
		}
		parent.Children = append(parent.Children, newNode(parent, name, op, named.columns, flags.of()))
	}
	return nil
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// newNode returns the command of an operation.
func newNode(parent *kong.Node, name string, op *client.Operation, columns string, flags *group) *kong.Node {
	command := &operationCommand{operation: op, columns: strings.Fields(columns), group: flags}
	node := &kong.Node{
		Type: kong.CommandNode, Parent: parent, Name: name, Help: op.Summary + ".", Detail: op.Description,
		Target: reflect.ValueOf(command).Elem(), Tag: &kong.Tag{},
	}
	command.takes = append(command.takes, op.Inputs...)
	command.takes = append(command.takes, ownInputs(op)...)
	command.given = make([]argument, len(command.takes))
	for i, in := range command.takes {
		value := &kong.Value{
			Name: flagName(in.Name), Help: describe(in), OrigHelp: in.Description, Mapper: mapper{in}, Tag: &kong.Tag{},
			Target: reflect.ValueOf(&command.given[i]).Elem(), DefaultValue: reflect.ValueOf(argument{}),
		}
		if in.In == client.InPath {
			value.Name, value.Tag.Arg, value.Required = in.Name, true, true
			value.Position = len(node.Positional)
			node.Positional = append(node.Positional, value)
			continue
		}
		if in.Kind == client.Boolean && in.In != own {
			value.Tag.Negatable = "_"
		}
		value.Flag = &kong.Flag{Value: value, PlaceHolder: placeholder(in)}
		node.Flags = append(node.Flags, value.Flag)
	}
	return node
}

// The flags that operations have besides their inputs.
const (
	flagBody   = "body"
	flagAll    = "all"
	flagOutput = "output"
)

// groupKey is the group of a customer's commands in the help.
const groupKey = "customer"

// own marks an input of the command line itself, which is in no request.
const own = "own"

// ownInputs returns what the command line adds to the inputs of an operation.
func ownInputs(op *client.Operation) []client.Input {
	var inputs []client.Input
	if op.BodyType == client.JSONType {
		inputs = append(inputs, client.Input{
			Name: flagBody, In: own, Kind: client.JSON, Description: "A whole body; other flags replace its fields.",
		})
	}
	if op.Paged {
		inputs = append(inputs, client.Input{Name: flagAll, In: own, Kind: client.Boolean, Description: "All entries, page by page."})
	}
	if op.Binary {
		inputs = append(inputs, client.Input{
			Name: flagOutput, In: own, Kind: client.String, Description: "File to write; - is standard output.", Required: true,
		})
	}
	return inputs
}

func flagName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// describe is the help of an input.
func describe(in client.Input) string {
	text := strings.TrimSpace(in.Description)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	if in.Required && in.In != client.InPath {
		text = strings.TrimSpace("Required. " + text)
	}
	if placeholder(in) == "WORD" {
		text = strings.TrimSpace(text + " One of " + strings.Join(in.Enum, ", ") + ".")
	}
	if in.Kind == client.Strings {
		text = strings.TrimSpace(text + " May be given several times.")
	}
	return text
}

// longestPlaceholder leaves room beside a flag.
const longestPlaceholder = 30

func placeholder(in client.Input) string {
	if words := strings.Join(in.Enum, "|"); words != "" && len(words) <= longestPlaceholder {
		return words
	} else if words != "" {
		return "WORD"
	}
	switch in.Kind {
	case client.Integer, client.Number:
		return "N"
	case client.JSON:
		return "JSON|@FILE"
	case client.File:
		return "FILE"
	}
	return "TEXT"
}

// The exit statuses, which docs/cli.md lists.
const (
	statusOther       = 1
	statusInput       = 2
	statusUnreachable = 3
	statusKey         = 4
	statusNotFound    = 5
	statusConflict    = 6
	statusBusy        = 7
	statusServer      = 8
)

// Failure is an error with the exit status that it ends the program with.
type Failure struct {
	Status int
	cause  error
}

func (f *Failure) Error() string { return f.cause.Error() }
func (f *Failure) Unwrap() error { return f.cause }

// ParseFailure gives an error of the command line of a customer's command its exit status, and returns others as they are.
func ParseFailure(err error) error {
	parsing, ok := errors.AsType[*kong.ParseError](err)
	if !ok || parsing.Context == nil {
		return err
	}
	for _, step := range parsing.Context.Path {
		if step.Command != nil && ours(step.Command) {
			return &Failure{statusInput, err}
		}
	}
	return err
}

func ours(command *kong.Node) bool { return command.Group != nil && command.Group.Key == groupKey }

// Wanted reports whether a command line may name an operation: it does not begin with another's command.
func Wanted(app *kong.Application, words []string) bool {
	if len(words) == 0 {
		return false
	}
	first := childOf(app.Node, words[0])
	return first == nil || ours(first)
}

func wrongInput(format string, arguments ...any) error {
	return &Failure{statusInput, fmt.Errorf(format, arguments...)}
}

// refusalStatus returns the exit status for a response that is not a success.
func refusalStatus(status int) int {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return statusKey
	case status == http.StatusNotFound:
		return statusNotFound
	case status == http.StatusConflict:
		return statusConflict
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return statusBusy
	case status >= http.StatusInternalServerError:
		return statusServer
	}
	return statusInput
}

// text returns a value as JSON.
func text(value string) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // a string always encodes
	}
	return encoded
}
