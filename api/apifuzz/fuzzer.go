package apifuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// keptIDs are of one kind.
const keptIDs = 12

// Config is what a Fuzzer needs.
type Config struct {
	Document *Document
	Random   *rand.Rand                     // everything follows from it, and from the answers
	Key      string                         // of the account whose requests they are
	IDs      map[string]string              // of the account's resources, by kind, that have everything about them
	Foreign  func(kind string) string       // an id of another account's, "" when there is none
	Send     func(request *Request) *Answer // nil: there is none
	Session  func() string                  // the cookie of a session in the account; nil: what needs one is left out
}

// Fuzzer makes one request after the other, for one account.
type Fuzzer struct {
	*generator
	config     Config
	operations []Operation
	mu         sync.Mutex
	pool       map[string][]string // ids of the account's, by kind
	statuses   map[string]map[int]int
}

// New returns a Fuzzer.
func New(config Config) (*Fuzzer, error) {
	operations, err := config.Document.operations(config.Session != nil)
	if err != nil {
		return nil, err
	}
	w := &Fuzzer{config: config, operations: operations, pool: map[string][]string{}, statuses: map[string]map[int]int{}}
	for kind, id := range config.IDs {
		w.pool[kind] = []string{id}
	}
	names := map[string]bool{}
	fieldNames(WholeAssistant(), names)
	for _, op := range operations {
		fieldNames(Example(op.Operation), names)
	}
	w.generator = &generator{Rand: config.Random, document: config.Document, id: w.ownID, names: slices.Sorted(maps.Keys(names))}
	return w, nil
}

// Statuses returns how often operations, by their ids, were answered with which status. It may be called when no sequence runs.
func (w *Fuzzer) Statuses() map[string]map[int]int { return w.statuses }

func (w *Fuzzer) ownID(kind string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(w.pool[kind]) == 0:
		return ""
	case w.chance(2):
		return w.pool[kind][0]
	}
	return pick(w.generator, w.pool[kind])
}

// spareID is an id of the owner's that may be deleted: of everything something stays.
func (w *Fuzzer) spareID(kind string) string {
	w.mu.Lock()
	spare := slices.Clone(w.pool[kind])
	w.mu.Unlock()
	if len(spare) < 2 {
		return w.anyID("")
	}
	return pick(w.generator, spare[1:])
}

// First returns the first id of a kind that the account has, "" when it has none. Unlike the rest it may be called at any time.
func (w *Fuzzer) First(kind string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pool[kind]) == 0 {
		return ""
	}
	return w.pool[kind][0]
}

// Sequence makes a request, and if it created something, some more about that. It returns the number of requests, and an error
// when an answer is not as the document says.
func (w *Fuzzer) Sequence() (int, error) {
	op := pick(w.generator, w.operations)
	if w.chance(4) {
		op = pick(w.generator, slices.DeleteFunc(slices.Clone(w.operations), func(op Operation) bool { return op.Makes == "" }))
	}
	made, err := w.request(op, "")
	if made == "" || err != nil {
		return 1, err
	}
	about := slices.DeleteFunc(slices.Clone(w.operations), func(other Operation) bool {
		return len(other.Kinds) == 0 || other.Kinds[len(other.Kinds)-1] != op.Makes
	})
	count := 1
	for range w.IntN(6) {
		if _, err := w.request(pick(w.generator, about), made); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}

// Request is a request and what is known of it.
type Request struct {
	Operation Operation
	Target    string
	Header    http.Header
	Body      []byte

	foreign  bool // an id in the path is another account's
	admitted bool // the document does not say no to the body
}

// request makes a request about a resource, "" for any, and returns the id of what it created.
func (w *Fuzzer) request(op Operation, about string) (made string, err error) {
	request, err := w.generate(op, about)
	if err != nil {
		return "", err
	}
	answer := w.config.Send(request)
	if answer == nil {
		return "", nil
	}
	if w.statuses[op.OperationID] == nil {
		w.statuses[op.OperationID] = map[int]int{}
	}
	w.statuses[op.OperationID][answer.Status]++
	if err = w.judge(request, answer); err == nil && answer.Status == http.StatusCreated && op.Makes != "" {
		made, err = w.remember(op.Makes, answer)
	}
	if err != nil {
		err = fmt.Errorf("%w\nrequest: %s %s %v\n%q\nanswer: %d %v\n%s", err, op.Method, request.Target, request.Header, request.Body,
			answer.Status, answer.Header, answer.Body)
	}
	return made, err
}

func (w *Fuzzer) judge(request *Request, answer *Answer) error {
	if err := w.document.Conforms(request.Operation.Method, request.Operation.Path, answer); err != nil {
		return err
	}
	switch {
	case answer.Status < 300 && request.foreign:
		return errors.New("answers about another account's resource")
	case answer.Status < 300 && !request.admitted:
		return errors.New("takes a body that the document does not admit")
	}
	return nil
}

// remember keeps some ids of what was made.
func (w *Fuzzer) remember(kind string, answer *Answer) (string, error) {
	var body object
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		return "", fmt.Errorf("read what was made: %w", err)
	}
	if data, ok := body["data"].(object); ok {
		body = data
	}
	if number, ok := body["phone_number_id"].(string); ok {
		w.Keep("phone_number", number)
	}
	for _, field := range []string{kind + "_id", "id", "document_id", "order_id"} {
		if id, ok := body[field].(string); ok {
			w.Keep(kind, id)
			return id, nil
		}
	}
	return "", errors.New("what was made has no id")
}

