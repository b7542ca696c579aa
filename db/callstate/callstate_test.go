package callstate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbtest"
)

func TestEveryReasonHasAFault(t *testing.T) {
	t.Parallel()

	for _, reason := range callstate.Reasons() {
		require.Contains(t, callstate.Faults(), callstate.FaultOf(reason), reason)
		require.True(t, callstate.Final(callstate.StatusAfterAnswer(reason)), reason)
		require.True(t, callstate.Final(callstate.StatusBeforeAnswer(reason)), reason)
	}
	require.Equal(t, callstate.FaultPlatform, callstate.FaultOf("unheard-of"))
	for code, want := range map[int]string{
		486: callstate.ReasonCustomerBusy, 480: callstate.ReasonCustomerDidNotAnswer, 603: callstate.ReasonCustomerRejectedCall,
		503: callstate.ReasonCarrierUnavailable, 407: callstate.ReasonStartErrorSIPCredentialsRefused,
		404: callstate.ReasonCarrierReportedMisdialed, 488: callstate.ReasonCarrierRefusedMedia,
		500: callstate.ReasonCarrierFailedToConnect,
	} {
		require.Equal(t, want, callstate.ReasonOfSIP(code), code)
	}
}

func TestStatusesInOrder(t *testing.T) {
	t.Parallel()

	require.Equal(t, []string{
		"queued", "dialing", "ringing", "in-progress", "forwarding", "completed", "missed", "busy", "no-answer", "voicemail", "failed",
		"canceled",
	}, callstate.Statuses())
	final := slices.DeleteFunc(callstate.Statuses(), func(status string) bool { return !callstate.Final(status) })
	require.Equal(t, callstate.Statuses()[5:], final)
}

// The schema admits the words of this package and no others.
func TestConstraintsOfTheSchema(t *testing.T) {
	t.Parallel()

	tx := dbtest.Tx(t)
	for constraint, words := range map[string][]string{
		"call_status_check": callstate.Statuses(), "call_ended_fault_check": callstate.Faults(),
		"call_leg_status_check": callstate.LegStatuses(),
	} {
		var definition string
		require.NoError(t, tx.QueryRow(t.Context(),
			"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('call'::regclass, 'call_leg'::regclass) AND conname = $1", constraint).Scan(&definition))
		require.ElementsMatch(t, words, literals(definition), constraint)
	}
	var defaults []string
	require.NoError(t,
		tx.QueryRow(t.Context(),
			"INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'callstate@example.com', '') RETURNING id").Scan(new(any)))
	require.NoError(t, tx.QueryRow(t.Context(),
		"INSERT INTO webhook_endpoint (id, account_id, secret) SELECT gen_random_uuid(), id, '' FROM account WHERE email = 'callstate@example.com' RETURNING events").Scan(&defaults))
	require.Equal(t, callstate.DefaultEvents(), defaults)
}

// sqlc cannot read constants, so SQL spells the words again: here each of them is held to this package.
func TestLiteralsOfTheQueries(t *testing.T) {
	t.Parallel()

	checked := map[string]int{}
	for _, name := range sources(t) {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		hold := func(kind, pattern string, known []string) {
			for _, match := range regexp.MustCompile(pattern).FindAllString(string(content), -1) {
				for _, word := range literals(match) {
					require.Contains(t, known, word, "%s: %s", name, match)
					checked[kind]++
				}
			}
		}
		for _, list := range regexp.MustCompile(`IN \('dialing'[^)]*\)`).FindAllString(string(content), -1) {
			require.Equal(t, callstate.Live(), literals(list), name)
			checked["live"]++
		}
		switch filepath.Base(name) {
		case "call.sql", "inbound_call.sql":
			hold("status", `(?m)(^|[^.\w]|call\.)status (= |<> )'[^']*'`, callstate.Statuses())
			hold("status", `(?m)(^|[^.\w]|call\.)status (NOT )?IN \([^)]*\)`, callstate.Statuses())
			hold("status", `(THEN|ELSE) '[a-z-]+'`, callstate.Statuses())
			hold("status", `'status', '[^']*'`, append(callstate.Statuses(), "status"))
			hold("reason", `\bended_reason (IN \(|= )'[^)\n]*`, callstate.Reasons())
		case "event.sql", "erasure.sql":
			hold("event", `\btype (IN \(|= |<> )'[^)\n]*`, callstate.EventTypes())
		}
	}
	for _, kind := range []string{"live", "status", "event"} {
		require.Positive(t, checked[kind], kind)
	}
}

func sources(t *testing.T) []string {
	t.Helper()
	queries, err := filepath.Glob("../../queries/*.sql")
	require.NoError(t, err)
	migrations, err := filepath.Glob("../migrations/*.sql")
	require.NoError(t, err)
	return append(queries, migrations...)
}

// literals returns the quoted texts in a piece of SQL.
func literals(sql string) (found []string) {
	for _, match := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(sql, -1) {
		found = append(found, match[1])
	}
	return found
}
