package api

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/jobs/events"
)

// webhookTexts say when each type of event is sent.
var webhookTexts = map[string]struct{ summary, text string }{
	callstate.EventStatusUpdate: {"The status of a call changed",
		"Sent for each status of a call but dialing. ended is the last; callStatus says how it ended."},
	callstate.EventEndOfCallReport: {"A call is over",
		"Sent once for every call, after all its other events: when it was analyzed, at the latest a minute after its end."},
	callstate.EventCallCommandUpdate: {"A command to a live call was done",
		"Sent when what was asked of a live call by the API is done or has failed."},
	callstate.EventCallListenerUpdate: {"A colleague listens in",
		"Sent when a member or a key begins to listen in on a live call, changes to whisper or barge, and leaves."},
	callstate.EventScheduledCallFailed: {"A scheduled call made no call",
		"Sent when a scheduled call is given up, with one cause."},
	callstate.EventSIPConnectionStopped: {"A SIP connection stopped",
		"Sent when a connection is registered no more: it failed for a day, or the operator took its number back."},
	callstate.EventBudgetReached: {"A budget was reached",
		"Sent when the calls of a month cost 80 percent of your budget, and once more at 100 percent: each once in a month, until the budget is another."},
	callstate.EventTranscript: {"Somebody said something", "Sent for every turn of a conversation, when it is over."},
	callstate.EventSpeechUpdate: {"Somebody began or stopped to speak",
		"Sent as speech begins and stops, of the caller and of the assistant."},
	callstate.EventUserInterrupted: {"The caller interrupted the assistant",
		"Sent when the assistant stops because the caller talks into its speech."},
	callstate.EventHang: {"The caller waits", "Sent when the caller waits for a reply that takes long."},
	callstate.EventTransferUpdate: {"A transfer began or ended",
		"Sent when the assistant begins to hand the caller over, and when that is done or has failed."},
	callstate.EventAssistantRequest: {"Which assistant takes a call?",
		"A question, asked once while a call rings, of servers whose list of events has it. Respond within 7.5 seconds; " +
			"where the response is late or empty the linked assistant takes the call."},
	callstate.EventToolCalls: {"What does a tool return?",
		"A question, asked once while the assistant waits. It goes to the tool's own server, else to the assistant's, else to your webhook, whether that names the type or not. " +
			"Respond within the server's time, with at most 64 KiB; any other JSON is taken as the result itself."},
	callstate.EventEndpointingRequest: {"For how long may the caller go on?",
		"A question, asked each time the caller pauses where startSpeakingPlan.smartEndpointingPlan has the provider custom-endpointing-model. " +
			"It goes to the plan's server, else to the assistant's, else to your webhook, whether that names the type or not. Respond within 3 seconds: later, words and melody have decided."},
}

// webhookResponses are the names of the schemas of what servers respond to questions.
var webhookResponses = map[string]string{
	callstate.EventAssistantRequest:   "WebhookAssistantRequestResponse",
	callstate.EventToolCalls:          "WebhookToolCallsResponse",
	callstate.EventEndpointingRequest: "WebhookEndpointingResponse",
}

// addWebhooks adds every type of event, with the schemas of its message and of what servers respond.
func addWebhooks(document *huma.OpenAPI) {
	registry := document.Components.Schemas
	document.Webhooks = map[string]*huma.PathItem{}
	schemas, bodies := registry.Map(), events.Bodies()
	stored := schemas["Event"].Properties["message"]
	for _, eventType := range callstate.EventTypes() {
		of := reflect.TypeOf(bodies[eventType])
		name := schemaName(of, "")
		if of == reflect.TypeOf(bodies[callstate.EventHang]) { // several types have no fields of their own
			name = "Webhook" + pascalCase(eventType)
		}
		schemas[name] = messageSchema(registry, of, eventType)
		document.Webhooks[eventType] = &huma.PathItem{Post: webhookOperation(eventType, name)}
		stored.AnyOf = append(stored.AnyOf, refTo(name)) // generators leave out what no path refers to
	}
	stored.AnyOf = append(stored.AnyOf, described(openObject(),
		"Of an event that was erased: its type, the id of its call and erased."))
	for name, schema := range schemas {
		if of := registry.TypeFromRef(componentSchema + name); of != nil && strings.HasSuffix(of.PkgPath(), "/jobs/events") {
			openMessage(schema, of)
		}
	}
	schemas["WebhookAssistantRequestResponse"] = assistantRequestResponse()
	schemas["WebhookToolCallsResponse"] = toolCallsResponse()
	schemas["WebhookEndpointingResponse"] = endpointingResponse()
}

