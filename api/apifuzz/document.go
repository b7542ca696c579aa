// Package apifuzz makes requests to the API from its OpenAPI document, valid ones and hostile ones, and judges the answers by it.
//
// It knows the document. It must not know how requests are sent, nor what the API does with them.
package apifuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/callwright/callwright/api"
)

// Document is the OpenAPI document as its readers have it. It is safe for concurrent use. It is held against JSON Schema 2020-12
// by a validator that is not the one which checks requests.
type Document struct {
	*huma.OpenAPI
	compiler  *jsonschema.Compiler
	templates map[string]*regexp.Regexp // of paths with parameters, by these

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema // by their place in the document
}

const resourceName = "openapi.json"

// Read returns the document.
func Read() (*Document, error) {
	text, err := api.OpenAPIYAML()
	if err != nil {
		return nil, err
	}
	var parsed any
	if err := yaml.Unmarshal(text, &parsed); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	if text, err = json.Marshal(parsed); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: checkTime})
	if err := compiler.AddResource(resourceName, resource); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	document := api.Document()
	return &Document{OpenAPI: document, compiler: compiler, templates: templatesOf(document),
		schemas: map[string]*jsonschema.Schema{}}, nil
}

// isoTime is ISO 8601 as far as the API reads it, of which RFC 3339 is a part.
var isoTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$`)

// checkTime stands for date-time: in bodies the document names this format for the sake of clients, and says in words that it
// takes the other forms of ISO 8601 too.
func checkTime(value any) error {
	if text, is := value.(string); is && !isoTime.MatchString(text) {
		return fmt.Errorf("%q is no time of ISO 8601", text)
	}
	return nil
}

// schema is what stands at a place of the document, given by the names that lead there.
func (d *Document) schema(names ...string) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var place strings.Builder
	for _, name := range names {
		place.WriteString("/" + escape.Replace(name))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema := d.schemas[place.String()]; schema != nil {
		return schema, nil
	}
	schema, err := d.compiler.Compile(resourceName + "#" + place.String())
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", place.String(), err)
	}
	d.schemas[place.String()] = schema
	return schema, nil
}

// Admits reports what the document has against a body of a request. Null for a field that may be left out is as if it
// were.
func (d *Document) Admits(method, path string, body any) error {
	schema, err := d.schema("paths", path, strings.ToLower(method), "requestBody", "content", "application/json", "schema")
	if err != nil || schema.Validate(body) == nil {
		return err
	}
	op := OperationsOf(d.Paths[path])[method]
	return schema.Validate(d.withoutNulls(body, op.RequestBody.Content["application/json"].Schema))
}

func (d *Document) withoutNulls(value any, schema *huma.Schema) any {
	schema = d.Resolved(schema)
	switch value := value.(type) {
	case object:
		kept := object{}
		for name, inner := range value {
			property := schema.Properties[name]
			switch {
			case property == nil:
				kept[name] = inner
			case inner != nil || slices.Contains(schema.Required, name):
				kept[name] = d.withoutNulls(inner, property)
			}
		}
		return kept
	case []any:
		kept := slices.Clone(value)
		for i, inner := range kept {
			if schema.Items != nil {
				kept[i] = d.withoutNulls(inner, schema.Items)
			}
		}
		return kept
	}
	return value
}

// Resolved returns the schema that a reference, or a choice between one and null, leads to.
func (d *Document) Resolved(schema *huma.Schema) *huma.Schema {
	for _, choice := range schema.AnyOf {
		if choice.Type != "null" {
			return d.Resolved(choice)
		}
	}
	if schema.Ref != "" {
		return d.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Conforms returns an error if a response is a failure of ours, or not what the document says about the operation.
func (d *Document) Conforms(method, path string, got *Answer) error {
	noWorker := got.Status == http.StatusServiceUnavailable && bytes.Contains(got.Body, []byte(`"no_worker"`))
	if got.Status >= 500 && got.Status != http.StatusBadGateway && got.Status != http.StatusGatewayTimeout && !noWorker {
		return fmt.Errorf("a failure of ours: %d", got.Status)
	}
	status := strconv.Itoa(got.Status)
	op := OperationsOf(d.Paths[path])[method]
	response := op.Responses[status]
	if response == nil {
		return fmt.Errorf("status %s is not documented", status)
	}
	place := []string{"paths", path, strings.ToLower(method), "responses", status}
	if name, found := strings.CutPrefix(response.Ref, "#/components/responses/"); found {
		response, place = d.Components.Responses[name], []string{"components", "responses", name}
	}
	for name := range response.Headers {
		// A body that is announced too large is refused before anybody looks at the key.
		counted := len(op.Security) > 0 && got.Status != http.StatusRequestEntityTooLarge
		always := name == "X-Request-Id" || counted && strings.HasPrefix(name, "X-RateLimit-")
		if always && got.Header.Get(name) == "" {
			return fmt.Errorf("no header %s", name)
		}
	}
	if len(response.Content) == 0 {
		if len(got.Body) > 0 {
			return errors.New("a body where there is none")
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil || response.Content[mediaType] == nil {
		return fmt.Errorf("media type %q is not documented", got.Header.Get("Content-Type"))
	}
	if mediaType != "application/json" {
		return nil
	}
	return d.bodyConforms(got, append(place, "content", mediaType, "schema")...)
}

func (d *Document) bodyConforms(got *Answer, place ...string) error {
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.Body))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	schema, err := d.schema(place...)
	if err != nil {
		return err
	}
	if err := schema.Validate(body); err != nil {
		return err
	}
	if got.Status != http.StatusBadRequest {
		return nil
	}
	var refusal struct {
		Error struct {
			Code    string            `json:"code"`
			Details map[string]string `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(got.Body, &refusal); err != nil {
		return err
	}
	if refusal.Error.Code == "invalid_request" && len(refusal.Error.Details) == 0 {
		return errors.New("400 invalid_request names no field")
	}
	return nil
}
