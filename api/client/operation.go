// Package client makes the requests that the OpenAPI document describes: it reads which operations there are and what
// they take, turns named arguments into a request, and sends it, again where that is safe. The command line and the tools of
// agents are made of it. It must not know what any operation means.
package client

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The places of an input in a request.
const (
	InPath   = "path"
	InQuery  = "query"
	InHeader = "header"
	InBody   = "body"
)

// Kind is how an input is written on a command line.
type Kind string

// The kinds of inputs. JSON is whatever is none of the others: objects, lists of objects, values of several types.
const (
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Strings Kind = "strings"
	JSON    Kind = "json"
	File    Kind = "file"
)

// IdempotencyHeader makes the repetition of a POST safe.
const IdempotencyHeader = "Idempotency-Key"

// The media types of bodies.
const (
	JSONType = "application/json"
	FormType = "multipart/form-data"
	CSVType  = "text/csv" // of answers
)

// Input is a parameter of an operation or a field of its body.
type Input struct {
	Name        string
	In          string
	Kind        Kind
	Description string
	Required    bool
	Loose       bool         // of kind JSON: it may be a text too
	Enum        []string     // the words that it may be; empty: any
	Schema      *huma.Schema // as the document has it
}

// Operation is one of the API.
type Operation struct {
	ID, Method, Path     string
	Summary, Description string
	Inputs               []Input // those of the path in their order, then the others by place and name
	BodyType             string  // media type; empty: it takes no body
	Paged                bool    // it answers with a list that has pages
	Binary               bool    // it answers with a file
	CSV                  bool    // it answers with CSV where its input format asks for that
}

// Idempotent reports whether the operation takes an Idempotency-Key.
func (o *Operation) Idempotent() bool {
	return slices.ContainsFunc(o.Inputs, func(in Input) bool { return in.In == InHeader && in.Name == IdempotencyHeader })
}

// Operations returns the operations of a document by their ids.
func Operations(document *huma.OpenAPI) map[string]*Operation {
	operations := map[string]*Operation{}
	for path, item := range document.Paths {
		for _, described := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if described != nil {
				operations[described.OperationID] = newOperation(document, path, described)
			}
		}
	}
	return operations
}

func newOperation(document *huma.OpenAPI, path string, described *huma.Operation) *Operation {
	made := &Operation{
		ID: described.OperationID, Method: described.Method, Path: path, Summary: described.Summary, Description: described.Description,
	}
	for _, parameter := range described.Parameters {
		made.add(document, parameter.Name, parameter.In, parameter.Description, parameter.Required, parameter.Schema)
	}
	made.addBody(document, described.RequestBody)
	slices.SortStableFunc(made.Inputs, func(a, b Input) int { return made.rank(a) - made.rank(b) })
	made.readAnswer(document, described.Responses)
	return made
}

// rank orders inputs: those of the path by their position in it, then the body's, the query's and the headers'.
func (o *Operation) rank(in Input) int {
	if in.In == InPath {
		return strings.Index(o.Path, "{"+in.Name+"}")
	}
	return len(o.Path) + slices.Index([]string{InBody, InQuery, InHeader}, in.In)
}

func (o *Operation) addBody(document *huma.OpenAPI, body *huma.RequestBody) {
	if body == nil {
		return
	}
	for _, mediaType := range []string{JSONType, FormType} {
		content := body.Content[mediaType]
		if content == nil {
			continue
		}
		o.BodyType = mediaType
		schema := resolve(document, content.Schema)
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			property := schema.Properties[name]
			if !property.ReadOnly {
				o.add(document, name, InBody, property.Description, slices.Contains(schema.Required, name), property)
			}
		}
		return
	}
}

func (o *Operation) add(document *huma.OpenAPI, name, in, description string, required bool, schema *huma.Schema) {
	resolved := resolve(document, schema)
	if description == "" {
		description = resolved.Description
	}
	made := Input{Name: name, In: in, Kind: kindOf(document, resolved), Description: description, Required: required, Schema: schema}
	made.Loose = made.Kind == JSON && resolved.Type == ""
	for _, word := range resolved.Enum {
		if text, ok := word.(string); ok {
			made.Enum = append(made.Enum, text)
		}
	}
	o.Inputs = append(o.Inputs, made)
}

// readAnswer finds out what a success looks like.
func (o *Operation) readAnswer(document *huma.OpenAPI, responses map[string]*huma.Response) {
	for status, response := range responses {
		if !strings.HasPrefix(status, "2") || response.Ref != "" {
			continue
		}
		content := response.Content[JSONType]
		o.Binary = o.Binary || content == nil && len(response.Content) > 0
		o.CSV = o.CSV || content != nil && response.Content[CSVType] != nil
		if content != nil && content.Schema != nil {
			list := resolve(document, content.Schema).Properties
			o.Paged = list["data"] != nil && list["pagination"] != nil
		}
	}
}

// resolve follows references, and takes the one that is not null of what may be null.
func resolve(document *huma.OpenAPI, schema *huma.Schema) *huma.Schema {
	for schema != nil && schema.Ref != "" {
		schema = document.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	if schema == nil {
		return &huma.Schema{}
	}
	others := slices.DeleteFunc(slices.Clone(schema.AnyOf), func(one *huma.Schema) bool { return one.Type == "null" })
	if schema.Type == "" && len(others) == 1 {
		return resolve(document, others[0])
	}
	return schema
}

func kindOf(document *huma.OpenAPI, schema *huma.Schema) Kind {
	switch schema.Type {
	case huma.TypeString:
		if schema.Format == "binary" {
			return File
		}
		return String
	case huma.TypeInteger:
		return Integer
	case huma.TypeNumber:
		return Number
	case huma.TypeBoolean:
		return Boolean
	case huma.TypeArray:
		if schema.Items != nil && resolve(document, schema.Items).Type == huma.TypeString {
			return Strings
		}
	}
	return JSON
}
