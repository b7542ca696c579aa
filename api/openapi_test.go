package api_test

import (
	"bytes"
	"flag"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/events"
)

var update = flag.Bool("update", false, "write api/openapi.yaml")

// The committed document is what is served: a change of the contract is in the diff.
func TestOpenAPIIsCommitted(t *testing.T) {
	t.Parallel()

	document, err := api.OpenAPIYAML()
	require.NoError(t, err)
	again, err := api.OpenAPIYAML()
	require.NoError(t, err)
	require.Equal(t, string(document), string(again), "it is the same each time")
	if *update {
		require.NoError(t, os.WriteFile("openapi.yaml", document, 0o644))
	}
	committed, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	require.True(t, bytes.Equal(document, committed), "run: go test ./api -run OpenAPI -update")
}

type openAPIResponse struct {
	Ref         string `yaml:"$ref"`
	Description string
	Headers     map[string]any
	Content     map[string]struct{ Schema, Example any }
}

type openAPIOperation struct {
	Summary, Description string
	OperationID          string `yaml:"operationId"`
	Tags                 []string
	Security             []map[string][]string
	Scope                string `yaml:"x-scope"`
	Role                 string `yaml:"x-role"`
	Parameters           []struct{ Name, In, Description string }
	RequestBody          *struct {
		Content map[string]struct{ Schema, Example any }
	} `yaml:"requestBody"`
	Responses map[string]openAPIResponse
}

func openAPI(t *testing.T) map[string]map[string]openAPIOperation {
	t.Helper()
	text, err := api.OpenAPIYAML()
	require.NoError(t, err)
	var document struct {
		Paths      map[string]map[string]openAPIOperation
		Components struct{ Responses map[string]openAPIResponse }
	}
	require.NoError(t, yaml.Unmarshal(text, &document))
	for _, methods := range document.Paths {
		for _, operation := range methods {
			for status, response := range operation.Responses {
				if name, found := strings.CutPrefix(response.Ref, "#/components/responses/"); found {
					operation.Responses[status] = document.Components.Responses[name]
				}
			}
		}
	}
	return document.Paths
}

func TestOpenAPISaysEverything(t *testing.T) {
	t.Parallel()

	ids := map[string]bool{}
	for path, methods := range openAPI(t) {
		require.True(t, strings.HasPrefix(path, "/v1/") || path == "/instant-agents", path) // which the contract writes so
		for method, operation := range methods {
			name := method + " " + path
			require.NotEmpty(t, operation.Summary, name)
			require.NotEmpty(t, operation.Description, name)
			require.Len(t, operation.Tags, 1, name)
			require.Regexp(t, `^[a-z]+(-[a-z]+)+$`, operation.OperationID, name)
			require.False(t, ids[operation.OperationID], operation.OperationID)
			ids[operation.OperationID] = true
			if !slices.Contains(keyless(), path) {
				require.Regexp(t, "^(viewer|developer|admin|owner)$", operation.Role, name)
				if len(operation.Security) == 1 { // about somebody who is signed in
					require.Equal(t, []map[string][]string{{"cookieAuth": {}}}, operation.Security, name)
					require.Empty(t, operation.Scope, name)
				} else {
					require.Equal(t, []map[string][]string{{"bearerAuth": {}}, {"cookieAuth": {}}}, operation.Security, name)
					require.Regexp(t, "^(read|write|admin)$", operation.Scope, name)
				}
			}
			requireResponses(t, name, path, method, operation)
			for _, parameter := range operation.Parameters {
				require.NotEmpty(t, parameter.Description, "%s: %s", name, parameter.Name)
			}
			if operation.RequestBody != nil && operation.RequestBody.Content["multipart/form-data"].Schema == nil {
				require.NotEmpty(t, operation.RequestBody.Content["application/json"].Example, "%s: no example of the body", name)
			}
			if method == "post" && !slices.Contains(keyless(), path) { // without a key there is nobody to remember a key of
				require.True(t, slices.ContainsFunc(operation.Parameters,
					func(p struct{ Name, In, Description string }) bool { return p.Name == "Idempotency-Key" }), name)
			}
		}
	}
}

