package api_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/people"
)

// unaudited are the operations that change nothing though they are no GET.
var unaudited = []string{"query-knowledge-base", "check-link"}

// workerless end without a worker, behind a change that was made.
var workerless = map[string]int{"create-instant-agent": http.StatusGatewayTimeout,
	"create-web-call": http.StatusServiceUnavailable, "create-call-listener": http.StatusServiceUnavailable}

const answerCall = "UPDATE call SET status = 'in-progress', worker_id = 'worker', started_at = now() WHERE account_id = $1"

const approveGroup = "UPDATE verification_group SET simulated = false, status = 'approved', submitted_at = now(), reviewed_at = now() WHERE account_id = $1"

// beforeChange brings the rows of a new customer to where an operation changes something. $1 is the account.
var beforeChange = map[string]string{
	"end-call":             "UPDATE call SET status = 'in-progress', worker_id = 'worker' WHERE account_id = $1",
	"inject-call-message":  "UPDATE call SET status = 'in-progress', worker_id = 'worker' WHERE account_id = $1",
	"leave-web-call":       "UPDATE call SET status = 'in-progress', worker_id = 'worker', channel = 'web' WHERE account_id = $1",
	"create-call-listener": answerCall,
	"patch-call-listener": "WITH live AS (" + answerCall +
		") UPDATE call_listener SET person_id = NULL, api_key_id = (SELECT id FROM api_key WHERE account_id = $1) WHERE account_id = $1",
	"delete-call-listener":        answerCall,
	"delete-call":                 "UPDATE call SET started_at = created_at, ended_at = now() WHERE account_id = $1",
	"order-group-number":          approveGroup,
	"create-phone-number-order":   approveGroup,
	"submit-verification-group":   "UPDATE verification_group SET external_address_id = 'a', external_company_registration_file_id = 'c', external_identification_file_id = 'i', external_proof_of_address_file_id = 'p' WHERE account_id = $1",
	"order-phone-number":          "WITH active AS (UPDATE account SET subscription_status = 'active' WHERE id = $1) " + approveGroup,
	"refresh-knowledge-document":  "UPDATE knowledge_document SET source_type = 'url', url = 'https://example.com/' WHERE account_id = $1",
	"link-assistant-phone-number": "DELETE FROM phone_number_link WHERE account_id = $1",
	"test-sip-connection":         "UPDATE sip_connection SET done = 1000 WHERE account_id = $1",
	"delete-phone-number":         "UPDATE phone_number SET phone_number_order_id = bought.id FROM phone_number_order AS bought WHERE bought.account_id = $1 AND phone_number.account_id = $1",
	"redeliver-event":             "UPDATE event SET payload = '{}' WHERE account_id = $1",
}

// TestEveryChangeIsInTheAudit calls every operation of the document that may change something, each for a customer of its own,
// and reads who, what, when and from where in the audit. The document lists the operations, so that a new one is tried at once.
func TestEveryChangeIsInTheAudit(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Tx(t), func(a *api.API) {
		a.Websites = oneSiteReader()
		a.SetInstantAgentTime(time.Millisecond)
	})
	for path, item := range api.Document().Paths {
		for method, op := range apifuzz.OperationsOf(item) {
			if _, ofSessions := sessionChanges[op.OperationID]; method != http.MethodGet && !ofSessions {
				t.Run(op.OperationID, func(t *testing.T) { requireAudited(t, server, method, path, op) })
			}
		}
	}
}

func requireAudited(t *testing.T, server *apitest.Server, method, path string, op *huma.Operation) {
	t.Helper()
	account, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	owner := &tenant{account.ID, key, map[string]string{}}
	dbfactory.Credits(t, server.Tx, account.ID, 100)
	walk := &foreignWalk{server: server, owner: owner, foreign: owner, method: method, path: path, op: op}
	target := walk.pathOf(t, owner)
	for field := range apifuzz.Example(op) {
		if kind := apifuzz.BodyKinds[field]; kind != "" {
			owner.id(t, server, kind)
		}
	}
	if op.OperationID == "delete-phone-number" {
		owner.id(t, server, "phone_number_order") // that bought it
	}
	if statement := beforeChange[op.OperationID]; statement != "" {
		changed, err := server.Tx.Exec(t.Context(), statement, account.ID)
		require.NoError(t, err)
		require.Positive(t, changed.RowsAffected(), op.OperationID)
	}
	change := object{}
	if _, numbered := apifuzz.Example(op)["phone_number"]; numbered {
		change["phone_number"] = uniqueNumber()
	}
	response := walk.ask(t, target, change, nil)
	if status, ends := workerless[op.OperationID]; ends {
		require.Equal(t, status, response.Status, "%s: %s", op.OperationID, response.Body)
	} else {
		require.Less(t, response.Status, http.StatusMultipleChoices, "%s: %s", op.OperationID, response.Body)
	}
	requireEntry(t, server, account, op.OperationID)
}

