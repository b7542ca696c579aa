package tools

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/client"
)

// idempotencyKey is the name that the header has as an argument.
const idempotencyKey = "idempotency_key"

// inputSchema is the JSON Schema of a tool's arguments. It stands alone: what the document refers to is in Defs.
type inputSchema struct {
	Type       string                     `json:"type"`
	Properties map[string]*huma.Schema    `json:"properties"`
	Required   []string                   `json:"required,omitempty"`
	Additional bool                       `json:"additionalProperties"`
	Defs       map[string]json.RawMessage `json:"$defs,omitempty"`

	document *huma.OpenAPI
}

func newSchema(document *huma.OpenAPI, op *client.Operation) *inputSchema {
	made := &inputSchema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, Defs: map[string]json.RawMessage{},
		document: document}
	for _, in := range op.Inputs {
		name := in.Name
		if in.In == client.InHeader {
			if name != client.IdempotencyHeader {
				continue
			}
			name = idempotencyKey
		}
		schema := *in.Schema
		if schema.Description == "" && schema.Ref == "" {
			schema.Description = in.Description
		}
		made.Properties[name] = &schema
		if in.Required {
			made.Required = append(made.Required, name)
		}
	}
	return made
}

const (
	componentPrefix = "#/components/schemas/"
	defsPrefix      = "#/$defs/"
)

var references = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// raw returns the schema as JSON.
func (s *inputSchema) raw() json.RawMessage {
	for _, property := range s.Properties {
		s.collect(mustEncode(property))
	}
	return local(mustEncode(s))
}

// collect adds to Defs what a schema refers to, and what that refers to.
func (s *inputSchema) collect(text []byte) {
	for _, found := range references.FindAllSubmatch(text, -1) {
		name := string(found[1])
		if _, there := s.Defs[name]; there {
			continue
		}
		schema := mustEncode(s.document.Components.Schemas.SchemaFromRef(componentPrefix + name))
		s.Defs[name] = schema
		s.collect(schema)
	}
}

// local has references point into the schema itself.
func local(text []byte) json.RawMessage {
	return json.RawMessage(strings.ReplaceAll(string(text), `"`+componentPrefix, `"`+defsPrefix))
}

// mustEncode encodes what a document holds, which was served as JSON before.
func mustEncode(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("a schema of the OpenAPI document: " + err.Error())
	}
	return text
}
