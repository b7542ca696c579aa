package customer

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbtest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { dbtest.Main(m) }

// parser returns the commands of a customer, as the program has them.
func parser(t *testing.T, out, errs *bytes.Buffer, config string) *kong.Kong {
	t.Helper()
	var line struct {
		Commands `embed:"" group:"customer"`
	}
	made, err := kong.New(&line, kong.Name("callwright"), kong.Vars{"version": "test", "config_dir": config},
		kong.BindSingletonProvider(api.Document), kong.BindSingletonProvider(NewOperations),
		kong.BindTo(t.Context(), (*context.Context)(nil)), kong.Writers(out, errs), kong.Exit(func(int) { panic(exited{}) }))
	require.NoError(t, err)
	require.NoError(t, NewOperations(api.Document()).AddTo(made.Model))
	return made
}

type exited struct{}

// terminal runs commands of a customer against an API.
type terminal struct {
	server      *apitest.Server
	url, key    string
	config      string
	out, errors string // of the last command
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	server := apitest.New(t)
	served := httptest.NewServer(server.Handler)
	t.Cleanup(served.Close)
	return &terminal{server: server, url: served.URL, key: server.Key, config: t.TempDir()}
}

// run returns the exit status of a command.
func (c *terminal) run(t *testing.T, words ...string) (status int) {
	t.Helper()
	var out, errs bytes.Buffer
	made := parser(t, &out, &errs, c.config)
	defer func() { c.out, c.errors = out.String(), errs.String() }()
	err := func() (err error) {
		defer func() {
			if recovered := recover(); recovered != nil {
				_, help := recovered.(exited)
				require.True(t, help, "%v", recovered)
			}
		}()
		command, err := made.Parse(words)
		if err != nil {
			return ParseFailure(err)
		}
		return command.Run()
	}()
	if err == nil {
		return 0
	}
	errs.WriteString(err.Error())
	if failed, ok := errors.AsType[*Failure](err); ok {
		return failed.Status
	}
	return statusOther
}

// here adds the server and the key to a command.
func (c *terminal) here(words ...string) []string {
	return append(words, "--api", c.url, "--api-key", c.key)
}

// must runs a command against the server that has to succeed, and returns what it printed.
func (c *terminal) must(t *testing.T, words ...string) string {
	t.Helper()
	require.Zero(t, c.run(t, c.here(words...)...), "%v: %s", words, c.errors)
	return c.out
}

var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

var gaps = regexp.MustCompile(` {2,}`)

// golden compares an output with a file, ids and times numbered in their order.
func golden(t *testing.T, name, got string) {
	t.Helper()
	seen := map[string]string{}
	got = changing.ReplaceAllStringFunc(got, func(one string) string {
		if seen[one] == "" {
			seen[one] = "<" + strconv.Itoa(len(seen)+1) + ">"
		}
		return seen[one]
	})
	got = gaps.ReplaceAllString(got, "  ") // which depend on how many digits a time has
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