// Keep adds an id to those that requests are about. The first of a kind stays: it has everything about it.
func (w *Fuzzer) Keep(kind, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pool[kind] = append(w.pool[kind], id); len(w.pool[kind]) > keptIDs {
		w.pool[kind] = slices.Delete(w.pool[kind], 1, 2)
	}
}

func (w *Fuzzer) generate(op Operation, about string) (*Request, error) {
	request := &Request{Operation: op, Header: http.Header{}, admitted: true}
	request.Target = w.path(request, about) + w.query(op)
	if NeedsSession(op.Operation) {
		request.Header.Set("Cookie", w.config.Session())
	} else {
		request.Header.Set("Authorization", "Bearer "+w.config.Key)
	}
	for _, parameter := range op.Parameters {
		if parameter.In == "header" && w.chance(5) {
			request.Header.Set(parameter.Name, pick(w.generator,
				[]string{"a", "0", "-1", "\xff", "a\x00b", strings.Repeat("k", 255), strings.Repeat("k", 256), uuid.NewString()}))
		}
	}
	for _, name := range []string{"Accept", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
		"If-Unmodified-Since", "Accept-Encoding"} {
		if w.chance(60) {
			request.Header.Set(name, pick(w.generator, []string{"", "*/*", "application/json", "text/*;q=0", ";;;,", "bytes=0-1",
				"bytes=-1", "bytes=9-1,2-3", "gzip;q=x", "\"a\"", "*", "Sun, 06 Nov 1994 08:49:37 GMT", "Sat, 06 Nov 2094 08:49:37 GMT"}))
		}
	}
	if op.RequestBody == nil {
		return request, nil
	}
	return request, w.fill(request)
}

func (w *Fuzzer) path(request *Request, about string) string {
	kinds := request.Operation.Kinds
	at := -1
	return PathParameter.ReplaceAllStringFunc(request.Operation.Path, func(string) string {
		at++
		kind := kinds[at]
		switch {
		case w.chance(15):
			return url.PathEscape(pick(w.generator, []string{"x", "\x00", "\xff", "%", "..", "00000000-0000-0000-0000-000000000000",
				strings.Repeat("a", 3000), "{" + uuid.NewString() + "}"}))
		case w.chance(10) && w.config.Foreign(kind) != "":
			request.foreign = true
			return w.config.Foreign(kind)
		case about != "" && at == len(kinds)-1:
			return about
		case request.Operation.Method == http.MethodDelete && at == len(kinds)-1 && !w.chance(100):
			return w.spareID(kind)
		}
		return w.anyID(kind)
	})
}

func (w *Fuzzer) query(op Operation) string {
	query := url.Values{}
	for _, parameter := range op.Parameters {
		if parameter.In == "query" && w.chance(5) {
			query.Add(parameter.Name, queryText(w.value(parameter.Name, parameter.Schema, 0)))
		}
		if parameter.In == "query" && w.chance(60) {
			query.Add(parameter.Name, pick(w.generator, []string{"", "\x00", "\xff", "9223372036854775808", "-1", "1e3",
				strings.Repeat("q", 5000), "true", "null"}))
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
func (w *Fuzzer) fill(request *Request) error {
	if request.Operation.RequestBody.Content["multipart/form-data"] != nil {
		form, contentType, err := documentForm()
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", contentType)
		if request.Body = form; w.chance(3) {
			request.Body = w.garble(form)
		}
		return nil
	}
	request.Header.Set("Content-Type", "application/json")
	var body any = w.body(request.Operation)
	if w.chance(2) {
		for range 1 + w.IntN(2) {
			body = w.mutate(body)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode %v: %w", body, err)
	}
	if request.Body = text; w.chance(20) {
		request.Body = w.garble(text)
		return nil // its new meaning is unknown
	}
	if w.chance(100) {
		request.Header.Set("Content-Type", pick(w.generator,
			[]string{"text/plain", "application/json; charset=latin1", "application/xml", "multipart/form-data", ";"}))
	}
	sent, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	request.admitted = err == nil && w.document.Admits(request.Operation.Method, request.Operation.Path, sent) == nil
	return nil
}

// body is a body by and large as the document has it.
func (w *Fuzzer) body(op Operation) object {
	schema := w.document.Resolved(op.RequestBody.Content["application/json"].Schema)
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
func (w *Fuzzer) example(op Operation) object {
	body := Example(op.Operation)
	if op.OperationID == "create-assistant" || op.OperationID == "update-assistant" && w.chance(2) {
		body = WholeAssistant()
	}
	for name := range body {
		if kind := BodyKinds[name]; kind != "" {
			body[name] = w.anyID(kind)
		}
		if name == "phone_number" && w.chance(2) {
			body[name] = w.number()
		}
	}
	return body
}

// documentForm is the body of an upload.
func documentForm() (body []byte, contentType string, err error) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	if err := writer.WriteField("document_type", "proof-of-address"); err != nil {
		return nil, "", err
	}
	part, err := writer.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="a.pdf"`}, "Content-Type": {"application/pdf"},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := io.WriteString(part, "%PDF-1.7\n%%EOF\n"); err != nil {
		return nil, "", err
	}
	return form.Bytes(), writer.FormDataContentType(), writer.Close()
}
