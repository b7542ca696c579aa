package tools

import "github.com/modelcontextprotocol/go-sdk/mcp"

// followTool is the tool that is more than one request.
const followTool = "follow_call"

// effect is what a tool does to the world, which clients show a person, or ask them about.
type effect int

const (
	reads      effect = iota // changes nothing
	adds                     // makes something new
	changes                  // changes or deletes what was
	telephones               // reaches a person, which nothing takes back
)

// tool is an operation as an agent sees it.
type tool struct {
	name, operation string
	effect          effect
	repeatable      bool   // carried out again it changes nothing more
	description     string // in place of the operation's
}

// offered are the tools: what an agent needs to make assistants, call people and learn how it went. Keys, webhooks, numbers and
// papers are left to persons.
var offered = []tool{
	{name: "list_assistants", operation: "list-assistants"},
	{name: "get_assistant", operation: "get-assistant"},
	{name: "create_assistant", operation: "create-assistant", effect: adds},
	{name: "update_assistant", operation: "patch-assistant", effect: changes, repeatable: true},
	{name: "delete_assistant", operation: "delete-assistant", effect: changes, repeatable: true},
	{name: "list_phone_numbers", operation: "list-phone-numbers"},
	{name: "link_phone_number", operation: "link-assistant-phone-number", effect: changes, repeatable: true},

	{name: "place_call", operation: "create-direct-call", effect: telephones},
	{name: followTool, operation: "get-call",
		description: "Wait until a call has ended, or so many seconds, and return it with what was said so far. " +
			"ended tells whether it has; follow it again while it has not."},
	{name: "list_calls", operation: "list-calls"},
	{name: "get_call", operation: "get-call"},
	{name: "message_call", operation: "inject-call-message", effect: telephones},
	{name: "end_call", operation: "end-call", effect: changes, repeatable: true},

	{name: "list_contacts", operation: "list-contacts"},
	{name: "get_contact", operation: "get-contact"},
	{name: "create_contact", operation: "create-contact", effect: adds},
	{name: "update_contact", operation: "patch-contact", effect: changes, repeatable: true},
	{name: "delete_contact", operation: "delete-contact", effect: changes, repeatable: true},

	{name: "list_scheduled_calls", operation: "list-scheduled-calls"},
	{name: "get_scheduled_call", operation: "get-scheduled-call"},
	{name: "create_scheduled_call", operation: "create-scheduled-call", effect: telephones},
	{name: "update_scheduled_call", operation: "update-scheduled-call", effect: changes, repeatable: true},
	{name: "delete_scheduled_call", operation: "delete-scheduled-call", effect: changes, repeatable: true},

	{name: "search_knowledge", operation: "query-knowledge-base"},
	{name: "list_knowledge_documents", operation: "list-knowledge-documents"},
	{name: "create_knowledge_document", operation: "create-knowledge-document", effect: adds},
	{name: "delete_knowledge_document", operation: "delete-knowledge-document", effect: changes, repeatable: true},

	{name: "list_events", operation: "list-events"},
	{name: "get_limits", operation: "get-limits"},
}

func (t tool) annotations(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: t.effect == reads, DestructiveHint: new(t.effect == changes || t.effect == telephones),
		IdempotentHint: t.effect == reads || t.repeatable, OpenWorldHint: new(t.effect == telephones),
	}
}
