package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbtest"
)

// tenantRows make one row of each kind: {id} and {account} are its own, {kind} is a row of another kind.
var tenantRows = map[string]string{
	"assistant": `INSERT INTO assistant (id, account_id, name, config) VALUES ({id}, {account}, 'Ava', '{"first_message_mode": "assistant-speaks-first", "server_url_type": "external"}');
		INSERT INTO phone_number_link (account_id, assistant_id, phone_number_id, origin) VALUES ({account}, {id}, {phone_number}, 'custom')`,
	"contact":            `INSERT INTO contact (id, account_id, phone_number, full_name) VALUES ({id}, {account}, '+31612345678', 'Jan Jansen')`,
	"phone_number":       `INSERT INTO phone_number (id, account_id, number, origin) VALUES ({id}, {account}, '+3120' || (1000000 + floor(random() * 8999999))::text, 'custom')`,
	"call":               `INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_id, contact_phone_number, phone_number_id, phone_number, recording_key) VALUES ({id}, {account}, 'outbound', 'completed', true, {assistant}, 'Ava', {contact}, '+31612345678', {phone_number}, '+31201234567', 'a.wav')`,
	"scheduled_call":     `INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, scheduled_time, simulated) VALUES ({id}, {account}, {assistant}, {contact}, now() + interval '1 day', true)`,
	"event":              `INSERT INTO event (id, account_id, sequence, type, call_id, payload, delivery) VALUES ({id}, {account}, 1, 'status-update', {call}, '{}', 'none')`,
	"sip_connection":     `INSERT INTO sip_connection (id, account_id, phone_number_id, simulated, sip_username, sip_password, sip_proxy, provider_name) VALUES ({id}, {account}, {phone_number}, true, 'u', 'p', 'sip.example', 'P')`,
	"api_key":            `INSERT INTO api_key (id, account_id, name, mode, prefix, hash, requests_per_minute) VALUES ({id}, {account}, 'Key', 'live', 'cw_live_', decode(md5({id}), 'hex'), 100)`,
	"verification_group": `INSERT INTO verification_group (id, account_id, simulated, name, business_name, contact_person_first_name, contact_person_last_name, contact_person_phone, city, street_name, house_number, postal_code, province) VALUES ({id}, {account}, true, 'G', 'B', 'Jan', 'Jansen', '+31612345678', 'Utrecht', 'Straat', '1', '1234AB', 'Utrecht')`,
	"verification_document": `INSERT INTO verification_document (id, account_id, verification_group_id, document_type, content_type, size, sha256, file_key, file_secret)
		VALUES ({id}, {account}, {verification_group}, 'copy-id', 'application/pdf', 1, '', {id}, '')`,
	"phone_number_order": `INSERT INTO phone_number_order (id, account_id, verification_group_id, phone_number, number_type, simulated, credits_used) VALUES ({id}, {account}, {verification_group}, {id}, 'local', true, 10)`,
	"member": `INSERT INTO person (id, email) VALUES ({id}, {id} || '@example.com');
		INSERT INTO membership (account_id, person_id, role, joined_at) VALUES ({account}, {id}, 'viewer', now())`,
	"call_listener":      `INSERT INTO call_listener (id, account_id, call_id, person_id, mode, status, offer, joined_at) VALUES ({id}, {account}, {call}, {id}, 'listen', 'joined', '', now())`,
	"web_token":          `INSERT INTO web_token (id, account_id, assistant_id, test, prefix, hash, origins, max_calls, expires_at) VALUES ({id}, {account}, {assistant}, false, 'cw_web_', decode(md5({id}), 'hex'), '{"https://example.com"}', 1, now() + interval '1 hour')`,
	"session":            `INSERT INTO api_key (id, account_id, kind, person_id, name, mode, prefix, hash) VALUES ({id}, {account}, 'session', {member}, 'session', 'live', '', decode(md5({id}), 'hex'))`,
	"knowledge_document": `INSERT INTO knowledge_document (id, account_id, title, source_type, status) VALUES ({id}, {account}, 'Hours', 'text', 'ready')`,
}

// insteadOf are the fields that a field stands in place of.
var insteadOf = map[string][]string{"contact_id": {"contact_phone_number"}, "call_id": {"from", "to"}}

// forbidden are the operations that return 403 for another account's number, as the contract says.
var forbidden = []string{"link-assistant-phone-number phone_number_id", "update-assistant phone_number_id"}

// tenant is a customer with rows of the kinds that were requested.
type tenant struct {
	account uuid.UUID
	key     string
	ids     map[string]string
}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

