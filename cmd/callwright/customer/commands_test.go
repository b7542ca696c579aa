package customer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

// TestEveryOperation has a command, or what takes its place.
func TestEveryOperation(t *testing.T) {
	t.Parallel()

	commands := map[string]string{}
	for _, one := range names {
		require.Empty(t, commands[one.operation], "%s has two commands", one.operation)
		commands[one.operation] = one.command
	}
	document := api.Document()
	for id, op := range client.Operations(document) {
		require.NotEqual(t, commands[id] == "", unnamed[id] == "", "%s has a command, or else what takes its place", id)
		if !op.Paged {
			continue
		}
		response := document.Paths[op.Path].Get.Responses["200"].Content["application/json"].Schema
		entries := document.Components.Schemas.SchemaFromRef(response.Ref).Properties["data"].Items
		if entries == nil {
			continue
		}
		entry := document.Components.Schemas.SchemaFromRef(entries.Ref)
		for _, one := range names {
			for column := range strings.FieldsSeq(one.columns) {
				name, _, _ := strings.Cut(column, ".")
				require.True(t, one.operation != id || entry.Properties[name] != nil, "%s: there is no %s", one.command, column)
			}
		}
	}
	var out bytes.Buffer
	model := parser(t, &out, &out, t.TempDir()).Model
	for _, leaf := range model.Leaves(false) {
		flags := flagsWithNegations(leaf)
		slices.Sort(flags)
		require.Equal(t, slices.Compact(slices.Clone(flags)), flags, "%s has a flag twice", leaf.Path())
	}
}

func flagsWithNegations(node *kong.Node) []string {
	var found []string
	for _, level := range node.AllFlags(false) {
		for _, flag := range level {
			found = append(found, flag.Name)
			if flag.Tag.Negatable != "" {
				found = append(found, "no-"+flag.Name)
			}
		}
	}
	return found
}

// TestResources walks resources through their commands.
func TestResources(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	golden(t, "assistants-none", c.must(t, "assistants", "list"))
	prompt := filepath.Join(t.TempDir(), "prompt.txt")
	require.NoError(t, os.WriteFile(prompt, []byte("You book appointments.\n"), 0o600))
	body := filepath.Join(t.TempDir(), "body.json")
	require.NoError(t, os.WriteFile(body, []byte(`{"assistant_name": "From a file", "metadata": {"big": 9007199254740993}}`), 0o600))

	var made struct {
		ID       string `json:"assistant_id"`
		Name     string `json:"assistant_name"`
		Content  string `json:"llm_content"`
		Duration int    `json:"max_duration_seconds"`
		Emails   []string
		Enabled  bool `json:"knowledge_base_enabled"`
	}
	created := c.must(t, "assistants", "create", "--json", "--body", "@"+body, "--assistant-name", "Receptionist", "--llm-content",
		"@"+prompt,
		"--max-duration-seconds", "90", "--knowledge-base-enabled", "--end-call-phrases", "bye", "--end-call-phrases", "a, b",
		"--first-message", "@@ Linden")
	require.NoError(t, json.Unmarshal([]byte(created), &made))
	require.Equal(t, "Receptionist", made.Name, "a flag wins over the body")
	require.Equal(t, "You book appointments.\n", made.Content)
	require.Equal(t, 90, made.Duration)
	require.True(t, made.Enabled)
	require.Contains(t, created, "9007199254740993", "digits stay")
	require.Contains(t, created, `"a, b"`)
	require.Contains(t, created, `"@ Linden"`)

	updated := c.must(t, "assistants", "update", made.ID, "--no-knowledge-base-enabled", "--voicemail-detection", "off")
	require.Regexp(t, `knowledge_base_enabled +false`, updated)
	golden(t, "assistants-list", c.must(t, "assistants", "list"))
	c.must(t, "contacts", "create", "--full-name", "Anna\x1b[31m \"An\"", "--phone-number", "+31612345678", "--email",
		"anna@example.com")
	golden(t, "contacts-list", c.must(t, "contacts", "list"))
	golden(t, "deleted", c.must(t, "assistants", "delete", made.ID))
	require.Equal(t, statusNotFound, c.run(t, c.here("assistants", "get", made.ID)...))
}

// TestPages prints a list that has several pages.
func TestPages(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	for range 5 {
		dbfactory.Contact(t, c.server.Tx, c.server.Account.ID)
	}
	require.Len(t, strings.Split(strings.TrimSpace(c.must(t, "contacts", "list", "--limit", "2")), "\n"), 3)
	require.Contains(t, c.errors, "--all")
	require.Len(t, strings.Split(strings.TrimSpace(c.must(t, "contacts", "list", "--limit", "2", "--all")), "\n"), 6)
	var all struct{ Data []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(c.must(t, "contacts", "list", "--limit", "2", "--all", "--json")), &all))
	require.Len(t, all.Data, 5)
}

