package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/client"
)

var operations = client.Operations(api.Document())

// network answers one request after the other with the next of its responses; a nil one is a lost connection.
type network struct {
	responses []*http.Response
	requests  []*http.Request
	bodies    []string
}

func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	n.requests, n.bodies = append(n.requests, request), append(n.bodies, string(body))
	response := n.responses[0]
	n.responses = n.responses[1:]
	if response == nil {
		return nil, errors.New("connection reset by peer")
	}
	return response, nil
}

func response(status int, body string, headers ...string) *http.Response {
	made := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body)))}
	for i := 0; i < len(headers); i += 2 {
		made.Header.Set(headers[i], headers[i+1])
	}
	return made
}

func refused(status int, code string, headers ...string) *http.Response {
	return response(status, `{"error": {"code": "`+code+`", "message": "No.", "details": {"b": "is wrong", "a": "is missing"}}}`,
		headers...)
}

// TestAttempts has requests meet what networks and servers do: what may be repeated is, under one Idempotency-Key.
func TestAttempts(t *testing.T) {
	t.Parallel()

	busy := func() *http.Response {
		return refused(http.StatusServiceUnavailable, "unavailable", "Retry-After", "3")
	}
	limited := func() *http.Response { return refused(http.StatusTooManyRequests, "rate_limited", "Retry-After", "40") }
	for name, test := range map[string]struct {
		operation string
		responses []*http.Response
		requests  int
		least     time.Duration
		fails     string
	}{
		"Post": {"create-assistant", []*http.Response{nil, busy(), limited(), response(201, `{}`)}, 4, 43 * time.Second, ""},
		"StillRunning": {"create-assistant", []*http.Response{nil, refused(409, "idempotency_in_progress"), response(201, `{}`)}, 3,
			0, ""},
		"AnothersKey": {"create-assistant", []*http.Response{refused(409, "idempotency_in_progress")}, 1, 0,
			"409 idempotency_in_progress"},
		"Get":     {"list-assistants", []*http.Response{nil, nil, response(200, `{}`)}, 3, 0, ""},
		"Deleted": {"delete-assistant", []*http.Response{nil, refused(404, "not_found")}, 2, 0, ""},
		"NotThere": {"delete-assistant", []*http.Response{refused(404, "not_found")}, 1, 0,
			"404 not_found: No. a: is missing. b: is wrong."},
		"WrongInput": {"create-assistant", []*http.Response{refused(400, "invalid_request")}, 1, 0, "400 invalid_request"},
		"NeverReachable": {"list-assistants", []*http.Response{nil, nil, nil, nil, nil}, 5, 0,
			"does not respond: connection reset by peer"},
		"LongWait": {"list-assistants", []*http.Response{refused(429, "rate_limited", "Retry-After", "3600")}, 1, 0,
			"429 rate_limited"},
		"Redirect": {"list-assistants", []*http.Response{response(302, "", "Location", "http://elsewhere.example/")}, 1, 0,
			"302"},
		"AnotherServer": {"list-assistants", []*http.Response{response(404, "<html>")}, 1, 0,
			"404 not_found: The response is not one of this API"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				peer := &network{responses: test.responses}
				caller := &client.Client{URL: "http://calls.example/", Key: "cw_test", Transport: peer, Attempts: 5}
				arguments := client.Arguments{Values: map[string]json.RawMessage{}}
				if test.operation == "delete-assistant" {
					arguments.Values["assistant_id"] = json.RawMessage(`"a/b"`)
				}
				begin := time.Now()
				_, err := caller.Call(t.Context(), operations[test.operation], arguments)
				if test.fails == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, test.fails)
				}
				require.Len(t, peer.requests, test.requests)
				require.GreaterOrEqual(t, time.Since(begin), test.least)
				for i, request := range peer.requests {
					require.Equal(t, "Bearer cw_test", request.Header.Get("Authorization"))
					require.Equal(t, peer.requests[0].Header, request.Header, "attempt %d is the same request", i)
					require.Equal(t, request.Method == http.MethodPost, request.Header.Get("Idempotency-Key") != "")
				}
				if test.operation == "delete-assistant" {
					require.Equal(t, "http://calls.example/v1/assistants/a%2Fb", peer.requests[0].URL.String())
				}
			})
		})
	}
}

// TestRequests has arguments become requests, every digit as it was written.
func TestRequests(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		operation string
		arguments client.Arguments
		target    string
		body      string
		fails     string
	}{
		"Query": {"list-calls", client.Arguments{Values: map[string]json.RawMessage{"limit": json.RawMessage(`5`),
			"call_status": json.RawMessage(`"busy"`)}},
			"/v1/calls?call_status=busy&limit=5", "", ""},
		"Fields": {"create-assistant", client.Arguments{
			Values: map[string]json.RawMessage{"assistant_name": json.RawMessage(`"B"`)},
			Body:   json.RawMessage(`{"assistant_name": "A", "metadata": {"n": 9007199254740993}}`),
		}, "/v1/assistants", `{"assistant_name":"B","metadata":{"n":9007199254740993}}`, ""},
		"WholeBody": {"create-assistant", client.Arguments{Body: json.RawMessage(`[1, 2]`)}, "/v1/assistants", `[1, 2]`, ""},
		"NoObject": {"create-assistant",
			client.Arguments{Values: map[string]json.RawMessage{"assistant_name": json.RawMessage(`"B"`)}, Body: json.RawMessage(`null`)},
			"", "", "not a JSON object"},
		"NoJSON":      {"create-assistant", client.Arguments{Body: json.RawMessage(`{`)}, "", "", "not JSON"},
		"MissingPath": {"get-assistant", client.Arguments{}, "", "", "assistant_id is required"},
		"NoSuchInput": {"get-limits", client.Arguments{Values: map[string]json.RawMessage{"x": json.RawMessage(`1`)}}, "", "",
			"x is not an input"},
		"NoBody": {"get-limits", client.Arguments{Body: json.RawMessage(`{}`)}, "", "", "takes no body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := &network{responses: []*http.Response{response(200, `{}`)}}
			caller := &client.Client{URL: "http://calls.example", Transport: peer, Attempts: 1}
			_, err := caller.Call(t.Context(), operations[test.operation], test.arguments)
			if test.fails != "" {
				require.ErrorContains(t, err, test.fails)
				require.Empty(t, peer.requests)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.target, peer.requests[0].URL.RequestURI())
			require.Equal(t, test.body, peer.bodies[0])
		})
	}
}

// TestOperations reads kinds of inputs from the document.
func TestOperations(t *testing.T) {
	t.Parallel()

	kinds := map[string]client.Kind{}
	for _, in := range operations["patch-assistant"].Inputs {
		kinds[in.Name] = in.Kind
	}
	for name, want := range map[string]client.Kind{
		"assistant_id": client.String, "assistant_name": client.String, "max_duration_seconds": client.Integer,
		"post_call_emails":       client.Strings,
		"knowledge_base_enabled": client.Boolean, "metadata": client.JSON, "call_transfers": client.JSON, "server": client.JSON,
	} {
		require.Equal(t, want, kinds[name], name)
	}
	require.True(t, operations["list-calls"].Paged)
	require.False(t, operations["get-call"].Paged)
	require.True(t, operations["get-call-recording"].Binary)
	require.True(t, operations["create-direct-call"].Idempotent())
	require.Equal(t, "multipart/form-data", operations["upload-verification-document"].BodyType)
}
