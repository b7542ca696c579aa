package api_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/db/callstate"
)

// Every body of JSON has an example that is what its schema says.
func TestExamples(t *testing.T) {
	t.Parallel()

	document, err := apifuzz.Served()
	require.NoError(t, err)
	count, wrong := document.Examples()
	for _, err := range wrong {
		t.Error(err)
	}
	require.Greater(t, count, 100)
}

// Every type of event is in the document, and what no server may send is refused.
func TestWebhooksOfTheDocument(t *testing.T) {
	t.Parallel()

	document, err := apifuzz.Served()
	require.NoError(t, err)
	require.Len(t, document.Webhooks, len(callstate.EventTypes()))
	for _, eventType := range callstate.EventTypes() {
		webhook := document.Webhooks[eventType]
		require.NotNil(t, webhook, eventType)
		require.NotEmpty(t, webhook.Post.Summary, eventType)
		require.NotEmpty(t, webhook.Post.Description, eventType)
		body, err := json.Marshal(webhook.Post.RequestBody.Content["application/json"].Example)
		require.NoError(t, err)
		require.NoError(t, document.Delivery(body), eventType)
		var event map[string]map[string]any
		require.NoError(t, json.Unmarshal(body, &event))
		event["message"]["timestamp"] = "today"
		body, err = json.Marshal(event)
		require.NoError(t, err)
		require.Error(t, document.Delivery(body), "%s: the schema is held", eventType)
	}
}

// The names are those of the specification, and none is Go's.
func TestSchemaNames(t *testing.T) {
	t.Parallel()

	names := api.Document().Components.Schemas.Map()
	for _, name := range []string{
		"Assistant", "AvailablePhoneNumber", "Contact", "ContactDetail", "CreditsBalance", "PaginationMeta", "PhoneNumber",
		"PhoneNumberOrder", "PhoneNumberOrderInput",
		"WebhookAssistantRequestResponse", "WebhookToolCallsResponse",
		"AnalysisPlan", "MessagePlan", "CompliancePlan", "StartSpeakingPlan", "StopSpeakingPlan", "KeypadInputPlan", "Transcriber",
		"Model", "Voice", "Tool",
	} {
		require.Contains(t, names, name)
	}
	for name := range names {
		require.Regexp(t, `^[A-Z][A-Za-z]+$`, name)
		require.NotRegexp(t, `Body|Struct|InputInput|OutputI|^List`, name)
	}
	text, err := api.OpenAPIYAML()
	require.NoError(t, err)
	for _, ref := range regexp.MustCompile(`"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		require.Contains(t, names, ref[1])
	}
	require.Contains(t, string(text), "format: date-time")
	require.Equal(t, 6, strings.Count(string(text), "security: []")-len(api.Document().Webhooks)+1,
		"of the operations five need no key: a link, and those that sign in")
}