// TestFailures end in one line and a status of their kind.
func TestFailures(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	c.must(t, "contacts", "create", "--full-name", "Anna", "--phone-number", "+31612345678")
	reader, _ := dbfactory.APIKey(t, c.server.Tx, c.server.Account.ID, func(key *dbsqlc.APIKeyInsertParams) { key.Scope = "read" })
	const nobody = "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"
	for name, test := range map[string]struct {
		status int
		says   string
		words  []string
	}{
		"UnknownFlag":  {statusInput, "unknown flag --assistant-nam", c.here("assistants", "create", "--assistant-nam", "x")},
		"UnknownField": {statusInput, "assistant_nam", c.here("assistants", "create", "--body", `{"assistant_nam": "x"}`)},
		"WrongType": {statusInput, "--max-duration-seconds: must be a whole number",
			c.here("assistants", "create", "--max-duration-seconds", "soon")},
		"WrongTypeInBody": {statusInput, "max_duration_seconds",
			c.here("assistants", "create", "--body", `{"assistant_name": "x", "max_duration_seconds": "soon"}`)},
		"WrongWord":       {statusInput, "must be one of", c.here("assistants", "create", "--first-message-mode", "loud")},
		"NoJSON":          {statusInput, "--metadata: must be JSON", c.here("assistants", "create", "--metadata", "{")},
		"NoSuchFile":      {statusInput, "no such file", c.here("assistants", "create", "--body", "@/nowhere.json")},
		"MissingArgument": {statusInput, "assistant_id", c.here("assistants", "get")},
		"MissingField":    {statusInput, "assistant_name", c.here("assistants", "create")},
		"NobodyThere": {statusUnreachable, "http://127.0.0.1:1 does not respond",
			[]string{"user", "get", "--api", "http://127.0.0.1:1", "--api-key", "cw_live_x"}},
		"NoServer":  {statusInput, "callwright login", []string{"user", "get"}},
		"NoAddress": {statusInput, "is not an address", []string{"user", "get", "--api", "calls.example", "--api-key", "x"}},
		"NoKey":     {statusKey, "callwright login", []string{"user", "get", "--api", c.url}},
		"UnknownKey": {statusKey, "401 unauthorized",
			[]string{"user", "get", "--api", c.url, "--api-key", "cw_live_" + strings.Repeat("x", 32)}},
		"SmallScope": {statusKey, "403 insufficient_scope",
			[]string{"contacts", "create", "--full-name", "B", "--phone-number", "+31612345679", "--api", c.url, "--api-key", reader}},
		"NotFound": {statusNotFound, "404 not_found", c.here("contacts", "get", nobody)},
		"Conflict": {statusConflict, "409 conflict",
			c.here("contacts", "create", "--full-name", "B", "--phone-number", "+31612345678")},
		"NoSuchAssistant": {statusNotFound, `there is none with the name "Nobody"`,
			c.here("call", "+31612345678", "--assistant", "Nobody")},
		"NoSuchProfile":    {statusInput, "there is no profile work", []string{"user", "get", "--profile", "work"}},
		"WrongProfileName": {statusInput, "--profile", []string{"user", "get", "--profile", "../x"}},
		"NoFileToWrite":    {statusInput, "--output", c.here("calls", "recording", nobody)},
	} {
		require.Equal(t, test.status, c.run(t, test.words...), "%s: %s", name, c.errors)
		require.Contains(t, c.errors, test.says, name)
		require.Empty(t, c.out, name)
		require.NotContains(t, c.errors, "\n", "%s: one line", name)
	}
}

// TestHelp has the document's words.
func TestHelp(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	require.Zero(t, c.run(t, "--help"), c.errors)
	for _, command := range []string{"assistants", "events", "webhooks", "mcp", "completion"} {
		require.Contains(t, c.out, "\n  "+command+" ")
	}
	require.Zero(t, c.run(t, "contacts", "--help"), c.errors)
	require.Contains(t, c.out, "contacts update")
	require.Zero(t, c.run(t, "calls", "list", "--help"), c.errors)
	for _, text := range []string{"--call-status", "--all", "--json", "--api-key=KEY", "CALLWRIGHT_API_KEY"} {
		require.Contains(t, c.out, text)
	}
}

// TestCompletion completes commands, flags and words.
func TestCompletion(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	for line, want := range map[string]string{
		"assi":                              "assistants",
		"assistants rep":                    "replace",
		"assistants create --first-message": "--first-message\n--first-message-interruptions-enabled\n--first-message-mode\n--first-message-outbound",
		"assistants create --first-message-mode assistant-w":           "assistant-waits-for-user",
		"assistants create --knowledge-base-enabled --assistant-name ": "",
		"completion z": "",
	} {
		words := append([]string{"complete", "--"}, strings.Split(line, " ")...)
		require.Zero(t, c.run(t, words...), c.errors)
		require.Equal(t, want, strings.TrimSpace(c.out), line)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		require.Zero(t, c.run(t, "completion", shell))
		require.Contains(t, c.out, "callwright complete -- ")
	}
}

// TestProfiles keeps a key for its server alone, where only its owner reads it.
func TestProfiles(t *testing.T) {
	t.Parallel()

	c := newTerminal(t)
	require.Equal(t, statusKey, c.run(t, "login", "--api", c.url, "--api-key", "cw_live_"+strings.Repeat("x", 32)))
	require.NoDirExists(t, filepath.Join(c.config, "profiles"), "a key that does not work is not kept")
	require.Zero(t, c.run(t, "login", "--api", c.url+"/v1/", "--api-key", c.key), c.errors)
	path := filepath.Join(c.config, "profiles", "default.json")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Zero(t, c.run(t, "user", "get"), c.errors)
	require.Equal(t, statusKey, c.run(t, "user", "get", "--api", "http://127.0.0.1:1"), "the key goes to no other server")
	require.Zero(t, c.run(t, "login", "--profile", "work", "--api", c.url, "--api-key", c.key), c.errors)
	require.Zero(t, c.run(t, "user", "get", "--profile", "work"), c.errors)
	require.Zero(t, c.run(t, "logout"), c.errors)
	require.Zero(t, c.run(t, "logout"), "again")
	require.NoFileExists(t, path)
	require.Equal(t, statusInput, c.run(t, "user", "get"))
	require.Zero(t, c.run(t, "user", "get", "--profile", "work"), c.errors)
}
