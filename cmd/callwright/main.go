// Command callwright is the whole product: the API, the workers, a development server that is both, and the tools of an
// operator. It knows everything and decides nothing: each command wires what the packages below offer.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/cmd/callwright/customer"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/traces"
)

// commands is the command line.
type commands struct {
	EnvFile envFileFlag      `help:"Read settings that are missing in the environment from FILE, such as the dev.env that dev writes." placeholder:"FILE"`
	Version kong.VersionFlag `help:"Print the version."`

	Dev          devCommand          `cmd:"" help:"Run everything on this machine and place a first call: no carrier, no key, no setup."`
	API          apiCommand          `cmd:"" name:"api" help:"Serve the REST API."`
	Worker       workerCommand       `cmd:"" help:"Work the queues: calls, scheduled calls, webhooks and the rest."`
	Migrate      migrateCommand      `cmd:"" help:"Bring the database to this version, or tell how far it is."`
	Doctor       doctorCommand       `cmd:"" help:"Say whether a deployment can do its work, and what to do where it cannot. Exit status: 0 it can, 3 it cannot, 1 a setting is wrong."`
	Account      accountCommand      `cmd:"" help:"Manage accounts."`
	Limits       limitsCommand       `cmd:"" help:"Show or set what an account may use: calls at once, countries, minutes and texts in a day."`
	Prices       pricesCommand       `cmd:"" help:"Manage the prices of what calls use."`
	Key          keyCommand          `cmd:"" help:"Manage API keys."`
	Number       numberCommand       `cmd:"" help:"List phone numbers, and manage those that all accounts share."`
	Seal         sealCommand         `cmd:"" help:"Manage the keys under which secrets are kept."`
	Files        filesCommand        `cmd:"" help:"Manage the store of recordings and documents."`
	OpenAPI      openAPICommand      `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Verification verificationCommand `cmd:"" help:"Decide of verification groups."`
	Import       importCommand       `cmd:"" help:"Move a configuration in from another platform."`
	Export       exportCommand       `cmd:"" help:"Write out what is kept of a customer."`
	Simulate     simulateCommand     `cmd:"" help:"Run the simulated phone network by itself, with scripts of your own."`
	Licenses     licensesCommand     `cmd:"" help:"List the works of others in this program, with their versions and licences."`
	Read         readCommand         `cmd:"" hidden:""`

	customer.Commands `embed:"" group:"customer"`
}

func main() {
	os.Exit(run(stopSignals(context.Background()), os.Args[1:]))
}

// run returns the exit status. Whatever fails ends in one sentence on standard error.
func run(ctx context.Context, args []string) int {
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = buildVersion(info)
	}
	var cli commands
	document := sync.OnceValue(api.Document) // takes 10 ms, which this program as a reader of pages has not
	parser, err := kong.New(&cli,
		kong.Name("callwright"),
		kong.Description("Callwright: AI phone assistants over a REST API, on Postgres."),
		kong.Vars{
			"version": version, "state_dir": stateDir(), "files_dir": filepath.Join(stateDir(), "files"), "config_dir": configDir(),
			"queues":    defaultQueues(),
			"embedders": vendorNames(all.Embedders()),
		},
		vendors(),
		kong.TypeMapper(reflect.TypeFor[netip.Prefix](), kong.MapperFunc(decodeNetwork)),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindSingletonProvider(document),
		kong.BindSingletonProvider(customer.NewOperations),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, Compact: true}),
		kong.ExplicitGroups([]kong.Group{{Key: "customer",
			Title: "Commands of a customer, over the API (--json, --api, --api-key, --profile):"}}),
		kong.UsageOnError(),
	)
	args = askedForHelp(args)
	if err == nil && customer.Wanted(parser.Model, args) {
		err = customer.NewOperations(document()).AddTo(parser.Model)
	}
	if err != nil {
		return complain(err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		if failure := customer.ParseFailure(err); !errors.Is(err, failure) {
			return complain(failure)
		}
		return complain(nameVariables(err))
	}
	if err := command.Run(); err != nil {
		return complain(err)
	}
	return 0
}

// askedForHelp has "help COMMAND", and nothing at all, ask for what --help says.
func askedForHelp(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// nameVariables has the error of a command line name the variables that stand for the flags which it lacks.
func nameVariables(err error) error {
	parsing, ok := errors.AsType[*kong.ParseError](err)
	if !ok || parsing.Context == nil || !strings.HasPrefix(err.Error(), "missing flags: ") {
		return err
	}
	said := err.Error()
	for _, flag := range parsing.Context.Flags() {
		if len(flag.Envs) > 0 {
			said = strings.Replace(said, flag.Summary(), flag.Summary()+" ("+flag.Envs[0]+")", 1)
		}
	}
	return &statusError{status: 1, message: said}
}

// statusError is a failure with an exit status of its own.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return e.message }

func complain(err error) int {
	fmt.Fprintf(os.Stderr, "callwright: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	if own, ok := errors.AsType[*statusError](err); ok {
		return own.status
	}
	if failed, ok := errors.AsType[*customer.Failure](err); ok {
		return failed.Status
	}
	return 1
}

// logFlags choose what is logged.
type logFlags struct {
	LogLevel  string `help:"Least level to log: ${enum}." enum:"debug,info,warn,error" default:"info" env:"CALLWRIGHT_LOG_LEVEL"`
	LogFormat string `help:"Form of log lines: ${enum}." enum:"text,json" default:"json" env:"CALLWRIGHT_LOG_FORMAT"`
}

func (f logFlags) logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo // kong has checked the word
	}
	options := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "text" {
		return slog.New(traces.LogHandler(slog.NewTextHandler(os.Stderr, options)))
	}
	return slog.New(traces.LogHandler(slog.NewJSONHandler(os.Stderr, options)))
}
