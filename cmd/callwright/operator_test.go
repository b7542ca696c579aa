package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// operator is who runs commands on one database.
type operator struct {
	t   *testing.T
	env []string
}

func newOperator(t *testing.T, dsn string) *operator {
	return &operator{t, []string{"DATABASE_URL=" + dsn, "CALLWRIGHT_SEAL_KEYS=" + newSealKey()}}
}

func (o *operator) run(args ...string) string {
	o.t.Helper()
	output, status := runOnce(o.t, o.env, args...)
	require.Zero(o.t, status, "callwright %v: %s", args, output)
	return output
}

// read runs a command with --json.
func (o *operator) read(out any, args ...string) {
	o.t.Helper()
	output := o.run(append(args, "--json")...)
	require.NoError(o.t, json.Unmarshal([]byte(output), out), output)
}

// TestOperatorFindsEverything: nothing that a command printed once is lost.
func TestOperatorFindsEverything(t *testing.T) {
	t.Parallel()

	o := newOperator(t, dbtest.DSN(t))
	require.Equal(t, "[]\n", o.run("account", "list", "--json"))
	id := find(t, `account\s+(\S+)`, o.run("account", "create", "owner@example.com", "--name", "Linden\tDental"))
	require.Regexp(t, `ID +EMAIL .*\n`+id+` +owner@example.com +none +0 .*"Linden\\tDental"\n`, o.run("account", "list"))

	for range 2 {
		require.Regexp(t, `http://127.0.0.1:8080/app/#/setup/[A-Z2-7]{26}\n`, o.run("account", "link", "Owner@example.com"))
	}

	// An account has two names.
	for _, name := range []string{id, "owner@example.com"} {
		o.run("account", "credit", name, "10", "--reason", "test")
		o.run("account", "subscription", name, "active")
		o.run("limits", name, "--max-concurrent-calls", "7")
		o.run("key", "create", name, "--name", "of "+name, "--test")
	}
	var shown struct {
		ID                 string
		Subscription       string
		Credits, Keys      int
		MaxConcurrentCalls int `json:"max_concurrent_calls"`
	}
	o.read(&shown, "account", "show", "owner@example.com")
	require.Equal(t, id, shown.ID)
	require.Equal(t, "active", shown.Subscription)
	require.Equal(t, 20, shown.Credits)
	require.Equal(t, 2, shown.Keys)
	require.Equal(t, 7, shown.MaxConcurrentCalls)
	require.Regexp(t, `concurrent calls +0 of 7, 0 waiting`, o.run("account", "show", id))

	var limits limitsRecord
	o.read(&limits, "limits", id, "--countries", "nl,BE", "--calls-per-number", "3", "--daily-minutes", "none", "--reserved-inbound",
		"2")
	require.Equal(t, limitsRecord{
		MaxConcurrentCalls: 7, ReservedInbound: 2, MaxKnowledgeDocuments: 1000, Countries: []string{"BE", "NL"},
		CallsPerNumber: new(int32(3)),
		DailyTexts:     new(int32(200)), RefusedToday: map[string]int64{},
	}, limits)
	require.Regexp(t,
		`(?s)countries +BE,NL\n.*calls per number +3 an hour\n.*daily minutes +none, 0.0 used\n.*refused today +nothing`,
		o.run("limits", id))
	o.read(&limits, "limits", id, "--countries", "default")
	require.True(t, limits.DefaultCountries)
	require.Contains(t, limits.Countries, "FR")

	var keys []struct{ ID, Name, Mode, Prefix, Status string }
	o.read(&keys, "key", "list", id)
	require.Len(t, keys, 2)
	require.Equal(t, "test", keys[0].Mode)
	o.run("key", "revoke", "owner@example.com", keys[0].ID)
	o.read(&keys, "key", "list", id)
	require.Equal(t, []string{"revoked", "works"}, []string{keys[0].Status, keys[1].Status})
	require.Regexp(t, keys[1].ID+` +cw_test_\S+… +test +admin +works +100 `, o.run("key", "list", id))

	o.run("number", "add", "+31850000000", "--locality", "Utrecht")
	o.run("number", "add", "+31850000000")
	var numbers []struct{ ID, Number, Locality string }
	o.read(&numbers, "number", "list")
	require.Len(t, numbers, 1)
	require.Equal(t, "Utrecht", numbers[0].Locality)
	require.Regexp(t, numbers[0].ID+` +\+31850000000 +active +national +Utrecht +\(shared\)`, o.run("number", "list"))
	o.run("number", "owner", "+31850000000", id)
	require.Regexp(t, `\(shared, inbound to owner@example.com\)`, o.run("number", "list"))
	o.run("number", "owner", "+31850000000", "--nobody")
	require.Regexp(t, `\(shared\)`, o.run("number", "list"))
}

