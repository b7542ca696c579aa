package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbtest"
)

// badInput calls every operation of the document with what it must refuse.
type badInput struct {
	server     *apitest.Server
	document   *apifuzz.Document
	operations []apifuzz.Operation
	owner      *tenant
	errors     *errorLog
}

func newBadInput(t *testing.T) *badInput {
	t.Helper()
	log := &errorLog{}
	server := apitest.NewOn(t, dbtest.Pool(t), func(a *api.API) { a.Logger, a.Websites = log.logger(), oneSiteReader() })
	owner := &tenant{server.Account.ID, server.Key, map[string]string{}}
	for kind := range usedKinds() {
		owner.id(t, server, kind)
	}
	document, operations := readDocument(t)
	return &badInput{server, document, operations, owner, log}
}

func (b *badInput) path(op apifuzz.Operation) string {
	at := -1
	return apifuzz.PathParameter.ReplaceAllStringFunc(op.Path, func(string) string {
		at++
		return b.owner.ids[op.Kinds[at]]
	})
}

// example is the document's example with the owner's ids.
func (b *badInput) example(op apifuzz.Operation) object {
	body := apifuzz.Example(op.Operation)
	for name := range body {
		if kind := apifuzz.BodyKinds[name]; kind != "" {
			body[name] = b.owner.ids[kind]
		}
	}
	return body
}

// refused makes a request and requires the documented error with the status; a 400 names the field, any one if it is "".
func (b *badInput) refused(t *testing.T, op apifuzz.Operation, target string, body any, status int, field, why string,
	headers ...string) {
	t.Helper()
	response := b.server.DoAs(t, b.owner.key, op.Method, target, body, headers...)
	what := fmt.Sprintf("%s: %s: %d %s %s", op.OperationID, why, response.Status, response.Body, b.errors)
	if err := b.document.Conforms(op.Method, op.Path, (*apifuzz.Answer)(response)); !assert.NoError(t, err, what) ||
		!assert.Equal(t, status, response.Status, what) {
		return
	}
	if status == http.StatusBadRequest {
		details := apitest.Decode[apitest.Error](t, response).Error.Details
		if field != "" {
			assert.Contains(t, details, field, what)
		}
		assert.NotEmpty(t, details, what)
	}
}

// Every field of every body refuses what its schema does, and the response names it.
func TestWrongFieldsAreNamed(t *testing.T) {
	t.Parallel()

	b := newBadInput(t)
	tried, operations := 0, b.operations
	samples := sampleFields(t, operations)
	for _, op := range operations {
		if apifuzz.Example(op.Operation) == nil {
			continue
		}
		for _, wrong := range b.wrongFields("", op.RequestBody.Content["application/json"].Schema, 0) {
			body := b.example(op)
			top, rest := wrong.field, ""
			if i := strings.IndexAny(top, ".["); i >= 0 {
				top, rest = top[:i], top[i:]
			}
			body[top] = wrong.within(body[top], samples[top], rest)
			if wrong.missing && rest == "" {
				delete(body, top)
			}
			b.refused(t, op, b.path(op), encoded(t, body), http.StatusBadRequest, wrong.field,
				fmt.Sprintf("%s %s", wrong.field, wrong.why))
			tried++
		}
	}
	require.Greater(t, tried, 500)
	t.Logf("%d wrong fields", tried)
}

// wrongField is a value that a field must not have.
type wrongField struct {
	field   string // as details name it
	value   any
	missing bool // the field is left out
	why     string
}

// within is a value that has the wrong one at the end of a field's name. Around it stands what is there, or the sample.
func (w wrongField) within(there, sample any, rest string) any {
	if there == nil {
		there = copied(sample)
	}
	if rest == "" {
		return w.value
	}
	if inner, found := strings.CutPrefix(rest, "[0]"); found {
		list, _ := there.([]any)
		if len(list) == 0 {
			return []any{w.within(nil, nil, inner)}
		}
		list[0] = w.within(list[0], nil, inner)
		return list
	}
	name := rest[1:]
	if i := strings.IndexAny(name, ".["); i >= 0 {
		name = name[:i]
	}
	members, _ := there.(object)
	if members == nil {
		members = object{}
	}
	members[name] = w.within(members[name], nil, rest[1+len(name):])
	if w.missing && len(rest) == 1+len(name) {
		delete(members, name)
	}
	return members
}

// sampleFields are objects and lists that the fields of examples have.
func sampleFields(t *testing.T, operations []apifuzz.Operation) object {
	t.Helper()
	samples := apifuzz.WholeAssistant()
	for _, op := range operations {
		for name, value := range apifuzz.Example(op.Operation) {
			if samples[name] == nil {
				samples[name] = value
			}
		}
	}
	return samples
}