func (c *tenant) id(t *testing.T, server *apitest.Server, kind string) string {
	t.Helper()
	if id, there := c.ids[kind]; there {
		return id
	}
	statement, known := tenantRows[kind]
	require.True(t, known, "tenantRows makes no %q", kind)
	id := uuid.Must(uuid.NewV7()).String()
	statement = placeholder.ReplaceAllStringFunc(statement, func(name string) string {
		switch name {
		case "{id}":
			return "'" + id + "'"
		case "{account}":
			return "'" + c.account.String() + "'"
		}
		return "'" + c.id(t, server, strings.Trim(name, "{}")) + "'"
	})
	_, err := server.Tx.Exec(t.Context(), statement)
	require.NoError(t, err, kind)
	c.ids[kind] = id
	return id
}

// An account that uses another one's ids, in a path, a body or a filter, finds nothing and changes nothing. The
// document lists the operations, so that a new one is tried at once.
func TestOtherAccountsFindNothing(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	owner := &tenant{server.Account.ID, server.Key, map[string]string{}}
	account, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	foreign := &tenant{account.ID, key, map[string]string{}}
	_, err := server.Tx.Exec(t.Context(), "UPDATE account SET subscription_status = 'active' WHERE id = $1", account.ID)
	require.NoError(t, err)
	for kind := range usedKinds() {
		owner.id(t, server, kind)
		foreign.id(t, server, kind)
	}
	before := accountDigest(t, server, owner.account)
	tried := 0
	for path, item := range api.Document().Paths {
		for method, op := range apifuzz.OperationsOf(item) {
			w := &foreignWalk{server: server, owner: owner, foreign: foreign, method: method, path: path, op: op}
			tried += w.tryPath(t) + w.tryBody(t) + w.tryFilters(t) + w.tryReading(t)
			require.Equal(t, before, accountDigest(t, server, owner.account), "%s changed the owner's rows", op.OperationID)
		}
	}
	require.Greater(t, tried, 60)
}

// readDocument returns the document and its operations.
func readDocument(t *testing.T) (*apifuzz.Document, []apifuzz.Operation) {
	t.Helper()
	document, err := apifuzz.Read()
	require.NoError(t, err)
	operations, err := document.Operations()
	require.NoError(t, err)
	return document, operations
}

// usedKinds are the kinds whose ids stand in paths of the document, or may in bodies.
func usedKinds() map[string]bool {
	used := map[string]bool{}
	for _, kind := range apifuzz.BodyKinds {
		used[kind] = true
	}
	for path := range api.Document().Paths {
		for _, at := range apifuzz.PathParameter.FindAllStringIndex(path, -1) {
			if kind := apifuzz.PathKinds[apifuzz.PathParameter.ReplaceAllString(path[:at[0]], "{}")]; kind != "" {
				used[kind] = true
			}
		}
	}
	return used
}

type foreignWalk struct {
	server         *apitest.Server
	owner, foreign *tenant
	method, path   string
	op             *huma.Operation
}

// pathOf fills the path with a customer's ids.
func (w *foreignWalk) pathOf(t *testing.T, whose *tenant) string {
	t.Helper()
	filled, rest, before := "", w.path, ""
	for {
		at := apifuzz.PathParameter.FindStringIndex(rest)
		if at == nil {
			return filled + rest
		}
		before += rest[:at[0]]
		kind, known := apifuzz.PathKinds[before]
		require.True(t, known, "pathKinds does not say what follows %s in %s", before, w.op.OperationID)
		filled += rest[:at[0]] + whose.id(t, w.server, kind)
		before, rest = before+"{}", rest[at[1]:]
	}
}

// ask calls the operation as the other account, with the operation's example as the body.
func (w *foreignWalk) ask(t *testing.T, path string, change object, without []string) *apitest.Response {
	t.Helper()
	if w.op.RequestBody == nil {
		return w.server.DoAs(t, w.foreign.key, w.method, path, nil)
	}
	if w.op.RequestBody.Content["multipart/form-data"] != nil {
		body, contentType := documentForm(t)
		return w.server.DoAs(t, w.foreign.key, w.method, path, body, "Content-Type", contentType)
	}
	example, err := json.Marshal(w.op.RequestBody.Content["application/json"].Example)
	require.NoError(t, err)
	body := object{}
	require.NoError(t, json.Unmarshal(example, &body))
	for field := range body {
		if kind := apifuzz.BodyKinds[field]; kind != "" {
			body[field] = w.foreign.id(t, w.server, kind)
		}
	}
	maps.Copy(body, change)
	for _, field := range without {
		delete(body, field)
	}
	return w.server.DoAs(t, w.foreign.key, w.method, path, body)
}

