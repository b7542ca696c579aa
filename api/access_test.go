package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

// What of the operations is not as their methods say: a GET reads, all else writes and, where its path has an id, changes a
// record that a test key must have made.
var (
	readingPosts = []string{"query-knowledge-base"}
	adminOnly    = []string{"create-api-key", "rotate-api-key", "delete-api-key", "update-webhook", "rotate-webhook-secret",
		"patch-profile", "update-budget",
		"invite-member", "patch-member", "delete-member"}
	liveOnly = append([]string{"redeliver-event", "replay-events"}, adminOnly...)
	// create-knowledge-document changes what all assistants know unless it names a test assistant, create-instant-agent takes
	// a number; order-group-number is
	// refused for its group in other words.
	testBodies = []string{"create-knowledge-document", "create-instant-agent"}
	testOrders = []string{"order-group-number"}
)

// rank orders scopes.
func rank(scope string) int { return slices.Index([]string{"read", "write", "admin"}, scope) }

// accessWalk is a tenant with a key of each kind.
type accessWalk struct {
	server *apitest.Server
	owner  *tenant
	keys   map[string]string
}

func newAccessWalk(t *testing.T, server *apitest.Server, owner *tenant, mark string) *accessWalk {
	t.Helper()
	w := &accessWalk{server: server, owner: owner, keys: map[string]string{}}
	for kind := range usedKinds() {
		owner.id(t, server, kind)
	}
	for _, column := range []string{
		"assistant.test", "contact.test", "call.simulated", "scheduled_call.simulated", "phone_number.simulated",
		"sip_connection.simulated", "verification_group.simulated", "web_token.test",
	} {
		table, name, _ := strings.Cut(column, ".")
		_, err := server.Tx.Exec(t.Context(), "UPDATE "+table+" SET "+name+" = "+mark+" WHERE account_id = $1", owner.account)
		require.NoError(t, err)
	}
	_, err := server.Tx.Exec(t.Context(), "UPDATE knowledge_document SET assistant_id = $2 WHERE account_id = $1", owner.account,
		uuid.MustParse(owner.id(t, server, "assistant")))
	require.NoError(t, err)
	// Whoever asks for a registration waits for no worker.
	_, err = server.Tx.Exec(t.Context(), "UPDATE sip_connection SET done = 1000 WHERE account_id = $1", owner.account)
	require.NoError(t, err)
	for kind, change := range map[string]func(*dbsqlc.APIKeyInsertParams){
		"read": func(k *dbsqlc.APIKeyInsertParams) { k.Scope = "read" }, "write": func(k *dbsqlc.APIKeyInsertParams) { k.Scope = "write" },
		"admin": func(*dbsqlc.APIKeyInsertParams) {}, "test": func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" },
		"expired": func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt = new(time.Now().Add(-time.Minute)) },
	} {
		w.keys[kind], _ = dbfactory.APIKey(t, server.Tx, owner.account, change)
	}
	return w
}

// ask calls an operation on the owner's records with a key of a kind.
func (w *accessWalk) ask(t *testing.T, kind, method, path string, op *huma.Operation) *apitest.Response {
	t.Helper()
	caller := &tenant{w.owner.account, w.keys[kind], w.owner.ids}
	walk := &foreignWalk{server: w.server, owner: caller, foreign: caller, method: method, path: path, op: op}
	return walk.ask(t, walk.pathOf(t, caller), nil, nil)
}

// refusal returns the code with which a key of a kind is refused where the records are real; empty: it is not.
func refusal(kind, method, path string, op *huma.Operation) (status int, code string) {
	scope, keyed := op.Extensions["x-scope"].(string)
	changes := method != http.MethodGet && !slices.Contains(readingPosts, op.OperationID)
	switch {
	case kind == "expired":
		return http.StatusUnauthorized, "unauthorized"
	case !keyed:
		return http.StatusForbidden, "forbidden"
	case kind != "test":
		if rank(kind) < rank(scope) {
			return http.StatusForbidden, "insufficient_scope"
		}
	case slices.Contains(liveOnly, op.OperationID), slices.Contains(testBodies, op.OperationID),
		changes && strings.Contains(path, "{") && !slices.Contains(testOrders, op.OperationID):
		return http.StatusForbidden, "test_key"
	}
	return 0, ""
}