func copied(value any) any {
	switch value := value.(type) {
	case object:
		made := object{}
		for name, inner := range value {
			made[name] = copied(inner)
		}
		return made
	case []any:
		made := make([]any, len(value))
		for i, inner := range value {
			made[i] = copied(inner)
		}
		return made
	}
	return value
}

func encoded(t *testing.T, body any) []byte {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return text
}

// wrongFields are the wrong values of a schema's properties, however deep.
func (b *badInput) wrongFields(prefix string, schema *huma.Schema, depth int) []wrongField {
	schema = b.document.Resolved(schema)
	var wrong []wrongField
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		field, property := prefix+name, schema.Properties[name]
		required := slices.Contains(schema.Required, name)
		if required {
			wrong = append(wrong, wrongField{field: field, missing: true, why: "is missing"})
		}
		if required && !property.Nullable && property.Ref == "" {
			wrong = append(wrong, wrongField{field: field, value: nil, why: "is null"})
		}
		wrong = append(wrong, b.wrongValues(field, property, depth)...)
	}
	if schema.AdditionalProperties == false {
		wrong = append(wrong, wrongField{field: prefix + "no_such_field", value: 1, why: "is unknown"})
	}
	return wrong
}

func (b *badInput) wrongValues(field string, schema *huma.Schema, depth int) []wrongField {
	schema = b.document.Resolved(schema)
	var wrong []wrongField
	add := func(why string, values ...any) {
		for _, value := range values {
			wrong = append(wrong, wrongField{field: field, value: value, why: why})
		}
	}
	switch schema.Type {
	case huma.TypeString:
		add("is no text", 5, true, []any{}, object{})
		add("holds NUL", "a\x00b")
		if schema.MinLength != nil && *schema.MinLength > 0 {
			add("is empty", "")
		}
		if schema.MaxLength != nil {
			add("is too long", strings.Repeat("a", *schema.MaxLength+1), strings.Repeat("é", *schema.MaxLength+1))
		}
		if len(schema.Enum) > 0 || schema.Format == "uuid" || schema.Format == "date-time" || schema.Format == "date" ||
			schema.Pattern != "" {
			add("is none of its kind", "no such", "00:0", "2026-13-41T00:00:00Z", "g192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11")
		}
	case huma.TypeInteger, huma.TypeNumber:
		add("is no number", "5", true, []any{}, object{})
		if schema.Type == huma.TypeInteger {
			add("is not whole", 1.5)
		}
		add("is larger than any", json.Number("1e400"))
		if schema.Minimum != nil {
			add("is too small", *schema.Minimum-1)
		}
		if schema.Maximum != nil {
			add("is too large", *schema.Maximum+1)
		}
	case huma.TypeBoolean:
		add("is no truth value", "true", 1, []any{}, object{})
	case huma.TypeArray:
		add("is no list", "a", 5, true, object{})
		if schema.MinItems != nil && *schema.MinItems > 0 {
			add("is empty", []any{})
		}
		if schema.MaxItems != nil {
			add("is too long", make([]any, *schema.MaxItems+1))
		}
		if depth < 4 {
			wrong = append(wrong, b.wrongValues(field+"[0]", schema.Items, depth+1)...)
		}
	case huma.TypeObject:
		add("is no object", "a", 5, true, []any{})
		if each, ok := schema.AdditionalProperties.(*huma.Schema); ok && each.Type == huma.TypeString {
			wrong = append(wrong, b.wrongValues(field+".name", each, depth+1)...)
		}
		if depth < 4 {
			wrong = append(wrong, b.wrongFields(field+".", schema, depth+1)...)
		}
	}
	return wrong
}

// Bodies that are no JSON object, or not only one, are refused by every operation that takes one.
func TestBrokenBodiesAreRefused(t *testing.T) {
	t.Parallel()

	b := newBadInput(t)
	for _, op := range b.operations {
		if apifuzz.Example(op.Operation) == nil {
			continue
		}
		whole := string(encoded(t, b.example(op)))
		first, _, _ := strings.Cut(whole[1:], ":")
		for why, body := range map[string]string{
			"nothing": "", "null": "null", "a list": "[]", "a number": "1", "a text": `"a"`, "cut": whole[:len(whole)-1],
			"followed by more": whole + "{}",
			"a name twice":     `{` + first + `:1,` + whole[1:], "invalid UTF-8": strings.Replace(whole, `{"`, "{\"\xff", 1),
			"NUL in a name":     `{"\u0000":1,` + whole[1:],
			"2,000 levels":      strings.Repeat(`{"a":`, 2_000) + "1" + strings.Repeat("}", 2_000), // 12 kB; who is signed out may send 16
			"10,000 open lists": strings.Repeat("[", 10_000), "a lone surrogate": `{"a":"\ud800",` + whole[1:],
		} {
			if why != "nothing" || op.RequestBody.Required {
				b.refused(t, op, b.path(op), body, http.StatusBadRequest, "", why)
			}
		}
		b.refused(t, op, b.path(op), strings.Repeat(" ", 1<<20)+whole, http.StatusRequestEntityTooLarge, "", "over 1 MiB")
		for _, contentType := range []string{"text/plain", "application/xml", "multipart/form-data"} {
			b.refused(t, op, b.path(op), whole, http.StatusUnsupportedMediaType, "", contentType, "Content-Type", contentType)
		}
		b.refusedUnread(t, op)
	}
}

