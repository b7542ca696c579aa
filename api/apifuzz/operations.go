package apifuzz

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// PathKinds say of what kind the id is that follows a path, BodyKinds of what kind a field or a filter is.
var (
	PathKinds = map[string]string{
		"/v1/assistants/": "assistant", "/v1/calls/": "call", "/v1/contacts/": "contact", "/v1/scheduled-calls/": "scheduled_call",
		"/v1/phone-numbers/": "phone_number",
		"/v1/events/":        "event", "/v1/sip-connections/": "sip_connection", "/v1/api-keys/": "api_key",
		"/v1/phone-number-orders/": "phone_number_order",
		"/v1/verification-groups/": "verification_group", "/v1/verification-groups/{}/documents/": "verification_document",
		"/v1/knowledge-base/documents/": "knowledge_document",
		"/v1/members/":                  "member", "/v1/sessions/": "session", "/v1/calls/web/": "call",
		"/v1/calls/{}/listen/": "call_listener",
		"/v1/web-tokens/":      "web_token",
	}
	BodyKinds = map[string]string{
		"assistant_id": "assistant", "contact_id": "contact", "phone_number_id": "phone_number",
		"verification_group_id": "verification_group", "call_id": "call", "actor": "member", "resource_id": "call",
	}
)

// PathParameter is a parameter in a path of the document.
var PathParameter = regexp.MustCompile(`\{[^}]*\}`)

// Operation is an operation with its method and path.
type Operation struct {
	*huma.Operation
	Method, Path string
	Kinds        []string // of the ids in the path
	Makes        string   // the kind of what it creates
}

// OperationsOf returns the operations of a path by their methods.
func OperationsOf(item *huma.PathItem) map[string]*huma.Operation {
	operations := map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch,
		http.MethodDelete: item.Delete,
	}
	maps.DeleteFunc(operations, func(_ string, op *huma.Operation) bool { return op == nil })
	return operations
}

// NeedsSession reports whether an operation is for people who are signed in, and for no key.
func NeedsSession(op *huma.Operation) bool {
	_, cookie := op.Extensions["x-role"]
	_, key := op.Extensions["x-scope"]
	return cookie && !key
}

// Operations returns the operations of the document that need nothing or a key, by their ids. PathKinds must say what is in their
// paths.
func (d *Document) Operations() ([]Operation, error) { return d.operations(false) }

// operations is Operations with those, if wanted, that need a session.
func (d *Document) operations(sessions bool) ([]Operation, error) {
	var all []Operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for method, op := range OperationsOf(d.Paths[path]) {
			if NeedsSession(op) && !sessions {
				continue
			}
			at := Operation{Operation: op, Method: method, Path: path}
			for _, place := range PathParameter.FindAllStringIndex(path, -1) {
				kind := PathKinds[PathParameter.ReplaceAllString(path[:place[0]], "{}")]
				if kind == "" && len(op.Security) > 0 {
					return nil, fmt.Errorf("PathKinds does not say what is in %s", path)
				}
				at.Kinds = append(at.Kinds, kind)
			}
			if op.Responses["201"] != nil {
				at.Makes = PathKinds[PathParameter.ReplaceAllString(path, "{}")+"/"]
			}
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all, nil
}

// Example returns a copy of an operation's example, nil when it takes no JSON.
func Example(op *huma.Operation) map[string]any {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	text, err := json.Marshal(op.RequestBody.Content["application/json"].Example)
	body := object{}
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		panic(fmt.Sprintf("example of %s: %v", op.OperationID, err))
	}
	return body
}