// Every operation admits the keys that the document says, and no others: each is tried with each kind of key. What is refused
// changes nothing. The document lists the operations, so that a new one is tried at once.
func TestEveryOperationWithEveryKindOfKey(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t), func(a *api.API) {
		a.Websites = oneSiteReader()
		a.SetInstantAgentTime(50 * time.Millisecond)
	})
	owned := newAccessWalk(t, server, &tenant{server.Account.ID, server.Key, map[string]string{}}, "false")
	other, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	made := newAccessWalk(t, server, &tenant{other.ID, key, map[string]string{}}, "true")

	type operation struct {
		method, path string
		op           *huma.Operation
	}
	var operations []operation
	for path, item := range api.Document().Paths {
		for method, op := range apifuzz.OperationsOf(item) {
			if len(op.Security) > 0 {
				operations = append(operations, operation{method, path, op})
			}
		}
	}
	require.Greater(t, len(operations), 70)

	before := accountDigest(t, server, owned.owner.account)
	for _, o := range operations {
		scope, keyed := o.op.Extensions["x-scope"].(string)
		require.Equal(t, keyed, !apifuzz.NeedsSession(o.op), o.op.OperationID)
		require.Equal(t, slices.Contains(adminOnly, o.op.OperationID), scope == "admin", o.op.OperationID)
		if keyed {
			require.Equal(t, o.method == http.MethodGet || slices.Contains(readingPosts, o.op.OperationID), scope == "read",
				o.op.OperationID)
			require.Contains(t, o.op.Description, "Scope `"+scope+"`", o.op.OperationID)
		}
		for kind := range owned.keys {
			if status, code := refusal(kind, o.method, o.path, o.op); code != "" {
				response := owned.ask(t, kind, o.method, o.path, o.op)
				require.Equal(t, status, response.Status, "%s with a key of kind %s: %s", o.op.OperationID, kind, response.Body)
				response.WantError(t, status, code)
			}
		}
	}
	require.Equal(t, before, accountDigest(t, server, owned.owner.account), "what is refused changes nothing")

	// Deletions come last: what is admitted may change records that others need.
	slices.SortFunc(operations, func(a, b operation) int {
		return boolRank(a.method == http.MethodDelete) - boolRank(b.method == http.MethodDelete)
	})
	for _, o := range operations {
		if o.op.OperationID == "stream-events" {
			continue // it has no end
		}
		for kind := range owned.keys {
			walk := owned
			if _, code := refusal(kind, o.method, o.path, o.op); code != "" {
				if kind != "test" || apifuzz.NeedsSession(o.op) || slices.Contains(liveOnly, o.op.OperationID) ||
					o.op.OperationID == "create-knowledge-document" {
					continue
				}
				walk = made // a test key may change what a test key made
			}
			before := walk.entries(t)
			response := walk.ask(t, kind, o.method, o.path, o.op)
			require.Equal(t, before+audited(o.method, o.op, response), walk.entries(t), "%s in the audit: %s", o.op.OperationID,
				response.Body)
			require.NotEqual(t, http.StatusUnauthorized, response.Status, "%s with a key of kind %s: %s", o.op.OperationID, kind,
				response.Body)
			for _, code := range []string{"insufficient_scope", "test_key"} {
				require.NotContains(t, string(response.Body), code, "%s with a key of kind %s", o.op.OperationID, kind)
			}
		}
	}
}

// entries returns how many the audit of the tenant has.
func (w *accessWalk) entries(t *testing.T) (count int) {
	t.Helper()
	require.NoError(t, w.server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM audit_entry WHERE account_id = $1",
		w.owner.account).Scan(&count))
	return count
}

// audited returns how many entries the audit gets of a response: one of what changed something, and of what created something its
// id.
func audited(method string, op *huma.Operation, response *apitest.Response) int {
	// the call was made, and ended without a worker
	if method == http.MethodGet || slices.Contains(readingPosts, op.OperationID) || op.OperationID == "use-tools" ||
		response.Status >= 300 && op.OperationID != "create-web-call" {
		return 0
	}
	return 1
}