// refusedUnread announces 3 GB, of which nothing is read.
func (b *badInput) refusedUnread(t *testing.T, op apifuzz.Operation) {
	t.Helper()
	body := &unread{}
	request := httptest.NewRequestWithContext(t.Context(), op.Method, b.path(op), body)
	request.ContentLength = 3 << 30
	request.Header.Set("Authorization", "Bearer "+b.owner.key)
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	b.server.Handler.ServeHTTP(recorder, request)
	assert.Equal(t, http.StatusRequestEntityTooLarge, recorder.Code, op.OperationID)
	assert.False(t, body.read, op.OperationID)
}

// unread is a body that notes whether it was read.
type unread struct{ read bool }

// Read implements io.Reader.
func (u *unread) Read(p []byte) (int, error) {
	u.read = true
	return len(p), nil
}

// Every parameter refuses what its schema does, and the response names it. A path that holds no id leads nowhere.
func TestWrongParametersAreNamed(t *testing.T) {
	t.Parallel()

	b := newBadInput(t)
	for _, op := range b.operations {
		if len(op.Security) == 0 { // whose path holds no id
			continue
		}
		var body any
		if apifuzz.Example(op.Operation) != nil {
			body = encoded(t, b.example(op))
		}
		b.refused(t, op, b.path(op)+"?no_such_parameter=1", body, http.StatusBadRequest, "no_such_parameter", "an unknown parameter")
		for _, parameter := range op.Parameters {
			switch parameter.In {
			case "query":
				for _, value := range wrongQuery(parameter.Schema) {
					target := b.path(op) + "?" + parameter.Name + "=" + value
					b.refused(t, op, target, body, http.StatusBadRequest, parameter.Name, target)
				}
			case "header":
				for _, value := range []string{"a\x00b", "\xff", strings.Repeat("k", 256)} {
					b.refused(t, op, b.path(op), body, http.StatusBadRequest, parameter.Name, parameter.Name, parameter.Name, value)
				}
			case "path":
				for _, value := range []string{"x", "%00", "%ff", "%2e%2e", "1", strings.Repeat("a", 4000),
					"00000000-0000-0000-0000-00000000000g"} {
					target := strings.Replace(op.Path, "{"+parameter.Name+"}", value, 1)
					target = apifuzz.PathParameter.ReplaceAllString(target, b.owner.ids["contact"])
					b.refused(t, op, target, body, http.StatusNotFound, "", target)
				}
			}
		}
	}
}

// wrongQuery are escaped values that a parameter of a query must not have.
func wrongQuery(schema *huma.Schema) []string {
	wrong := []string{"%00", "%ff"}
	switch {
	case schema.Type == huma.TypeInteger:
		wrong = append(wrong, "x", "1.5", "9223372036854775808", "-9223372036854775809", "1e3", "0x10", "1%20")
		if schema.Minimum != nil {
			wrong = append(wrong, fmt.Sprint(int64(*schema.Minimum)-1))
		}
		if schema.Maximum != nil {
			wrong = append(wrong, fmt.Sprint(int64(*schema.Maximum)+1))
		}
	case schema.Type == huma.TypeBoolean:
		wrong = append(wrong, "yes", "2", "nul")
	case schema.Format == "uuid", schema.Format == "date", schema.Format == "date-time", len(schema.Enum) > 0:
		wrong = append(wrong, "x", "2026-02-30", "00000000-0000-0000-0000-00000000000g")
	}
	if schema.MaxLength != nil {
		wrong = append(wrong, strings.Repeat("a", *schema.MaxLength+1))
	}
	return wrong
}

// A body of many wrong fields gets a response that one can read, and no longer than that.
func TestManyWrongFields(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/assistants",
		`{"assistant_name":"a","call_transfers":[`+strings.Repeat("{},", 5000)+`{}]}`)
	require.Len(t, details, 100)
}