// requireEntry requires that the last change of an account is in its audit.
func requireEntry(t *testing.T, server *apitest.Server, account *dbsqlc.Account, operation string) {
	t.Helper()
	rows, err := server.Tx.Query(t.Context(), `SELECT operation FROM audit_entry WHERE account_id = $1
		AND (person_id IS NOT NULL OR api_key_id IS NOT NULL) AND host(address) = '192.0.2.1' AND request_id <> '' ORDER BY id DESC LIMIT 1`, account.ID)
	require.NoError(t, err)
	entries, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	if slices.Contains(unaudited, operation) {
		require.Empty(t, entries, operation)
	} else {
		require.Equal(t, []string{operation}, entries)
	}
}

// signedIn is a person of two accounts, in a session of one.
type signedIn struct {
	server  *apitest.Server
	account *dbsqlc.Account
	other   *dbsqlc.Account
	person  *dbsqlc.Person
	session string
}

func (s *signedIn) do(t *testing.T, method, path string, body any) *apitest.Response {
	t.Helper()
	return s.server.DoAs(t, s.session, method, path, body)
}

// sessionChanges are the operations of people who sign in, as each changes something.
var sessionChanges = map[string]func(*testing.T, *signedIn) *apitest.Response{
	"sign-in": func(t *testing.T, s *signedIn) *apitest.Response {
		response, _ := signIn(t, s.server, "", s.person.Email, rightPassword)
		return response
	},
	"use-link": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.server.DoAs(t, "", http.MethodPost, "/v1/session/link", object{"token": s.link(t)})
	},
	"check-link": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.server.DoAs(t, "", http.MethodPost, "/v1/session/link/check", object{"token": s.link(t)})
	},
	"request-reset": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.server.DoAs(t, "", http.MethodPost, "/v1/session/reset", object{"email": s.person.Email})
	},
	"patch-session": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.do(t, http.MethodPatch, "/v1/session", object{"locale": "nl"})
	},
	"switch-account": func(t *testing.T, s *signedIn) *apitest.Response {
		s.account = s.other // whose audit has it
		return s.do(t, http.MethodPut, "/v1/session/account", object{"account_id": s.other.ID})
	},
	"change-password": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.do(t, http.MethodPut, "/v1/session/password", object{"current": rightPassword, "new": "staple battery horse"})
	},
	"sign-out": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.do(t, http.MethodDelete, "/v1/session", nil)
	},
	"end-other-sessions": func(t *testing.T, s *signedIn) *apitest.Response {
		return s.do(t, http.MethodDelete, "/v1/sessions", nil)
	},
	"end-session": func(t *testing.T, s *signedIn) *apitest.Response {
		_, row := dbfactory.Session(t, s.server.Tx, s.account.ID, s.person.ID)
		return s.do(t, http.MethodDelete, "/v1/sessions/"+row.ID.String(), nil)
	},
}

// link is one that signs the person in.
func (s *signedIn) link(t *testing.T) string {
	t.Helper()
	token, err := people.NewLink(t.Context(), s.server.Tx.(pgx.Tx), s.account.ID, s.person.ID, people.PurposeSignIn)
	require.NoError(t, err)
	return token
}

func TestSessionsAreInTheAudit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	hash, err := rightHash()
	require.NoError(t, err)
	for operation, change := range sessionChanges {
		account, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		other, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
		person := dbfactory.Member(t, server.Tx, account.ID, "viewer")
		dbfactory.Join(t, server.Tx, other.ID, person.ID, "viewer")
		_, err = dbsqlc.New().PersonSetPassword(t.Context(), server.Tx,
			&dbsqlc.PersonSetPasswordParams{ID: person.ID, PasswordHash: &hash})
		require.NoError(t, err)
		session, _ := dbfactory.Session(t, server.Tx, account.ID, person.ID)
		as := &signedIn{server: server, account: account, other: other, person: person, session: session}
		response := change(t, as)
		require.Less(t, response.Status, http.StatusMultipleChoices, "%s: %s", operation, response.Body)
		requireEntry(t, server, as.account, operation)
	}
}
