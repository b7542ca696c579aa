package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
)

// contract is every operation of the specification with the statuses that it names, besides those that every operation
// responses. Path parameters are {} here: the specification names some of them in two ways.
var contract = map[string]string{
	"GET /v1/assistants":                    "200",
	"POST /v1/assistants":                   "201 400 401 500",
	"GET /v1/assistants/{}":                 "200 404",
	"PUT /v1/assistants/{}":                 "200 400 401 404",
	"PATCH /v1/assistants/{}":               "200 400 404",
	"DELETE /v1/assistants/{}":              "204 404",
	"GET /v1/assistants/{}/phone-number":    "200 404",
	"POST /v1/assistants/{}/phone-number":   "200 400 403 404",
	"DELETE /v1/assistants/{}/phone-number": "200 400 404",

	"GET /v1/calls":              "200",
	"GET /v1/calls/{}":           "200 404",
	"DELETE /v1/calls/{}":        "204 404 409",
	"POST /v1/calls/direct":      "201 400 404",
	"POST /v1/calls/{}/end":      "404 409",
	"POST /v1/calls/{}/messages": "202 400 404 409",
	"GET /v1/calls/{}/recording": "200 404",

	"GET /v1/contacts":       "200 400",
	"POST /v1/contacts":      "201 400 409",
	"GET /v1/contacts/{}":    "200 404",
	"PUT /v1/contacts/{}":    "200 400 404 409",
	"PATCH /v1/contacts/{}":  "200 400 404 409",
	"DELETE /v1/contacts/{}": "204 404",

	"GET /v1/scheduled-calls":       "200",
	"POST /v1/scheduled-calls":      "201 400 404",
	"GET /v1/scheduled-calls/{}":    "200 404",
	"PUT /v1/scheduled-calls/{}":    "200 400 404 409",
	"DELETE /v1/scheduled-calls/{}": "204 404 409",

	"GET /v1/phone-numbers":           "200",
	"POST /v1/phone-numbers":          "400 402 403 404 409",
	"GET /v1/phone-numbers/{}":        "200 404",
	"DELETE /v1/phone-numbers/{}":     "204 404 409",
	"GET /v1/phone-numbers/available": "200",
	"GET /v1/available-phone-numbers": "200 400",
	"GET /v1/phone-number-orders":     "200",
	"POST /v1/phone-number-orders":    "400 402 404 409",
	"GET /v1/phone-number-orders/{}":  "200 404",

	"GET /v1/sip-connections":          "200",
	"POST /v1/sip-connections":         "201 400 409",
	"GET /v1/sip-connections/{}":       "200 404",
	"DELETE /v1/sip-connections/{}":    "204 404 409",
	"POST /v1/sip-connections/{}/test": "200 404",

	"GET /v1/verification-groups":                            "200",
	"POST /v1/verification-groups":                           "201 400",
	"GET /v1/verification-groups/{}":                         "200 404",
	"DELETE /v1/verification-groups/{}":                      "204 404 409",
	"POST /v1/verification-groups/{}/submit-for-approval":    "200 400 404",
	"GET /v1/verification-groups/{}/documents":               "200 404",
	"POST /v1/verification-groups/{}/documents":              "201 400 404 413 415",
	"DELETE /v1/verification-groups/{}/documents/{}":         "204 404",
	"GET /v1/verification-groups/{}/available-phone-numbers": "200 404",
	"POST /v1/verification-groups/{}/order-number":           "400 402 404 409",

	"GET /v1/user/profile":                "200",
	"PATCH /v1/user/profile":              "200 400",
	"GET /v1/user/profile/extended":       "200",
	"GET /v1/profile":                     "200",
	"GET /v1/user/limits":                 "200",
	"GET /v1/user/credits":                "200",
	"GET /v1/user/webhook":                "200",
	"PUT /v1/user/webhook":                "200 400",
	"POST /v1/user/webhook/rotate-secret": "200",

	"GET /v1/api-keys":            "200",
	"POST /v1/api-keys":           "201 400",
	"DELETE /v1/api-keys/{}":      "204 404",
	"POST /v1/api-keys/{}/rotate": "404",

	"POST /instant-agents": "201 400 401 404 500 502 504",

	"GET /v1/knowledge-base/documents":       "200",
	"POST /v1/knowledge-base/documents":      "201 400",
	"GET /v1/knowledge-base/documents/{}":    "200 404",
	"DELETE /v1/knowledge-base/documents/{}": "204 404",
	"POST /v1/knowledge-base/query":          "200 400",
	"POST /v1/faqs/generate":                 "200 400 502 504",

	"GET /v1/events":               "200",
	"GET /v1/events/{}/deliveries": "200 404",
	"POST /v1/events/{}/redeliver": "404",
	"POST /v1/events/replay":       "400",
}

// everyOperation are the responses of every operation.
const everyOperation = "401 429 500"

// missing are the operations of the contract that are not built yet.
var missing []string

// The document has every operation and status of the contract, and what is missing is named here.
func TestContract(t *testing.T) {
	t.Parallel()

	built := map[string]map[string]openAPIResponse{}
	for path, methods := range openAPI(t) {
		for method, operation := range methods {
			built[strings.ToUpper(method)+" "+apifuzz.PathParameter.ReplaceAllString(path, "{}")] = operation.Responses
		}
	}
	for name, statuses := range contract {
		responses, there := built[name]
		if slices.Contains(missing, name) {
			require.False(t, there, "%s is built: take it out of missing", name)
			continue
		}
		require.True(t, there, "%s is missing", name)
		for status := range strings.FieldsSeq(statuses + " " + everyOperation) {
			require.Contains(t, responses, status, "%s does not answer %s", name, status)
		}
	}
	for _, name := range missing {
		require.Contains(t, contract, name, "missing names what the contract does not have")
	}
}

// A reader finds the tags in the order of the contract, and in each something.
func TestTags(t *testing.T) {
	t.Parallel()

	used := map[string]bool{}
	for _, methods := range openAPI(t) {
		for _, operation := range methods {
			used[operation.Tags[0]] = true
		}
	}
	var declared []string
	for _, tag := range api.Document().Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		declared = append(declared, tag.Name)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(used)), declared, "every tag is used, and declared once")
}
