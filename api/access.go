package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/middleware"
)

// accesses is who may call each operation: the role that a person needs, the scope that a key needs, and what of it is for test
// keys. An operation that is not here cannot be registered.
var accesses = mergeAccess(
	access(middleware.RoleViewer, middleware.ScopeRead, middleware.TestAny, "list-assistants", "get-assistant",
		"get-assistant-phone-number",
		"list-calls", "get-call", "list-call-listeners", "list-web-tokens", "get-call-recording", "list-contacts", "get-contact",
		"list-scheduled-calls", "get-scheduled-call",
		"list-phone-numbers", "get-phone-number", "list-available-numbers", "list-available-numbers-legacy",
		"list-group-available-numbers",
		"list-phone-number-orders", "get-phone-number-order", "list-sip-connections", "get-sip-connection",
		"list-verification-groups", "get-verification-group", "list-verification-documents", "get-verification-document-file",
		"list-events", "stream-events", "list-event-deliveries", "get-profile", "get-legacy-profile", "get-extended-profile",
		"get-limits", "get-credits", "get-usage", "get-budget", "list-api-keys", "get-webhook", "list-knowledge-documents",
		"get-knowledge-document", "query-knowledge-base",
		"list-members", "use-tools"), // what a tool does is an operation of its own
	access(middleware.RoleAdmin, middleware.ScopeRead, middleware.TestAny, "list-audit"),

	access(middleware.RoleDeveloper, middleware.ScopeWrite, middleware.TestAny, "create-assistant", "create-instant-agent",
		"create-contact", "create-direct-call", "create-web-call", "create-web-token",
		"create-scheduled-call", "create-sip-connection", "create-verification-group", "create-knowledge-document", "generate-faqs",
		"order-phone-number", "create-phone-number-order", "order-group-number"),
	changes("assistant", "update-assistant", "patch-assistant", "delete-assistant", "link-assistant-phone-number",
		"unlink-assistant-phone-number"),
	changes("call", "delete-call", "end-call", "leave-web-call", "inject-call-message", "create-call-listener",
		"patch-call-listener", "delete-call-listener"),
	changes("web token", "delete-web-token"),
	changes("contact", "update-contact", "patch-contact", "delete-contact"),
	changes("scheduled call", "update-scheduled-call", "delete-scheduled-call"),
	changes("phone number", "delete-phone-number"),
	changes("SIP connection", "patch-sip-connection", "delete-sip-connection", "test-sip-connection"),
	changes("verification group", "delete-verification-group", "submit-verification-group", "upload-verification-document",
		"delete-verification-document"),
	changes("document", "delete-knowledge-document", "refresh-knowledge-document"),
	changes(middleware.TestNone, "redeliver-event", "replay-events"),

	// Of keys developers manage those for tests alone.
	access(middleware.RoleDeveloper, middleware.ScopeAdmin, middleware.TestNone, "create-api-key", "rotate-api-key",
		"delete-api-key",
		"update-webhook", "rotate-webhook-secret"),
	access(middleware.RoleAdmin, middleware.ScopeAdmin, middleware.TestNone, "patch-profile", "update-budget", "invite-member",
		"patch-member", "delete-member"),

	access(middleware.RoleViewer, "", middleware.TestAny, "get-session", "patch-session", "sign-out", "switch-account",
		"change-password",
		"list-sessions", "end-session", "end-other-sessions"),
)

// changes is the access of operations that change what has an id.
func changes(test middleware.TestAccess, operations ...string) map[string]middleware.Access {
	return access(middleware.RoleDeveloper, middleware.ScopeWrite, test, operations...)
}

func access(role middleware.Role, scope middleware.Scope, test middleware.TestAccess,
	operations ...string) map[string]middleware.Access {
	same := make(map[string]middleware.Access, len(operations))
	for _, id := range operations {
		same[id] = middleware.Access{Role: role, Scope: scope, Test: test}
	}
	return same
}

func mergeAccess(groups ...map[string]middleware.Access) map[string]middleware.Access {
	all := map[string]middleware.Access{}
	for _, group := range groups {
		for id, one := range group {
			if _, twice := all[id]; twice {
				panic("accesses has " + id + " twice")
			}
			all[id] = one
		}
	}
	return all
}

// What the document calls the scope and the role that an operation needs, for programs.
const (
	scopeExtension = "x-scope"
	roleExtension  = "x-role"
)

// declareAccess has an operation admit only those whom accesses says, and documents whom. Operations that need nobody
// stay as they are.
func declareAccess(op *huma.Operation) {
	if len(op.Security) == 0 {
		return
	}
	declared, there := accesses[op.OperationID]
	if !there {
		panic("accesses has no " + op.OperationID)
	}
	middleware.SetAccess(op, declared)
	op.Extensions = map[string]any{roleExtension: string(declared.Role)} // only schemes of OAuth have scopes that linters know
	if declared.Scope != "" {
		op.Extensions[scopeExtension] = string(declared.Scope)
	}
	op.Description = strings.TrimSuffix(op.Description, ".") + ". " + describeAccess(declared)
	if !slices.Contains(op.Errors, http.StatusForbidden) &&
		(declared.Changes() || declared.Test != middleware.TestAny || declared.Role != middleware.RoleViewer) {
		op.Errors = append(slices.Clip(op.Errors), http.StatusForbidden)
	}
}

func describeAccess(declared middleware.Access) string {
	text := "Role `" + string(declared.Role) + "`"
	if declared.Scope != "" {
		text = "Scope `" + string(declared.Scope) + "`, role `" + string(declared.Role) + "`"
	}
	switch declared.Test {
	case middleware.TestAny:
		return text + "."
	case middleware.TestNone:
		return text + "; not for test keys (403 `test_key`)."
	}
	return fmt.Sprintf("%s; test keys only for a %s that a test key made (403 `test_key`).", text, declared.Test)
}
