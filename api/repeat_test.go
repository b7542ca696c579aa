package api_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
)

// A POST that is sent again with its key returns the first response, and does nothing; another request under the key
// is a conflict. This holds for every POST of the document.
func TestEveryPOSTIsRepeatable(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t), func(a *api.API) { a.Websites = oneSiteReader() })
	owner := newFuzzTenant(t, server, server.Account.ID, server.Key)
	document, operations := readDocument(t)
	tried := 0
	for _, op := range operations {
		// Signing in needs no key, so there is nobody to remember a response for; the others wait for a worker.
		if op.Method != http.MethodPost || len(op.Security) == 0 || op.OperationID == "create-instant-agent" ||
			op.OperationID == "create-web-call" || op.OperationID == "create-call-listener" {
			continue
		}
		request := newRepeatedRequest(t, server, owner, op)
		first := request.send(t, server, "first-"+op.OperationID)
		require.Less(t, first.Status, 300, "%s: %s", op.OperationID, first.Body)
		require.NoError(t, document.Conforms(op.Method, op.Path, (*apifuzz.Answer)(first)), op.OperationID)
		require.Empty(t, first.Header.Get("Idempotent-Replayed"), op.OperationID)
		before := accountDigest(t, server, owner.account)

		again := request.send(t, server, "first-"+op.OperationID)
		require.Equal(t, first.Status, again.Status, "%s: %s", op.OperationID, again.Body)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), op.OperationID)
		require.JSONEq(t, string(first.Body), string(again.Body), op.OperationID)

		other := server.Do(t, http.MethodPost, "/v1/contacts", object{"phone_number": "+31701234567"}, "Idempotency-Key",
			"first-"+op.OperationID)
		other.WantError(t, http.StatusConflict, "idempotency_conflict")
		if request.other != nil {
			request.body = request.other
			request.send(t, server, "first-"+op.OperationID).WantError(t, http.StatusConflict, "idempotency_conflict")
		}
		after := accountDigest(t, server, owner.account)
		before["api_key"] = after["api_key"] // requests are counted
		require.Equal(t, before, after, "%s was done twice", op.OperationID)
		tried++
	}
	require.Greater(t, tried, 20)
}

// repeatedRequest is a POST that succeeds.
type repeatedRequest struct {
	path        string
	body, other any // other: another body that the operation takes, nil where it takes none
	contentType string
}

func newRepeatedRequest(t *testing.T, server *apitest.Server, owner *fuzzTenant, op apifuzz.Operation) *repeatedRequest {
	t.Helper()
	ids := maps.Clone(owner.ids)
	if slices.Contains([]string{"end-call", "inject-call-message"}, op.OperationID) {
		ids["call"] = owner.live
	}
	exec := func(statement string, args ...any) {
		_, err := server.Tx.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	body := apifuzz.Example(op.Operation)
	switch op.OperationID {
	case "link-assistant-phone-number":
		ids["phone_number"] = dbfactory.Number(t, server.Tx, owner.account).ID.String()
	case "create-direct-call":
		exec("UPDATE account SET max_concurrent_calls = 100 WHERE id = $1", owner.account)
	case "test-sip-connection":
		exec("UPDATE sip_connection SET done = 1000, status = 'registered' WHERE id = $1", ids["sip_connection"])
	case "refresh-knowledge-document":
		exec("UPDATE knowledge_document SET source_type = 'url', url = 'https://example.com/' WHERE id = $1", ids["knowledge_document"])
	case "submit-verification-group", "upload-verification-document":
		ids["verification_group"] = apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, groupsPath,
			wholeGroup())["verification_group_id"].(string)
		complete(t, server, ids["verification_group"])
	case "create-phone-number-order", "order-phone-number", "order-group-number", "create-contact":
		body["phone_number"] = uniqueNumber()
	}
	for name := range body {
		if kind := apifuzz.BodyKinds[name]; kind != "" {
			body[name] = ids[kind]
		}
	}
	at := -1
	request := &repeatedRequest{contentType: "application/json",
		path: apifuzz.PathParameter.ReplaceAllStringFunc(op.Path, func(string) string {
			at++
			return ids[op.Kinds[at]]
		})}
	switch {
	case op.RequestBody == nil:
	case body == nil:
		request.body, request.contentType = documentForm(t)
	default:
		request.body = body
		request.other = withSpace(t, body)
	}
	return request
}

// withSpace is another body that says the same.
func withSpace(t *testing.T, body object) []byte {
	t.Helper()
	return append([]byte(" "), encoded(t, body)...)
}

func (r *repeatedRequest) send(t *testing.T, server *apitest.Server, key string) *apitest.Response {
	t.Helper()
	return server.Do(t, http.MethodPost, r.path, r.body, "Idempotency-Key", key, "Content-Type", r.contentType)
}
