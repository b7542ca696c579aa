package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

var (
	seed     = flag.Uint64("seed", 1, "what the generated requests follow from; 0: another each time")
	requests = flag.Int("requests", 20_000, "how many requests to generate")
)

const (
	fuzzWorkers   = 4 // two of each of two accounts, so that the requests of one account meet
	keptIDs       = 12
	workerlessFor = 100 * time.Millisecond // what waits for a worker waits so long: there is none here
)

// waitingOperations respond only when a worker has done its part.
var waitingOperations = []string{"test-sip-connection", "create-instant-agent"}

// Requests that the document admits, and others that come near them, in sequences over the resources of two accounts: no
// answer is a failure of ours, every one is as the document says, what the document does not admit is not taken, and
// nothing is done to another account's resources.
func TestNothingBreaksTheAPI(t *testing.T) {
	t.Parallel()

	if *seed == 0 {
		*seed = rand.Uint64()
	}
	count := *requests
	if testing.Short() {
		count /= 20
	}
	t.Logf("go test ./api -run %s -seed %d -requests %d", t.Name(), *seed, count)
	errorLog := &errorLog{}
	server := apitest.NewOn(t, dbtest.Pool(t), func(a *api.API) { a.Logger, a.Websites = errorLog.logger(), oneSiteReader() })
	document := readDocument(t)
	one := newFuzzTenant(t, server, server.Account.ID, server.Key)
	account, key := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	two := newFuzzTenant(t, server, account.ID, key)

	var sent atomic.Int64
	statuses := &tally{counts: map[string]map[int]int{}}
	var workers sync.WaitGroup
	for i := range fuzzWorkers {
		owner, other := one, two
		if i%2 == 1 {
			owner, other = two, one
		}
		w := newFuzzWorker(t, server, document, owner, other, rand.New(rand.NewPCG(*seed, uint64(i))))
		w.statuses, w.errors = statuses, errorLog
		workers.Go(func() {
			for n := 0; n < count/fuzzWorkers && !t.Failed(); n += w.sequence(t) {
				sent.Add(1)
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		return
	}
	statuses.requireReached(t, everyOperationAt(t, document))
}

// oneSite is what every address leads to.
type oneSite struct{}

func oneSiteReader() *website.Reader {
	return website.New(website.Config{HTTP: &http.Client{Transport: oneSite{}}, UserAgent: "Callwright/test", Pages: websitetest.Pages{}})
}

// RoundTrip implements http.RoundTripper.
func (oneSite) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/robots.txt" {
		recorder.Code = http.StatusNotFound
	}
	_, err := recorder.WriteString("<title>Linden</title><h2>When are you open?</h2><p>From nine to five on every weekday.</p>")
	response := recorder.Result()
	response.Request = r
	return response, err
}

// fuzzTenant is an account with a row of each kind and means to order numbers.
type fuzzTenant struct {
	*tenant
	live string // a call to speak into
}

func newFuzzTenant(t *testing.T, server *apitest.Server, account uuid.UUID, key string) *fuzzTenant {
	t.Helper()
	made := &fuzzTenant{tenant: &tenant{account, key, map[string]string{}}}
	for kind := range usedKinds() {
		if kind != "event" && kind != "verification_document" {
			made.id(t, server, kind)
		}
	}
	body, contentType := documentForm(t)
	response := server.DoAs(t, key, http.MethodPost, groupsPath+"/"+made.ids["verification_group"]+"/documents", body, "Content-Type", contentType)
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	made.ids["verification_document"] = apitest.Decode[object](t, response)["document_id"].(string)
	dbfactory.Credits(t, server.Tx, account, 100_000)
	dbfactory.DefaultNumber(t, server.Tx)
	decideGroup(t, server, made.ids["verification_group"], "approved")
	other := &tenant{account, key, maps.Clone(made.ids)}
	delete(other.ids, "call")
	made.live = other.id(t, server, "call")
	for statement, id := range map[string]any{
		"UPDATE account SET subscription_status = 'active' WHERE id = $1":                                  account,
		"UPDATE call SET status = 'in-progress', worker_id = 'worker', recording_key = NULL WHERE id = $1": made.live,
		"UPDATE verification_group SET simulated = false WHERE account_id = $1":                            account,
		"UPDATE call SET started_at = created_at, ended_at = now() WHERE id = $1":                          made.ids["call"],
	} {
		_, err := server.Tx.Exec(t.Context(), statement, id)
		require.NoError(t, err)
	}
	putRecording(t, server, made.ids["call"], "a.wav")
	response = server.DoAs(t, key, http.MethodPut, "/v1/assistants/"+made.ids["assistant"], wholeAssistant())
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	response = server.DoAs(t, key, http.MethodPost, "/v1/contacts", object{"phone_number": "+31201234567"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	response = server.DoAs(t, key, http.MethodPost, "/v1/calls/direct", object{"assistant_id": made.ids["assistant"], "contact_phone_number": "+31201234567"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	require.NoError(t, events.Number(t.Context(), server.Tx, account))
	events := apitest.Decode[listAnswer](t, server.DoAs(t, key, http.MethodGet, "/v1/events", nil)).Data
	require.NotEmpty(t, events)
	made.ids["event"] = events[0]["id"].(string)
	return made
}

// operationAt is an operation with its method and path.
type operationAt struct {
	*huma.Operation
	method, path string
	kinds        []string // of the ids in the path
	makes        string   // the kind of what it creates
}

func everyOperationAt(t *testing.T, document *writtenDocument) []operationAt {
	t.Helper()
	var all []operationAt
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for method, op := range operationsOf(document.Paths[path]) {
			at := operationAt{Operation: op, method: method, path: path}
			for _, place := range pathParameter.FindAllStringIndex(path, -1) {
				kind := pathKinds[pathParameter.ReplaceAllString(path[:place[0]], "{}")]
				require.True(t, kind != "" || len(op.Security) == 0, "pathKinds does not say what is in %s", path)
				at.kinds = append(at.kinds, kind)
			}
			if op.Responses["201"] != nil {
				at.makes = pathKinds[pathParameter.ReplaceAllString(path, "{}")+"/"]
			}
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b operationAt) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// fuzzWorker makes one request after the other.
type fuzzWorker struct {
	*generator
	server     *apitest.Server
	owner      *fuzzTenant
	other      *fuzzTenant
	operations []operationAt
	pool       map[string][]string // ids of the owner's, by kind
	statuses   *tally
	errors     *errorLog
}

func newFuzzWorker(t *testing.T, server *apitest.Server, document *writtenDocument, owner, other *fuzzTenant, source *rand.Rand) *fuzzWorker {
	t.Helper()
	w := &fuzzWorker{server: server, owner: owner, other: other, operations: everyOperationAt(t, document), pool: map[string][]string{}}
	for kind, id := range owner.ids {
		w.pool[kind] = []string{id}
	}
	w.keep("call", owner.live)
	names := map[string]bool{}
	fieldNames(wholeAssistant(), names)
	for _, op := range w.operations {
		fieldNames(exampleBody(op.Operation), names)
	}
	w.generator = &generator{Rand: source, document: document, id: w.ownID, names: slices.Sorted(maps.Keys(names))}
	return w
}

func (w *fuzzWorker) ownID(kind string) string {
	switch {
	case len(w.pool[kind]) == 0:
		return ""
	case w.chance(2):
		return w.pool[kind][0]
	}
	return pick(w.generator, w.pool[kind])
}

// spareID is an id of the owner's that may be deleted: of everything something stays.
func (w *fuzzWorker) spareID(kind string) string {
	if len(w.pool[kind]) < 2 {
		return w.anyID("")
	}
	return pick(w.generator, w.pool[kind][1:])
}

// sequence makes a request, and if it created something, some more about that. It returns the number of requests.
func (w *fuzzWorker) sequence(t *testing.T) int {
	op := pick(w.generator, w.operations)
	if w.chance(4) {
		op = pick(w.generator, slices.DeleteFunc(slices.Clone(w.operations), func(op operationAt) bool { return op.makes == "" }))
	}
	made := w.request(t, op, "")
	if made == "" || t.Failed() {
		return 1
	}
	about := slices.DeleteFunc(slices.Clone(w.operations), func(other operationAt) bool {
		return len(other.kinds) == 0 || other.kinds[len(other.kinds)-1] != op.makes
	})
	count := 1
	for range w.IntN(6) {
		if t.Failed() {
			break
		}
		w.request(t, pick(w.generator, about), made)
		count++
	}
	return count
}

// fuzzRequest is a request and what is known of it.
type fuzzRequest struct {
	op       operationAt
	target   string
	header   http.Header
	body     []byte
	foreign  bool // an id in the path is another account's
	admitted bool // the document does not say no to the body
}

// request makes a request about a resource, "" for any, and returns the id of what it created.
func (w *fuzzWorker) request(t *testing.T, op operationAt, about string) (made string) {
	request := w.generate(t, op, about)
	response := w.send(t, request)
	if response == nil {
		return ""
	}
	w.statuses.add(op.OperationID, response.Status)
	if problem := w.problem(request, response); problem != "" {
		t.Errorf("%s\nrequest: %s %s %v\n%q\nanswer: %d %v\n%s\nlog: %s", problem, op.method, request.target, request.header, request.body, response.Status, response.Header, response.Body, w.errors)
		return ""
	}
	if response.Status == http.StatusCreated && op.makes != "" {
		return w.remember(t, op.makes, response)
	}
	return ""
}

func (w *fuzzWorker) problem(request *fuzzRequest, response *apitest.Response) string {
	if err := w.document.conforms(request.op.method, request.op.path, response); err != nil {
		return err.Error()
	}
	switch {
	case response.Status < 300 && request.foreign:
		return "answers about another account's resource"
	case response.Status < 300 && !request.admitted:
		return "takes a body that the document does not admit"
	}
	return ""
}

// remember keeps some ids of what was made.
func (w *fuzzWorker) remember(t *testing.T, kind string, response *apitest.Response) string {
	body := apitest.Decode[object](t, response)
	if data, ok := body["data"].(object); ok {
		body = data
	}
	if number, ok := body["phone_number_id"].(string); ok {
		w.keep("phone_number", number)
	}
	for _, field := range []string{kind + "_id", "id", "document_id", "order_id"} {
		if id, ok := body[field].(string); ok {
			w.keep(kind, id)
			return id
		}
	}
	t.Errorf("what %s made has no id: %s", kind, response.Body)
	return ""
}

// keep adds an id to those that requests are about. The first of a kind stays: it has everything about it.
func (w *fuzzWorker) keep(kind, id string) {
	if w.pool[kind] = append(w.pool[kind], id); len(w.pool[kind]) > keptIDs {
		w.pool[kind] = slices.Delete(w.pool[kind], 1, 2)
	}
}

func (w *fuzzWorker) generate(t *testing.T, op operationAt, about string) *fuzzRequest {
	request := &fuzzRequest{op: op, header: http.Header{}, admitted: true}
	request.target = w.path(request, about) + w.query(op)
	request.header.Set("Authorization", "Bearer "+w.owner.key)
	for _, parameter := range op.Parameters {
		if parameter.In == "header" && w.chance(5) {
			request.header.Set(parameter.Name, pick(w.generator, []string{"a", "0", "-1", "\xff", "a\x00b", strings.Repeat("k", 255), strings.Repeat("k", 256), uuid.NewString()}))
		}
	}
	for _, name := range []string{"Accept", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Accept-Encoding"} {
		if w.chance(60) {
			request.header.Set(name, pick(w.generator, []string{"", "*/*", "application/json", "text/*;q=0", ";;;,", "bytes=0-1", "bytes=-1", "bytes=9-1,2-3", "gzip;q=x", "\"a\"", "*", "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 06 Nov 2094 08:49:37 GMT"}))
		}
	}
	if op.RequestBody != nil {
		w.fill(t, request)
	}
	return request
}

func (w *fuzzWorker) path(request *fuzzRequest, about string) string {
	kinds := request.op.kinds
	at := -1
	return pathParameter.ReplaceAllStringFunc(request.op.path, func(string) string {
		at++
		kind := kinds[at]
		switch {
		case w.chance(15):
			return url.PathEscape(pick(w.generator, []string{"x", "\x00", "\xff", "%", "..", "00000000-0000-0000-0000-000000000000", strings.Repeat("a", 3000), "{" + uuid.NewString() + "}"}))
		case w.chance(10) && w.other.ids[kind] != "":
			request.foreign = true
			return w.other.ids[kind]
		case about != "" && at == len(kinds)-1:
			return about
		case request.op.method == http.MethodDelete && at == len(kinds)-1 && !w.chance(100):
			return w.spareID(kind)
		}
		return w.anyID(kind)
	})
}

func (w *fuzzWorker) query(op operationAt) string {
	query := url.Values{}
	for _, parameter := range op.Parameters {
		if parameter.In == "query" && w.chance(5) {
			query.Add(parameter.Name, queryText(w.value(parameter.Name, parameter.Schema, 0)))
		}
		if parameter.In == "query" && w.chance(60) {
			query.Add(parameter.Name, pick(w.generator, []string{"", "\x00", "\xff", "9223372036854775808", "-1", "1e3", strings.Repeat("q", 5000), "true", "null"}))
		}
	}
	if w.chance(60) {
		query.Add(pick(w.generator, w.names), "1")
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func queryText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// fill gives a request a body: the example, or one made up; as it is, changed, or garbled.
func (w *fuzzWorker) fill(t *testing.T, request *fuzzRequest) {
	if request.op.RequestBody.Content["multipart/form-data"] != nil {
		form, contentType := documentForm(t)
		request.header.Set("Content-Type", contentType)
		if request.body = form; w.chance(3) {
			request.body = w.garble(form)
		}
		return
	}
	request.header.Set("Content-Type", "application/json")
	var body any = w.body(request.op)
	if w.chance(2) {
		for range 1 + w.IntN(2) {
			body = w.mutate(body)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Errorf("encode %v: %v", body, err)
		return
	}
	if request.body = text; w.chance(20) {
		request.body = w.garble(text)
		return // its new meaning is unknown
	}
	if w.chance(100) {
		request.header.Set("Content-Type", pick(w.generator, []string{"text/plain", "application/json; charset=latin1", "application/xml", "multipart/form-data", ";"}))
	}
	sent, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	request.admitted = err == nil && w.document.admits(request.op.method, request.op.path, sent) == nil
}

// body is a body by and large as the document has it.
func (w *fuzzWorker) body(op operationAt) object {
	schema := w.document.resolved(op.RequestBody.Content["application/json"].Schema)
	if w.chance(4) {
		return w.object(schema, 0)
	}
	body := w.example(op)
	fields := slices.Sorted(maps.Keys(schema.Properties))
	for range w.IntN(3) {
		field := pick(w.generator, fields)
		body[field] = w.value(field, schema.Properties[field], 0)
	}
	return body
}

// example is the document's example with ids of the owner's.
func (w *fuzzWorker) example(op operationAt) object {
	body := exampleBody(op.Operation)
	if op.OperationID == "create-assistant" || op.OperationID == "update-assistant" && w.chance(2) {
		body = wholeAssistant()
	}
	for name := range body {
		if kind := bodyKinds[name]; kind != "" {
			body[name] = w.anyID(kind)
		}
		if name == "phone_number" && w.chance(2) {
			body[name] = w.number()
		}
	}
	return body
}

// exampleBody is a copy of an operation's example, nil when it takes no JSON.
func exampleBody(op *huma.Operation) object {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	text, err := json.Marshal(op.RequestBody.Content["application/json"].Example)
	body := object{}
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		panic(fmt.Sprintf("example of %s: %v", op.OperationID, err))
	}
	return body
}

// send calls the handler. It returns nil if the client disconnected before the response.
func (w *fuzzWorker) send(t *testing.T, request *fuzzRequest) *apitest.Response {
	ctx := t.Context()
	if slices.Contains(waitingOperations, request.op.OperationID) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, workerlessFor)
		defer cancel()
	}
	made := httptest.NewRequestWithContext(ctx, request.op.method, request.target, bytes.NewReader(request.body))
	made.Header = request.header
	recorder := httptest.NewRecorder()
	w.server.Handler.ServeHTTP(recorder, made)
	if ctx.Err() != nil && recorder.Code != http.StatusGatewayTimeout {
		return nil
	}
	return &apitest.Response{Status: recorder.Code, Header: recorder.Result().Header, Body: recorder.Body.Bytes()}
}

// tally counts the responses of each operation.
type tally struct {
	mu     sync.Mutex
	counts map[string]map[int]int
}

func (c *tally) add(operation string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[operation] == nil {
		c.counts[operation] = map[int]int{}
	}
	c.counts[operation][status]++
}

// requireReached fails when the requests were refused by and large: then they have tested little.
func (c *tally) requireReached(t *testing.T, operations []operationAt) {
	t.Helper()
	total, succeeded := 0, 0
	for _, op := range operations {
		ofThis := 0
		for status, n := range c.counts[op.OperationID] {
			total += n
			if status < 300 {
				ofThis += n
			}
		}
		succeeded += ofThis
		t.Logf("%s %v", op.OperationID, c.counts[op.OperationID])
	}
	t.Logf("%d requests, %d succeeded", total, succeeded)
	require.Greater(t, succeeded, total/5)
}
