package customer

// named is the command of an operation: its name, and the columns of its table, fields of an entry.
type named struct {
	operation, command, columns string
}

// names are the commands of all operations. Commands are a contract: they stay when an operation is described anew.
var names = []named{
	{"list-assistants", "assistants list", "assistant_id assistant_name phone_number first_message_mode updated_at"},
	{"create-assistant", "assistants create", ""},
	{"get-assistant", "assistants get", ""},
	{"patch-assistant", "assistants update", ""},
	{"update-assistant", "assistants replace", ""},
	{"delete-assistant", "assistants delete", ""},
	{"get-assistant-phone-number", "assistants number", ""},
	{"link-assistant-phone-number", "assistants link", ""},
	{"unlink-assistant-phone-number", "assistants unlink", ""},
	{"create-instant-agent", "instant-agents create", ""},

	{"list-calls", "calls list", "call_id direction call_status assistant_name contact_phone_number created_at duration_seconds ended_reason"},
	{"get-call", "calls get", ""},
	{"create-direct-call", "calls create", ""},
	{"end-call", "calls end", ""},
	{"inject-call-message", "calls message", ""},
	{"get-call-recording", "calls recording", ""},
	{"delete-call", "calls delete", ""},
	{"create-web-call", "web-calls create", ""},
	{"leave-web-call", "web-calls leave", ""},
	{"list-web-tokens", "web-tokens list", "id prefix assistant_id calls max_calls expires_at"},
	{"create-web-token", "web-tokens create", ""},
	{"delete-web-token", "web-tokens delete", ""},

	{"list-contacts", "contacts list", "contact_id full_name phone_number email last_interaction_at"},
	{"create-contact", "contacts create", ""},
	{"get-contact", "contacts get", ""},
	{"patch-contact", "contacts update", ""},
	{"update-contact", "contacts replace", ""},
	{"delete-contact", "contacts delete", ""},

	{"list-scheduled-calls", "scheduled-calls list", "id status scheduled_time assistant_name contact_phone_number call_id"},
	{"create-scheduled-call", "scheduled-calls create", ""},
	{"get-scheduled-call", "scheduled-calls get", ""},
	{"update-scheduled-call", "scheduled-calls update", ""},
	{"delete-scheduled-call", "scheduled-calls delete", ""},

	{"list-phone-numbers", "numbers list", "id number type origin status assistant_id"},
	{"get-phone-number", "numbers get", ""},
	{"delete-phone-number", "numbers delete", ""},
	{"list-available-numbers", "numbers available", "phone_number type locality country monthly_cost_credits"},
	{"order-phone-number", "numbers order-subscribed", ""},
	{"create-phone-number-order", "numbers order", ""},
	{"list-phone-number-orders", "numbers orders", "order_id phone_number number_type status created_at failure_reason"},
	{"get-phone-number-order", "numbers get-order", ""},

	{"list-sip-connections", "sip-connections list", "id phone_number provider_name sip_username status registered_until last_error"},
	{"create-sip-connection", "sip-connections create", ""},
	{"get-sip-connection", "sip-connections get", ""},
	{"test-sip-connection", "sip-connections test", ""},
	{"delete-sip-connection", "sip-connections delete", ""},

	{"list-verification-groups", "verification-groups list", "verification_group_id name business_name status submitted_at"},
	{"create-verification-group", "verification-groups create", ""},
	{"get-verification-group", "verification-groups get", ""},
	{"delete-verification-group", "verification-groups delete", ""},
	{"submit-verification-group", "verification-groups submit", ""},
	{"list-group-available-numbers", "verification-groups available", "phone_number type locality country monthly_cost_credits"},
	{"order-group-number", "verification-groups order", ""},
	{"list-verification-documents", "verification-groups documents", "document_id document_type content_type size status"},
	{"upload-verification-document", "verification-groups upload", ""},
	{"get-verification-document-file", "verification-groups download", ""},
	{"delete-verification-document", "verification-groups delete-document", ""},

	{"list-knowledge-documents", "knowledge list", "id title source_type status assistant_id updated_at"},
	{"create-knowledge-document", "knowledge create", ""},
	{"get-knowledge-document", "knowledge get", ""},
	{"refresh-knowledge-document", "knowledge refresh", ""},
	{"delete-knowledge-document", "knowledge delete", ""},
	{"query-knowledge-base", "knowledge query", ""},
	{"generate-faqs", "knowledge faqs", ""},

	{"list-events", "events list", "sequence created_at type call_id delivery attempts"},
	{"list-event-deliveries", "events deliveries", "attempt created_at url status_code latency_ms error"},
	{"redeliver-event", "events redeliver", ""},
	{"replay-events", "events replay", ""},
	{"get-webhook", "webhooks get", ""},
	{"update-webhook", "webhooks set", ""},
	{"rotate-webhook-secret", "webhooks rotate-secret", ""},

	{"get-profile", "user get", ""},
	{"get-extended-profile", "user details", ""},
	{"patch-profile", "user update", ""},
	{"get-credits", "user credits", ""},
	{"get-limits", "user limits", ""},
	{"get-budget", "user budget", ""},
	{"update-budget", "user set-budget", ""},
	{"get-usage", "usage get", ""},

	{"list-members", "members list", "id email name role status joined_at"},
	{"invite-member", "members invite", ""},
	{"patch-member", "members update", ""},
	{"delete-member", "members delete", ""},
	{"list-audit", "audit list", "created_at operation resource_id address request_id"},

	{"list-api-keys", "api-keys list", "id name prefix mode scopes last_used_at expires_at"},
	{"create-api-key", "api-keys create", ""},
	{"rotate-api-key", "api-keys rotate", ""},
	{"delete-api-key", "api-keys delete", ""},
}

// unnamed are the operations without a command of their own: what takes their place says why.
var unnamed = map[string]string{
	"stream-events":                 "events tail",
	"list-available-numbers-legacy": "numbers available",
	"get-legacy-profile":            "user get",
	"get-shared-recording":          "a link that a browser opens",
	"sign-in":                       "login, with a key",
	"sign-out":                      "logout",
	"get-session":                   "user get",
	"patch-session":                 "the dashboard",
	"use-link":                      "the dashboard",
	"check-link":                    "the dashboard",
	"request-reset":                 "the dashboard",
	"change-password":               "the dashboard",
	"switch-account":                "a profile for each account",
	"list-sessions":                 "the dashboard",
	"end-session":                   "the dashboard",
	"end-other-sessions":            "the dashboard",
}
