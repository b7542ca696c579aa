package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/middleware"
)

// accesses is who may call each operation: the scope that its key needs, and what of it is for test keys. An operation that is
// not here cannot be registered.
var accesses = mergeAccess(
	access(middleware.ScopeRead, middleware.TestAny, "list-assistants", "get-assistant", "get-assistant-phone-number",
		"list-calls", "get-call", "get-call-recording", "list-contacts", "get-contact", "list-scheduled-calls", "get-scheduled-call",
		"list-phone-numbers", "get-phone-number", "list-available-numbers", "list-available-numbers-legacy", "list-group-available-numbers",
		"list-phone-number-orders", "get-phone-number-order", "list-sip-connections", "get-sip-connection",
		"list-verification-groups", "get-verification-group", "list-verification-documents", "get-verification-document-file",
		"list-events", "stream-events", "list-event-deliveries", "get-profile", "get-legacy-profile", "get-extended-profile",
		"get-limits", "get-credits", "get-usage", "get-budget", "list-api-keys", "get-webhook", "list-knowledge-documents", "get-knowledge-document", "query-knowledge-base",
		"use-tools"), // what a tool does is an operation of its own

	access(middleware.ScopeWrite, middleware.TestAny, "create-assistant", "create-instant-agent", "create-contact", "create-direct-call",
		"create-scheduled-call", "create-sip-connection", "create-verification-group", "create-knowledge-document", "generate-faqs",
		"order-phone-number", "create-phone-number-order", "order-group-number"),
	access(middleware.ScopeWrite, "assistant", "update-assistant", "patch-assistant", "delete-assistant",
		"link-assistant-phone-number", "unlink-assistant-phone-number"),
	access(middleware.ScopeWrite, "call", "delete-call", "end-call", "inject-call-message"),
	access(middleware.ScopeWrite, "contact", "update-contact", "patch-contact", "delete-contact"),
	access(middleware.ScopeWrite, "scheduled call", "update-scheduled-call", "delete-scheduled-call"),
	access(middleware.ScopeWrite, "phone number", "delete-phone-number"),
	access(middleware.ScopeWrite, "SIP connection", "delete-sip-connection", "test-sip-connection"),
	access(middleware.ScopeWrite, "verification group", "delete-verification-group", "submit-verification-group",
		"upload-verification-document", "delete-verification-document"),
	access(middleware.ScopeWrite, "document", "delete-knowledge-document", "refresh-knowledge-document"),
	access(middleware.ScopeWrite, middleware.TestNone, "redeliver-event", "replay-events"),

	access(middleware.ScopeAdmin, middleware.TestNone, "create-api-key", "rotate-api-key", "delete-api-key",
		"update-webhook", "rotate-webhook-secret", "patch-profile", "update-budget"),
)

func access(scope middleware.Scope, test middleware.TestAccess, operations ...string) map[string]middleware.Access {
	same := make(map[string]middleware.Access, len(operations))
	for _, id := range operations {
		same[id] = middleware.Access{Scope: scope, Test: test}
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

// scopeExtension is what the document calls the scope that an operation needs, for programs.
const scopeExtension = "x-scope"

// declareAccess has an operation admit only the keys that accesses says, and documents which. Operations without a key
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
	op.Extensions = map[string]any{scopeExtension: string(declared.Scope)} // only schemes of OAuth have scopes that linters know
	op.Description = strings.TrimSuffix(op.Description, ".") + ". " + describeAccess(declared)
	if !slices.Contains(op.Errors, http.StatusForbidden) && (declared.Scope != middleware.ScopeRead || declared.Test != middleware.TestAny) {
		op.Errors = append(slices.Clip(op.Errors), http.StatusForbidden)
	}
}

func describeAccess(declared middleware.Access) string {
	text := "Scope `" + string(declared.Scope) + "`"
	switch declared.Test {
	case middleware.TestAny:
		return text + "."
	case middleware.TestNone:
		return text + "; not for test keys (403 `test_key`)."
	}
	return fmt.Sprintf("%s; test keys only for a %s that a test key made (403 `test_key`).", text, declared.Test)
}
