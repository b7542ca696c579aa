package callwright

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/sdk/go/api"
)

// answer is what the server does about one request.
type answer struct {
	status  int
	body    string
	headers map[string]string
	cut     bool // the connection breaks before all of the body is sent
}

// refusal returns an error as the API has it.
func refusal(status int, code, wait string) answer {
	headers := map[string]string{"X-Request-Id": "request-1"}
	if wait != "" {
		headers["Retry-After"] = wait
	}
	return answer{status: status, body: fmt.Sprintf(`{"error":{"code":%q,"message":"No.","details":{"field":"is wrong"}}}`, code),
		headers: headers}
}

type asked struct {
	line, body string
	header     http.Header
}

// server responds as a test says: with what is left of its list, each time the next.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	rest  []answer
	asked []asked
}

func serve(t *testing.T, answers ...answer) *server {
	t.Helper()
	s := &server{rest: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked{r.Method + " " + r.RequestURI, string(body), r.Header.Clone()})
	next := refusal(http.StatusTeapot, "unexpected_request", "")
	if len(s.rest) > 0 {
		next, s.rest = s.rest[0], s.rest[1:]
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range next.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(cmp.Or(next.status, http.StatusOK))
	_, _ = io.WriteString(w, next.body)
	if next.cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (s *server) client(t *testing.T, maxRetries int) *Client {
	t.Helper()
	client, err := New(Config{URL: s.URL, Key: "key-1", MaxRetries: &maxRetries})
	require.NoError(t, err)
	return client
}

func page3(entries []string, pagination string) answer {
	return answer{body: fmt.Sprintf(`{"data":[{"call_id":"%s"}],"pagination":{"limit":2,"total":3,%s}}`,
		strings.Join(entries, `"},{"call_id":"`), pagination)}
}

func TestSameKeyOnEveryRetry(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	s := serve(t,
		answer{status: 201, body: `{"contact`, cut: true}, refusal(503, "unavailable", "0"), refusal(429, "rate_limited", "0"),
		refusal(409, "idempotency_in_progress", "0"), answer{status: 201, body: `{"contact_id":"` + id.String() + `"}`})
	made, err := s.client(t, 4).CreateContactWithResponse(t.Context(), nil, api.ContactInput{PhoneNumber: "+31612345600"})
	require.NoError(t, err)
	require.Equal(t, id, made.JSON201.ContactId)
	require.Len(t, s.asked, 5)
	for _, asked := range s.asked {
		require.NotEmpty(t, asked.header.Get("Idempotency-Key"))
		require.Equal(t, s.asked[0].header.Get("Idempotency-Key"), asked.header.Get("Idempotency-Key"))
		require.Equal(t, s.asked[0].body, asked.body)
		require.Equal(t, "Bearer key-1", asked.header.Get("Authorization"))
	}
}

func TestOwnKey(t *testing.T) {
	t.Parallel()
	s := serve(t, answer{status: 201, body: "{}"})
	_, err := s.client(t, 0).CreateContactWithResponse(t.Context(), &api.CreateContactParams{IdempotencyKey: new("mine")},
		api.ContactInput{})
	require.NoError(t, err)
	require.Equal(t, "mine", s.asked[0].header.Get("Idempotency-Key"))
}

func TestRefusalsAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, failure := range []answer{refusal(400, "invalid_request", ""), refusal(409, "idempotency_conflict", "0"),
		refusal(429, "rate_limited", "61")} {
		s := serve(t, failure)
		_, err := s.client(t, 4).CreateContactWithResponse(t.Context(), nil, api.ContactInput{})
		var refused *APIError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, failure.status, refused.Status)
		require.Equal(t, map[string]string{"field": "is wrong"}, refused.Details)
		require.Equal(t, fmt.Sprintf("%d %s: No.; field: is wrong (request request-1)", failure.status, refused.Code), err.Error())
		require.Len(t, s.asked, 1)
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, refusal(500, "internal_error", "0"), refusal(500, "internal_error", "0"), refusal(500, "internal_error", "0"))
	_, err := s.client(t, 2).GetLimitsWithResponse(t.Context())
	require.ErrorContains(t, err, "500 internal_error")
	require.Len(t, s.asked, 3)

	s = serve(t, answer{status: 502, body: "<html>"})
	_, err = s.client(t, 0).GetLimitsWithResponse(t.Context())
	require.EqualError(t, err, "502 unexpected_response: Bad Gateway")
}

func TestBodyThatIsReadOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, refusal(503, "unavailable", "0"), answer{status: 201, body: "{}"})
	_, err := s.client(t, 4).UploadVerificationDocumentWithBodyWithResponse(t.Context(), uuid.New(), nil, "multipart/form-data",
		io.MultiReader(strings.NewReader("once")))
	require.ErrorContains(t, err, "503 unavailable")
	_, err = s.client(t, 4).UploadVerificationDocumentWithBodyWithResponse(t.Context(), uuid.New(), nil, "multipart/form-data",
		bytes.NewReader([]byte("again")))
	require.NoError(t, err)
}

func TestLostNetwork(t *testing.T) {
	t.Parallel()
	s := serve(t)
	client := s.client(t, 0)
	s.Close()
	_, err := client.GetLimitsWithResponse(t.Context())
	var lost *ConnectionError
	require.ErrorAs(t, err, &lost)
	require.ErrorContains(t, err, "no response from "+strings.TrimPrefix(s.URL, "http://"))
	for _, err := range client.Events(t.Context(), nil) {
		require.ErrorAs(t, err, &lost)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.client(t, 4).GetLimitsWithResponse(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPages(t *testing.T) {
	t.Parallel()
	ids := []string{uuid.NewString(), uuid.NewString(), uuid.NewString()}
	s := serve(t, page3(ids[:2], `"has_more":true,"next_cursor":"next"`), page3(ids[2:], `"has_more":false,"next_cursor":null`),
		refusal(403, "forbidden", ""))
	client, params := s.client(t, 0), &api.ListCallsParams{Limit: new(int64(2)), Offset: new(int64(0))}
	var met []string
	for call, err := range client.AllCalls(t.Context(), params) {
		require.NoError(t, err)
		met = append(met, call.CallId.String())
	}
	require.Equal(t, ids, met)
	require.Equal(t, "GET /v1/calls?limit=2&offset=0", s.asked[0].line)
	require.Equal(t, "GET /v1/calls?cursor=next&limit=2", s.asked[1].line)
	for _, err := range client.AllCalls(t.Context(), params) {
		require.ErrorContains(t, err, "403 forbidden")
	}
}

func TestPagesByOffset(t *testing.T) {
	t.Parallel()
	s := serve(t, page3([]string{"1", "2"}, `"offset":0,"has_more":true`), page3([]string{"3"}, `"offset":2,"has_more":false`))
	count := 0
	for _, err := range s.client(t, 0).AllAvailableNumbers(t.Context(),
		&api.ListAvailableNumbersParams{Country: new(api.ListAvailableNumbersParamsCountry("NL"))}) {
		require.NoError(t, err)
		count++
	}
	require.Equal(t, 3, count)
	require.Equal(t, "GET /v1/available-phone-numbers?country=NL&offset=2", s.asked[1].line)
}

func stream(start string, cut bool, events ...int) answer {
	text := start + "\n"
	for _, n := range events {
		text += fmt.Sprintf("id: %d\r\nevent: hang\r\n: a comment\r\ndata: {\"sequence\": %d, \"type\": \"something-new\",\ndata: \"message\": {\"order\": 9007199254740993}}\r\n\r\n", n, n)
	}
	if cut {
		text += "id: 99\ndata: {\"sequ"
	}
	return answer{body: text, headers: map[string]string{"Content-Type": "text/event-stream"}, cut: cut}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := serve(t, stream("retry: 0\nid: 4\n", false), stream("retry: 0\n", true, 5, 6), refusal(503, "unavailable", "0"),
		stream("retry: 0\n", false, 7), refusal(401, "unauthorized", ""))
	var met []int64
	var ended error
	for event, err := range s.client(t, 4).Events(t.Context(), &api.StreamEventsParams{Type: new("something-new")}) {
		if err != nil {
			ended = err
			continue
		}
		met = append(met, event.Sequence)
		require.JSONEq(t, `{"order": 9007199254740993}`, string(event.Message.(*UnknownMessage).Raw))
	}
	require.Equal(t, []int64{5, 6, 7}, met)
	require.ErrorContains(t, ended, "401 unauthorized")
	require.Equal(t, "GET /v1/events/stream?type=something-new", s.asked[0].line)
	var last []string
	for _, asked := range s.asked {
		last = append(last, asked.header.Get("Last-Event-ID"))
	}
	require.Equal(t, []string{"", "4", "6", "6", "7"}, last)

	s = serve(t, stream("", false, 5, 6))
	for event, err := range s.client(t, 0).Events(t.Context(), nil) {
		require.NoError(t, err)
		require.EqualValues(t, 5, event.Sequence)
		break
	}
}