func boolRank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// What a test key's body names, or what its deletion would reach, is held against the same rule.
func TestATestKeyChangesNothingReal(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	liveKey := server.Key
	testKey, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.Mode = "test" })
	shared, custom := dbfactory.DefaultNumber(t, server.Tx), dbfactory.Number(t, server.Tx, server.Account.ID)
	simulated := dbfactory.Number(t, server.Tx, server.Account.ID, func(n *dbsqlc.PhoneNumberInsertParams) { n.Simulated = true })
	live := dbfactory.Assistant(t, server.Tx, server.Account.ID)

	server.Key = testKey
	own := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants",
		object{"assistant_name": "Ava"})["assistant_id"].(string)
	link := "/v1/assistants/" + own + "/phone-number"
	apitest.Want[object](t, server, http.StatusOK, http.MethodPost, link, object{"phone_number_id": shared.ID})
	apitest.Want[object](t, server, http.StatusOK, http.MethodPost, link, object{"phone_number_id": simulated.ID})
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodPost, link, object{"phone_number_id": custom.ID})
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodPut, "/v1/assistants/"+own,
		object{"phone_number_id": custom.ID})
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodPost, "/instant-agents",
		object{"phone_number_id": custom.ID, "company_name": "Linden"})

	server.Key = liveKey
	apitest.Want[object](t, server, http.StatusOK, http.MethodPost, "/v1/assistants/"+live.ID.String()+"/phone-number",
		object{"phone_number_id": shared.ID})
	server.Key = testKey
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodPost, link, object{"phone_number_id": shared.ID})
	linked := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/assistants/"+live.ID.String()+"/phone-number", nil)
	require.NotNil(t, linked["data"].(object)["phone_number"], "the live assistant keeps its number")

	for _, assistant := range []any{nil, live.ID} {
		server.WantError(t, http.StatusForbidden, "test_key", http.MethodPost, "/v1/knowledge-base/documents",
			object{"title": "Prices", "text": "Everything is free.", "assistant_id": assistant})
	}
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/knowledge-base/documents",
		object{"title": "Prices", "text": "Everything is free.", "assistant_id": own})

	contact := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/contacts",
		object{"phone_number": "+31612345678"})["contact_id"].(string)
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodDelete, "/v1/contacts/"+contact+"?erase=true", nil)
	schedule := object{"assistant_id": live.ID, "contact_id": contact,
		"scheduled_time": time.Now().Add(time.Hour).Format(time.RFC3339)}
	server.Key = liveKey
	apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/scheduled-calls", schedule)
	server.Key = testKey
	server.WantError(t, http.StatusForbidden, "test_key", http.MethodDelete, "/v1/contacts/"+contact, nil)
}

// A key makes nothing beyond itself, by creation, rotation or the repetition of somebody else's request.
func TestAKeyMakesNoKeyBeyondItself(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	owner := server.Key
	end := time.Now().Add(time.Hour).Truncate(time.Second)
	weak, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID,
		func(k *dbsqlc.APIKeyInsertParams) { k.ExpiresAt, k.RequestsPerMinute = &end, 50 })
	_, strong := dbfactory.APIKey(t, server.Tx, server.Account.ID)
	stored := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath, object{"scopes": []string{"admin"}},
		"Idempotency-Key", "key-1")
	require.Equal(t, []any{"read", "write", "admin"}, stored["scopes"])

	server.Key = weak
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, keysPath, `{}`)
	require.Equal(t, end.UTC().Format(time.RFC3339), made["expires_at"], "as long as itself")
	require.EqualValues(t, 50, made["requests_per_minute"], "as fast as itself")
	require.Equal(t, []any{"read", "write"}, made["scopes"])
	for field, ask := range map[string]func() map[string]string{
		"expires_at": func() map[string]string {
			return server.WantError(t, http.StatusForbidden, "exceeds_key", http.MethodPost, keysPath,
				object{"expires_at": end.Add(time.Second)})
		},
		"requests_per_minute": func() map[string]string {
			return server.WantError(t, http.StatusForbidden, "exceeds_key", http.MethodPost, keysPath+"/"+strong.ID.String()+"/rotate",
				object{"expires_at": end})
		},
	} {
		require.Equal(t, []string{field}, slicesOf(ask()), "the rule names the field")
	}
	server.WantError(t, http.StatusForbidden, "exceeds_key", http.MethodPost, keysPath, object{"scopes": []string{"admin"}},
		"Idempotency-Key", "key-1")

	server.Key = owner
	var replaced bool
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT replaced_by IS NOT NULL FROM api_key WHERE id = $1",
		strong.ID).Scan(&replaced))
	require.False(t, replaced, "the refused rotation did nothing")
	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, keysPath, nil)
	require.Len(t, list["data"], 5)

	server.Key = made["key"].(string)
	server.WantError(t, http.StatusForbidden, "insufficient_scope", http.MethodPost, keysPath, `{}`)
}

func slicesOf(details map[string]string) (fields []string) {
	for field := range details {
		fields = append(fields, field)
	}
	return fields
}

// The keys of an account share ten times the rate of one.
func TestTheKeysOfAnAccountShareARate(t *testing.T) {
	t.Parallel()

	server := apitest.New(t) // in one transaction, whose minute does not end
	_, err := server.Tx.Exec(t.Context(), "UPDATE account SET requests_per_minute = 20")
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(), "UPDATE api_key SET requests_per_minute = 2")
	require.NoError(t, err)
	admitted, refused := 0, ""
	for range 12 {
		key, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(k *dbsqlc.APIKeyInsertParams) { k.RequestsPerMinute = 2 })
		for range 3 { // the third is refused for the key alone, and does not count for the account
			response := server.DoAs(t, key, http.MethodGet, "/v1/contacts", nil)
			if response.Status == http.StatusOK {
				admitted++
				continue
			}
			response.WantError(t, http.StatusTooManyRequests, "rate_limited")
			refused = apitest.Decode[apitest.Error](t, response).Error.Message
		}
	}
	require.Equal(t, 20, admitted)
	require.Contains(t, refused, "all keys of your account together may make 20 a minute")
}