func TestMigrateStatus(t *testing.T) {
	t.Parallel()

	o := newOperator(t, emptyDatabase(t))
	output, status := runOnce(t, o.env, "migrate", "status")
	require.Equal(t, 3, status, output)
	require.Regexp(t, `callwright +0 of (\d+) +\d+ +0\nriver +0 of \d+ +\d+ +0\n`, output)
	require.Contains(t, output, "pending  callwright 0001_")
	require.Contains(t, output, "pending  river 0001_")
	require.Contains(t, output, "run `callwright migrate`")
	output, status = runOnce(t, o.env, "migrate", "--dry-run")
	require.Equal(t, 3, status, output)
	require.Contains(t, output, "callwright 0001_baseline (one transaction: a lock is held until its end)\n  CREATE TABLE account (")
	o.run("migrate")
	require.Equal(t, "The database is at this version.\n", o.run("migrate", "--dry-run"))
	require.Equal(t, "[]\n", o.run("migrate", "--dry-run", "--json"))
	require.Regexp(t, `callwright +\d+ of \d+ +0 +0\nriver +\d+ of \d+ +0 +0\n`, o.run("migrate", "status"))
	var lines []struct{ Schema string }
	o.read(&lines, "migrate", "status")
	require.Len(t, lines, 2)
	o.run("migrate", "up")
}

// TestBadOperatorCommands end with status 1 and one line that says what is wrong.
func TestBadOperatorCommands(t *testing.T) {
	t.Parallel()

	o := newOperator(t, dbtest.DSN(t))
	id := find(t, `account\s+(\S+)`, o.run("account", "create", "owner@example.com"))
	const none = "01920000-0000-7000-8000-000000000000"
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"SecondAccount":   {[]string{"account", "create", "owner@example.com"}, "callwright account show owner@example.com"},
		"NamedAddress":    {[]string{"account", "create", "Owner <owner@example.com>"}, "is not an e-mail address"},
		"UnknownID":       {[]string{"account", "show", none}, "there is no account " + none},
		"UnknownEmail":    {[]string{"account", "show", "nobody@example.com"}, "there is no account nobody@example.com"},
		"NoAccount":       {[]string{"key", "list", "linden"}, `"linden" is neither the id of an account nor an e-mail address`},
		"CreditOfNobody":  {[]string{"account", "credit", none, "5", "--reason", "x"}, "there is no account"},
		"LimitsOfNobody":  {[]string{"limits", none, "--max-concurrent-calls", "1"}, "there is no account"},
		"OwnerOfNoNumber": {[]string{"number", "owner", "+31850000001", id}, "is not a shared number"},
		"NoOwner":         {[]string{"number", "owner", "+31850000001"}, "name an account, or give --nobody"},
		"NoCountry":       {[]string{"limits", id, "--countries", "NL,EU"}, `"EU" is not the code of a country`},
		"TooManyCalls":    {[]string{"limits", id, "--calls-per-number", "many"}, "--calls-per-number must be 0 to 1000, or none"},
		"TooManyReserved": {[]string{"limits", id, "--reserved-inbound", "11"},
			"--reserved-inbound must be 0 to --max-concurrent-calls"},
		"StatusOfNobody":  {[]string{"account", "subscription", none, "active"}, "there is no account"},
		"KeyOfNobody":     {[]string{"key", "create", none}, "there is no account"},
		"UnknownKey":      {[]string{"key", "revoke", id, none}, "callwright key list"},
		"NoKey":           {[]string{"key", "revoke", id, "cw_test_abc"}, "invalid UUID"},
		"NegativeExpiry":  {[]string{"key", "create", id, "--expires-in=-1h"}, "--expires-in"},
		"MissingArgument": {[]string{"account", "show"}, "<account>"},
		"UnknownVerb":     {[]string{"migrate", "down"}, "unexpected argument down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, status := runOnce(t, o.env, test.args...)
			require.Equal(t, 1, status, output)
			require.Contains(t, output, test.says)
			require.Regexp(t, `^callwright: [^\n]+\n$`, output)
		})
	}
}