// keyless are the paths that need no key.
func keyless() []string {
	return []string{"/v1/recordings/{token}", "/v1/session", "/v1/session/link", "/v1/session/link/check", "/v1/session/reset"}
}

func requireResponses(t *testing.T, name, path, method string, operation openAPIOperation) {
	t.Helper()
	want := []string{"401", "406", "429", "500", "503"}
	if slices.Contains(keyless(), path) {
		want = []string{"406", "500", "503"}
	}
	if method != "get" && method != "delete" {
		want = append(want, "400", "413", "415")
	}
	if operation.RequestBody == nil {
		want = slices.DeleteFunc(want, func(status string) bool { return status == "413" || status == "415" })
	}
	if strings.Contains(path, "{") {
		want = append(want, "404")
	}
	if method == "post" && !slices.Contains(keyless(), path) {
		want = append(want, "409")
	}
	statuses := slices.Sorted(maps.Keys(operation.Responses))
	for _, status := range want {
		require.Contains(t, statuses, status, name)
	}
	require.NotContains(t, statuses, "422", name)
	require.NotContains(t, statuses, "default", name)
	for status, response := range operation.Responses {
		require.NotEmpty(t, response.Description, "%s %s", name, status)
		require.Contains(t, response.Headers, "X-Request-Id", "%s %s", name, status)
		if status != "401" && status != "500" && status != "503" && !slices.Contains(keyless(), path) {
			require.Contains(t, response.Headers, "X-RateLimit-Remaining", "%s %s", name, status)
		}
		if status >= "400" {
			require.NotEmpty(t, response.Content["application/json"].Example, "%s %s: no example", name, status)
		}
	}
	require.Contains(t, operation.Responses["503"].Headers, "Retry-After", name)
	if slices.Contains(want, "429") {
		require.Contains(t, operation.Responses["429"].Headers, "Retry-After", name)
	}
}

// The paths of this step of the contract are all there.
func TestOpenAPIPaths(t *testing.T) {
	t.Parallel()

	paths := openAPI(t)
	for path, methods := range map[string][]string{
		"/v1/assistants":                                  {"get", "post"},
		"/v1/assistants/{assistant_id}":                   {"get", "put", "patch", "delete"},
		"/v1/assistants/{id}/phone-number":                {"get", "post", "delete"},
		"/instant-agents":                                 {"post"},
		"/v1/calls":                                       {"get"},
		"/v1/calls/direct":                                {"post"},
		"/v1/calls/{call_id}":                             {"get"},
		"/v1/calls/{call_id}/recording":                   {"get"},
		"/v1/contacts":                                    {"get", "post"},
		"/v1/contacts/{contact_id}":                       {"get", "put", "patch", "delete"},
		"/v1/scheduled-calls":                             {"get", "post"},
		"/v1/scheduled-calls/{id}":                        {"get", "put", "delete"},
		"/v1/phone-numbers":                               {"get", "post"},
		"/v1/phone-numbers/{id}":                          {"get", "delete"},
		"/v1/phone-numbers/available":                     {"get"},
		"/v1/available-phone-numbers":                     {"get"},
		"/v1/phone-number-orders":                         {"get", "post"},
		"/v1/phone-number-orders/{id}":                    {"get"},
		"/v1/verification-groups":                         {"get", "post"},
		"/v1/verification-groups/{verification_group_id}": {"get", "delete"},
		"/v1/verification-groups/{verification_group_id}/submit-for-approval":          {"post"},
		"/v1/verification-groups/{verification_group_id}/documents":                    {"get", "post"},
		"/v1/verification-groups/{verification_group_id}/documents/{document_id}":      {"delete"},
		"/v1/verification-groups/{verification_group_id}/documents/{document_id}/file": {"get"},
		"/v1/verification-groups/{id}/available-phone-numbers":                         {"get"},
		"/v1/verification-groups/{id}/order-number":                                    {"post"},
		"/v1/user/profile":                  {"get"},
		"/v1/user/credits":                  {"get"},
		"/v1/user/webhook":                  {"get", "put"},
		"/v1/user/webhook/rotate-secret":    {"post"},
		"/v1/events":                        {"get"},
		"/v1/events/{id}/deliveries":        {"get"},
		"/v1/knowledge-base/documents":      {"get", "post"},
		"/v1/knowledge-base/documents/{id}": {"get", "delete"},
		"/v1/knowledge-base/query":          {"post"},
	} {
		for _, method := range methods {
			require.Contains(t, paths[path], method, path)
		}
	}
}

