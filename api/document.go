package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/middleware"
)

// This file is what the OpenAPI document says about every operation. The rest is in handlers and their structs.

const (
	componentHeader = "#/components/headers/"
	componentSchema = "#/components/schemas/"
)

func documentedHeaders() map[string]*huma.Header {
	integer := func(description string, example int) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}, Example: example}
	}
	return map[string]*huma.Header{
		middleware.RequestIDHeader: {
			Description: "Names the request in our log; yours, where you sent one of letters, digits, `-`, `_` and `.`.",
			Schema:      &huma.Schema{Type: huma.TypeString}, Example: "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11",
		},
		"X-RateLimit-Limit":     integer("Requests per minute that this key may make.", 100),
		"X-RateLimit-Remaining": integer("Requests that are left in this minute.", 99),
		"X-RateLimit-Reset":     integer("Unix time in seconds at which the count starts again.", 1764583260),
		"Retry-After":           integer("Seconds to wait.", 17),
	}
}

// documentedError is an error response of many operations.
type documentedError struct {
	status      int
	name        string // of the component
	code        string
	description string
	message     string
	details     map[string]string
}

var documentedErrors = []documentedError{
	{http.StatusBadRequest, "BadRequest", "invalid_request",
		"The request does not validate; `details` names every wrong field. The operation's description names codes of its own.",
		"The request is not valid.", map[string]string{"phone_number": "is required"}},
	{http.StatusUnauthorized, "Unauthorized", "unauthorized", "The key is missing, malformed, unknown, expired or revoked.",
		"Give a valid API key: Authorization: Bearer <API_KEY>.", nil},
	{http.StatusPaymentRequired, "PaymentRequired", "insufficient_credits",
		"There are fewer credits than it costs, or `budget_exhausted`: the calls of this month have cost your budget.",
		"A number costs 10 credits.", nil},
	{http.StatusForbidden, "Forbidden", "insufficient_scope",
		"The key may not do this: `insufficient_scope`, `test_key`, `exceeds_key`, or a code that the operation names; `forbidden` where it exists, but belongs to another account.",
		"This needs a key with the scope write; yours has read.", nil},
	{http.StatusNotFound, "NotFound", "not_found", "It is not there, or not yours.", "Assistant not found.", nil},
	{http.StatusNotAcceptable, "NotAcceptable", "not_acceptable", "Accept excludes all media types of the response.",
		"The response is application/json, which Accept rules out.", nil},
	{http.StatusConflict, "Conflict", "conflict",
		"The present state does not allow it; for a POST also `idempotency_conflict` (the Idempotency-Key was used for another request) and " +
			"`idempotency_in_progress` (the first request with it still runs).", "There is a contact with this phone number.",
		map[string]string{"phone_number": "is another contact's"}},
	{http.StatusRequestEntityTooLarge, "PayloadTooLarge", "payload_too_large",
		"The body is larger than 1 MiB, or an uploaded file than 20 MiB.", "The request body is too large.", nil},
	{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "unsupported_media_type",
		"The body is not of the operation's media type.", "Unknown content type.", nil},
	{http.StatusRequestedRangeNotSatisfiable, "RangeNotSatisfiable", "range_not_satisfiable",
		"The recording does not have the requested range.", "The recording has no such part.", nil},
	{http.StatusTooManyRequests, "TooManyRequests", "rate_limited", "The key made more requests than it may in this minute.",
		"Too many requests: this key may make 100 a minute.", nil},
	{http.StatusInternalServerError, "InternalError", "internal_error", "A failure of ours. The request id leads to it.",
		"Something went wrong on our side.", nil},
	{http.StatusServiceUnavailable, "Unavailable", "unavailable",
		"The database is not there, or took too long. Repeat the request as it is; a POST with its Idempotency-Key.",
		"This request cannot be served now. Repeat it in a moment.", nil},
	{http.StatusBadGateway, "UpstreamError", "upstream_error", "An outside service failed.", "An outside service failed.", nil},
	{http.StatusGatewayTimeout, "UpstreamTimeout", "upstream_timeout", "An outside service did not answer in time.",
		"An outside service did not answer in time.", nil},
}

func documentedResponses() map[string]*huma.Response {
	responses := map[string]*huma.Response{}
	for _, documented := range documentedErrors {
		details := documented.details
		if details == nil {
			details = map[string]string{}
		}
		headers := headerRefs(documented.status != http.StatusUnauthorized && documented.status != http.StatusServiceUnavailable)
		if documented.status == http.StatusTooManyRequests || documented.status == http.StatusServiceUnavailable {
			headers["Retry-After"] = &huma.Header{Ref: componentHeader + "Retry-After"}
		}
		responses[documented.name] = &huma.Response{
			Description: documented.description, Headers: headers,
			Content: map[string]*huma.MediaType{"application/json": {
				Schema:  &huma.Schema{Ref: componentSchema + "Error"},
				Example: map[string]any{"error": map[string]any{"code": documented.code, "message": documented.message, "details": details}},
			}},
		}
	}
	return responses
}

func headerRefs(known bool) map[string]*huma.Header {
	headers := map[string]*huma.Header{middleware.RequestIDHeader: {Ref: componentHeader + middleware.RequestIDHeader}}
	if known {
		for _, name := range middleware.RateHeaders {
			headers[name] = &huma.Header{Ref: componentHeader + name}
		}
	}
	return headers
}

// describe completes an operation: the errors that every operation of its kind can return, in place of Huma's 422 and
// plain ones, the headers of success, and an example of the body.
func describe(_ *huma.OpenAPI, op *huma.Operation) {
	delete(op.Responses, "422")
	delete(op.Responses, "default")
	statuses := append([]int{http.StatusBadRequest, http.StatusNotAcceptable, http.StatusInternalServerError,
		http.StatusServiceUnavailable}, op.Errors...)
	keyed := len(op.Security) > 0
	if keyed {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusTooManyRequests)
	}
	if op.RequestBody != nil {
		statuses = append(statuses, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	for _, documented := range documentedErrors {
		if slices.Contains(statuses, documented.status) {
			op.Responses[strconv.Itoa(documented.status)] = &huma.Response{Ref: "#/components/responses/" + documented.name}
		}
	}
	for _, response := range op.Responses {
		if response.Ref != "" {
			continue
		}
		if response.Headers == nil {
			response.Headers = map[string]*huma.Header{}
		}
		maps.Copy(response.Headers, headerRefs(keyed))
	}
}