// documentForm is an upload.
func documentForm(t *testing.T) (body []byte, contentType string) {
	t.Helper()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	require.NoError(t, writer.WriteField("document_type", "proof-of-address"))
	part, err := writer.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="a.pdf"`}, "Content-Type": {"application/pdf"},
	})
	require.NoError(t, err)
	_, err = part.Write([]byte("%PDF-1.7\n%%EOF\n"))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return form.Bytes(), writer.FormDataContentType()
}

// tryPath requests the owner's resource.
func (w *foreignWalk) tryPath(t *testing.T) int {
	t.Helper()
	// a token that needs no key is valid for everyone
	if !strings.Contains(w.path, "{") || len(w.op.Security) == 0 || apifuzz.NeedsSession(w.op) {
		return 0
	}
	response := w.ask(t, w.pathOf(t, w.owner), nil, nil)
	require.Equal(t, http.StatusNotFound, response.Status, "%s: %s", w.op.OperationID, response.Body)
	response.WantError(t, http.StatusNotFound, "not_found")
	return 1
}

// tryBody uses the owner's ids in a body about a resource of the other account.
func (w *foreignWalk) tryBody(t *testing.T) (tried int) {
	t.Helper()
	if w.op.RequestBody == nil || w.op.RequestBody.Content["application/json"] == nil || apifuzz.NeedsSession(w.op) ||
		len(w.op.Security) == 0 {
		return 0
	}
	schemas := api.Document().Components.Schemas
	schema := w.op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = schemas.SchemaFromRef(schema.Ref)
	}
	for field, property := range schema.Properties {
		if property.Format != "uuid" {
			continue
		}
		kind, known := apifuzz.BodyKinds[field]
		require.True(t, known, "bodyKinds does not say what %s of %s is", field, w.op.OperationID)
		want, code := http.StatusNotFound, "not_found"
		if slices.Contains(forbidden, w.op.OperationID+" "+field) {
			want, code = http.StatusForbidden, "forbidden"
		}
		response := w.ask(t, w.pathOf(t, w.foreign), object{field: w.owner.id(t, w.server, kind)}, insteadOf[field])
		require.Equal(t, want, response.Status, "%s with the owner's %s: %s", w.op.OperationID, field, response.Body)
		response.WantError(t, want, code)
		tried++
	}
	return tried
}

// tryReading reads what is the other account's own, which names nothing of the owner.
func (w *foreignWalk) tryReading(t *testing.T) int {
	t.Helper()
	if response := w.op.Responses["200"]; w.method != http.MethodGet || response == nil ||
		response.Content["application/json"] == nil {
		return 0
	}
	response := w.ask(t, w.pathOf(t, w.foreign), nil, nil)
	require.Less(t, response.Status, 500, "%s: %s", w.op.OperationID, response.Body)
	require.NotContains(t, string(response.Body), w.owner.account.String(), w.op.OperationID)
	for kind, id := range w.owner.ids {
		require.NotContains(t, string(response.Body), id, "%s shows the owner's %s", w.op.OperationID, kind)
	}
	return 1
}

// tryFilters lists what belongs to the owner's ids.
func (w *foreignWalk) tryFilters(t *testing.T) (tried int) {
	t.Helper()
	if response := w.op.Responses["200"]; response == nil || response.Content["application/json"] == nil {
		return 0 // a stream, which has no end
	}
	for _, parameter := range w.op.Parameters {
		if parameter.In != "query" || parameter.Schema.Format != "uuid" {
			continue
		}
		kind, known := apifuzz.BodyKinds[parameter.Name]
		require.True(t, known, "bodyKinds does not say what %s of %s is", parameter.Name, w.op.OperationID)
		response := w.server.DoAs(t, w.foreign.key, w.method,
			fmt.Sprintf("%s?%s=%s", w.pathOf(t, w.foreign), parameter.Name, w.owner.id(t, w.server, kind)), nil)
		require.Equal(t, http.StatusOK, response.Status, "%s: %s", w.op.OperationID, response.Body)
		list := apitest.Decode[listAnswer](t, response)
		require.Empty(t, list.Data, "%s by %s", w.op.OperationID, parameter.Name)
		require.Zero(t, list.Pagination.Total, "%s by %s", w.op.OperationID, parameter.Name)
		tried++
	}
	return tried
}

// accountDigest is all that the tables have of an account, by table.
func accountDigest(t *testing.T, server *apitest.Server, account uuid.UUID) map[string]string {
	t.Helper()
	rows, err := server.Tx.Query(t.Context(),
		`SELECT quote_ident(table_name) FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE column_name = 'account_id' AND table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'account_rate_window'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(tables), 10)
	var parts []string
	for _, table := range tables {
		parts = append(parts,
			fmt.Sprintf("SELECT '%[1]s', coalesce(md5(string_agg(r::text, ' ' ORDER BY r::text)), '') FROM %[1]s AS r WHERE account_id = $1", table))
	}
	rows, err = server.Tx.Query(t.Context(), strings.Join(parts, " UNION ALL "), account)
	require.NoError(t, err)
	digest := map[string]string{}
	var table, sum string
	_, err = pgx.ForEachRow(rows, []any{&table, &sum}, func() error {
		digest[table] = sum
		return nil
	})
	require.NoError(t, err)
	return digest
}