// Responses are what the document says: every field is of its kind, and there are no others.
func TestResponsesMatchTheDocument(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	document := api.Document()
	check := func(method, route, path string, body any) object {
		t.Helper()
		response := server.Do(t, method, path, body)
		require.Less(t, response.Status, 400, "%s %s: %s", method, path, response.Body)
		item := document.Paths[route]
		operation := map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
			http.MethodPatch: item.Patch, http.MethodDelete: item.Delete}[method]
		documented := operation.Responses[strconv.Itoa(response.Status)]
		require.NotNil(t, documented, "%s %s returns %d", method, route, response.Status)
		if len(response.Body) == 0 {
			require.Empty(t, documented.Content)
			return nil
		}
		decoded := apitest.Decode[object](t, response)
		result := &huma.ValidateResult{}
		huma.Validate(document.Components.Schemas, documented.Content["application/json"].Schema, huma.NewPathBuffer(nil, 0),
			huma.ModeReadFromServer, decoded, result)
		require.Empty(t, result.Errors, "%s %s: %s", method, path, response.Body)
		return decoded
	}
	assistant := check("POST", "/v1/assistants", "/v1/assistants", apifuzz.WholeAssistant())["assistant_id"].(string)
	least := check("POST", "/v1/assistants", "/v1/assistants",
		`{"assistant_name": "Ben", "server": {"url": "https://example.com"}}`)["assistant_id"].(string)
	link := "/v1/assistants/" + assistant + "/phone-number"
	number := dbfactory.Number(t, server.Tx, server.Account.ID).ID.String()
	check("GET", "/v1/assistants/{id}/phone-number", link, nil)
	check("POST", "/v1/assistants/{id}/phone-number", link, object{"phone_number_id": number})
	check("GET", "/v1/assistants/{id}/phone-number", link, nil)
	check("GET", "/v1/assistants", "/v1/assistants", nil)
	check("GET", "/v1/assistants/{assistant_id}", "/v1/assistants/"+least, nil)
	check("PUT", "/v1/assistants/{assistant_id}", "/v1/assistants/"+assistant, `{"llm_content": "Be kind."}`)
	check("PATCH", "/v1/assistants/{assistant_id}", "/v1/assistants/"+assistant, `{"voice": null}`)
	contact := check("POST", "/v1/contacts", "/v1/contacts", `{"phone_number": "+31612345678"}`)["contact_id"].(string)
	check("PUT", "/v1/contacts/{contact_id}", "/v1/contacts/"+contact, `{"full_name": "Jan"}`)
	call := check("POST", "/v1/calls/direct", "/v1/calls/direct",
		object{"assistant_id": assistant, "contact_id": contact})["call_id"].(string)
	check("GET", "/v1/calls/{call_id}", "/v1/calls/"+call, nil)
	check("GET", "/v1/calls/{call_id}", "/v1/calls/"+finishedCall(t, server, new("a.wav")), nil)
	check("GET", "/v1/calls", "/v1/calls", nil)
	check("GET", "/v1/contacts/{contact_id}", "/v1/contacts/"+contact, nil)
	check("GET", "/v1/contacts", "/v1/contacts", nil)
	scheduled := check("POST", "/v1/scheduled-calls", "/v1/scheduled-calls",
		object{"assistant_id": assistant, "contact_id": contact, "scheduled_time": "2026-12-01T10:00:00Z"})["id"].(string)
	check("PUT", "/v1/scheduled-calls/{id}", "/v1/scheduled-calls/"+scheduled,
		`{"retry": {"on": ["busy"], "max_attempts": 2, "delay_seconds": 5}}`)
	check("GET", "/v1/scheduled-calls", "/v1/scheduled-calls", nil)
	check("GET", "/v1/phone-numbers", "/v1/phone-numbers", nil)
	check("GET", "/v1/phone-numbers/{id}", "/v1/phone-numbers/"+number, nil)
	check("GET", "/v1/user/profile", "/v1/user/profile", nil)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 10)
	check("GET", "/v1/user/credits", "/v1/user/credits", nil)
	check("GET", "/v1/available-phone-numbers", "/v1/available-phone-numbers", nil)
	group := check("POST", "/v1/verification-groups", "/v1/verification-groups", wholeGroup())["verification_group_id"].(string)
	uploaded(t, server, group, "copy-id")
	check("GET", "/v1/verification-groups", "/v1/verification-groups", nil)
	check("GET", "/v1/verification-groups/{verification_group_id}", "/v1/verification-groups/"+group, nil)
	check("GET", "/v1/verification-groups/{verification_group_id}/documents", "/v1/verification-groups/"+group+"/documents", nil)
	complete(t, server, group)
	check("POST", "/v1/verification-groups/{verification_group_id}/submit-for-approval",
		"/v1/verification-groups/"+group+"/submit-for-approval", nil)
	decideGroup(t, server, group, "approved")
	order := check("POST", "/v1/verification-groups/{id}/order-number", "/v1/verification-groups/"+group+"/order-number",
		object{"phone_number": uniqueNumber()})["data"].(object)["order_id"].(string)
	check("GET", "/v1/phone-number-orders", "/v1/phone-number-orders", nil)
	check("GET", "/v1/phone-number-orders/{id}", "/v1/phone-number-orders/"+order, nil)
	check("GET", "/v1/user/credits", "/v1/user/credits", nil)
	check("GET", "/v1/user/webhook", "/v1/user/webhook", nil)
	check("PUT", "/v1/user/webhook", "/v1/user/webhook", `{"url": "https://example.com"}`)
	check("POST", "/v1/user/webhook/rotate-secret", "/v1/user/webhook/rotate-secret", nil)
	require.NoError(t, events.Number(t.Context(), server.Tx, server.Account.ID))
	events := check("GET", "/v1/events", "/v1/events", nil)["data"].([]any)
	check("GET", "/v1/events/{id}/deliveries", "/v1/events/"+events[0].(object)["id"].(string)+"/deliveries", nil)
	knowledge := check("POST", "/v1/knowledge-base/documents", "/v1/knowledge-base/documents",
		`{"title": "Menu", "text": "Today there is fish."}`)["id"].(string)
	check("POST", "/v1/knowledge-base/documents", "/v1/knowledge-base/documents", `{"title": "Menu", "url": "https://example.com"}`)
	check("GET", "/v1/knowledge-base/documents", "/v1/knowledge-base/documents", nil)
	check("GET", "/v1/knowledge-base/documents/{id}", "/v1/knowledge-base/documents/"+knowledge, nil)
	check("POST", "/v1/knowledge-base/query", "/v1/knowledge-base/query", `{"query": "fish"}`)
	check("DELETE", "/v1/knowledge-base/documents/{id}", "/v1/knowledge-base/documents/"+knowledge, nil)
	check("DELETE", "/v1/assistants/{id}/phone-number", link, nil)
	check("DELETE", "/v1/scheduled-calls/{id}", "/v1/scheduled-calls/"+scheduled, nil)
	check("DELETE", "/v1/contacts/{contact_id}", "/v1/contacts/"+contact, nil)
	check("DELETE", "/v1/assistants/{assistant_id}", "/v1/assistants/"+assistant, nil)
}