// pascalCase returns UserInterrupted for user-interrupted.
func pascalCase(word string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(word, "-") {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}

// messageSchema returns the schema of a message as servers receive it: with the fields of the structs that its type embeds, which
// Huma passes over, and those that are added as it is sent.
func messageSchema(registry huma.Registry, of reflect.Type, eventType string) *huma.Schema {
	schema := huma.SchemaFromType(registry, of)
	for field := range of.Fields() {
		if !field.Anonymous {
			continue
		}
		base := huma.SchemaFromType(registry, field.Type)
		for name, property := range base.Properties {
			if _, own := schema.Properties[name]; !own {
				schema.Properties[name] = property
			}
		}
		schema.Required = append(schema.Required, base.Required...)
	}
	kind := *schema.Properties["type"]
	kind.Enum = []any{eventType}
	schema.Properties["type"] = &kind
	schema.Properties["eventId"] = &huma.Schema{Type: huma.TypeString, Format: "uuid",
		Description: "The same as webhook-id: an event that comes twice has the same."}
	schema.Properties["sequence"] = &huma.Schema{Type: huma.TypeInteger, Format: "int64",
		Description: "Its position in your account's sequence, without gaps."}
	schema.Required = append(schema.Required, "eventId", "sequence")
	slices.Sort(schema.Required)
	schema.Required = slices.Compact(schema.Required)
	openMessage(schema, of)
	return schema
}

// openMessage says what holds of all that servers receive: there may be more fields one day.
func openMessage(schema *huma.Schema, of reflect.Type) {
	schema.AdditionalProperties = nil
	for _, field := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := schema.Properties[name]
		if property == nil {
			continue
		}
		if options == "" {
			property = completeSchema(property, field.Type)
			schema.Properties[name] = property
		}
		if field.Type == reflect.TypeFor[uuid.UUID]() || field.Type == reflect.TypeFor[*uuid.UUID]() {
			property.Format = "uuid"
		}
	}
}

func webhookOperation(eventType, schema string) *huma.Operation {
	said := webhookTexts[eventType]
	header := func(name, text string, example any) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: text, Schema: &huma.Schema{Type: huma.TypeString},
			Example: example}
	}
	answered := &huma.Response{Description: "Any status of 2xx: the event was taken."}
	if response, asked := webhookResponses[eventType]; asked {
		answered.Description = "What was asked for."
		answered.Content = map[string]*huma.MediaType{"application/json": {Schema: refTo(response)}}
	}
	responses := map[string]*huma.Response{"200": answered}
	if answered.Content == nil {
		responses["410"] = &huma.Response{Description: "You want no more events: the webhook is disabled. Any other status, or none within 15 seconds, and the event is sent again."}
	}
	return &huma.Operation{
		OperationID: "receive-" + strings.ReplaceAll(eventType, ".", "-"), Tags: []string{tagEvents}, Summary: said.summary,
		Description: said.text, Security: []map[string][]string{},
		Parameters: []*huma.Param{
			header("webhook-id", "The id of the event. The same event may come twice.", exampleEventID),
			header("webhook-timestamp", "When it was sent: Unix time in seconds. Refuse what is older than five minutes.", "1764583200"),
			header("webhook-signature",
				"Signatures by Standard Webhooks: v1, and the base64 of an HMAC-SHA256 of id.timestamp.body; two of them while a secret rotates.",
				"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"message"}, Properties: map[string]*huma.Schema{"message": refTo(schema)},
		}}}},
		Responses: responses,
	}
}

func assistantRequestResponse() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "One of assistantId, assistant, destination and error; without any the linked assistant takes the call. It may stand in messageResponse too.",
		Properties: map[string]*huma.Schema{
			"assistantId": {Type: huma.TypeString, Format: "uuid", Description: "One of your assistants."},
			"assistant": described(openObject(),
				"An assistant for this call alone, with the fields of AssistantInput, in camelCase or snake_case."),
			"assistantOverrides": described(&huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
				Properties: map[string]*huma.Schema{
					"variableValues": described(openObject(), "They fill {{name}} in messages and instructions."),
				}}, "Fields that differ from those of the assistant, in this call."),
			"destination": described(refTo("TransferDestination"), "The caller is transferred there as soon as the call is answered."),
			"error": {Type: huma.TypeString, MaxLength: new(maxSpokenText),
				Description: "Words that the caller hears, after which the call ends."},
		},
	}
}

func toolCallsResponse() *huma.Schema {
	anything := func(text string) *huma.Schema { return &huma.Schema{Description: text} }
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Description: "A result for each tool call that was asked for.",
		Properties: map[string]*huma.Schema{"results": {Type: huma.TypeArray, Items: &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: true, Properties: map[string]*huma.Schema{
				"toolCallId": {Type: huma.TypeString, Description: "The id of the tool call. A lone result may leave it out."},
				"name":       {Type: huma.TypeString, Description: "The tool; not read."},
				"result":     anything("What the tool returns: a text, or any JSON. The model reads it."),
				"error":      anything("Why it failed, in place of result."),
				"message": described(refTo("ToolMessage"),
					"What the assistant says, in place of a reply of the model. A list counts by its first."),
			},
		}}},
	}
}

func endpointingResponse() *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"timeoutSeconds"},
		Properties: map[string]*huma.Schema{"timeoutSeconds": {
			Type: huma.TypeNumber, Minimum: new(0.0), Maximum: new(15.0),
			Description: "For how long the caller may go on, in seconds from the pause.",
		}},
	}
}
