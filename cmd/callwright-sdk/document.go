package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const componentSchema = "#/components/schemas/"

// document is what is read of the OpenAPI document.
type document struct {
	Paths      map[string]map[string]*operation
	Webhooks   map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	ID                   string `yaml:"operationId"`
	Summary, Description string
	Parameters           []*parameter
	RequestBody          *content `yaml:"requestBody"`
	Responses            map[string]*content

	Method, Path string
	doc          *document
}

type content struct {
	Required bool
	Content  map[string]struct{ Schema *schema }
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                *schema
}

type schema struct {
	Ref                  string `yaml:"$ref"`
	Type                 words
	Enum                 []any
	Const                any
	Format, Description  string
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties *open     `yaml:"additionalProperties"`
	AnyOf                []*schema `yaml:"anyOf"`
	OneOf                []*schema `yaml:"oneOf"`
	AllOf                []*schema `yaml:"allOf"`
}

// words is a type or a list of types.
type words []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*w = words{node.Value}
		return nil
	}
	return node.Decode((*[]string)(w))
}

// open is what additionalProperties says: a schema, or whether there may be any.
type open struct {
	allowed bool
	schema  *schema
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (o *open) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&o.allowed)
	}
	o.allowed = true
	return node.Decode(&o.schema)
}

func read(path string) (*document, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	doc := &document{}
	if err := yaml.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("parse document: %w", err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.Method, op.Path, op.doc = strings.ToUpper(method), path, doc
		}
	}
	return doc, nil
}

// Operations returns those that are requests with a response, by name. A stream is none: it is written by hand.
func (d *document) Operations() []*operation {
	var all []*operation
	for _, methods := range d.Paths {
		for _, op := range methods {
			if _, stream := op.success().Content["text/event-stream"]; !stream {
				all = append(all, op)
			}
		}
	}
	slices.SortFunc(all, func(a, b *operation) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// success returns the first response with a status of 200 and more.
func (op *operation) success() *content {
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if strings.HasPrefix(status, "2") {
			return op.Responses[status]
		}
	}
	return &content{}
}

func (op *operation) in(place string) []*parameter {
	var found []*parameter
	for _, parameter := range op.Parameters {
		if parameter.In == place {
			found = append(found, parameter)
		}
	}
	return found
}

// PathParameters returns the parameters in the path, in their order there.
func (op *operation) PathParameters() []*parameter {
	found := op.in("path")
	slices.SortFunc(found, func(a, b *parameter) int {
		return strings.Index(op.Path, "{"+a.Name+"}") - strings.Index(op.Path, "{"+b.Name+"}")
	})
	return found
}

// Query returns the parameters in the query.
func (op *operation) Query() []*parameter { return op.in("query") }

// Creates reports whether the request takes an Idempotency-Key.
func (op *operation) Creates() bool { return op.Method == http.MethodPost }

// Body returns the schema of a JSON body, or nil.
func (op *operation) Body() *schema { return op.body("application/json") }

// Upload returns the schema of a multipart body, or nil.
func (op *operation) Upload() *schema { return op.body("multipart/form-data") }

func (op *operation) body(media string) *schema {
	if op.RequestBody == nil {
		return nil
	}
	return op.RequestBody.Content[media].Schema
}

// Result returns the schema of a JSON response, or nil.
func (op *operation) Result() *schema { return op.success().Content["application/json"].Schema }

// Binary reports whether the response is a file.
func (op *operation) Binary() bool { return op.Result() == nil && len(op.success().Content) > 0 }

// Item returns the schema of the entries of a list, or nil.
func (op *operation) Item() *schema {
	list := op.doc.resolve(op.Result())
	if list == nil || list.Properties["data"] == nil || list.Properties["pagination"] == nil {
		return nil
	}
	return list.Properties["data"].Items
}

// Cursor reports whether a list is followed by cursors.
func (op *operation) Cursor() bool {
	return slices.ContainsFunc(op.Query(), func(p *parameter) bool { return p.Name == "cursor" })
}

func (d *document) resolve(s *schema) *schema {
	if s != nil && s.Ref != "" {
		return d.Components.Schemas[s.Name()]
	}
	return s
}

// Name returns the name of the component that a schema refers to, or "".
func (s *schema) Name() string { return strings.TrimPrefix(s.Ref, componentSchema) }

// Keys returns the names of the properties.
func (s *schema) Keys() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// Needs reports whether a property is always there.
func (s *schema) Needs(property string) bool { return slices.Contains(s.Required, property) }

// message is a kind of event: the word in its type, and the component that describes what is in the member "message".
type message struct{ Type, Schema string }

// Messages returns the kinds of events that the document describes as webhooks, by type.
func (d *document) Messages() ([]message, error) {
	var found []message
	for _, name := range slices.Sorted(maps.Keys(d.Webhooks)) {
		for _, op := range d.Webhooks[name] {
			body := d.resolve(op.body("application/json"))
			if body == nil || body.Properties["message"] == nil || body.Properties["message"].Ref == "" {
				return nil, fmt.Errorf("webhook %s: its body has no message that is a component", name)
			}
			described := body.Properties["message"]
			word := d.word(described)
			if word == "" {
				return nil, fmt.Errorf("webhook %s: the type of its message is no constant", name)
			}
			found = append(found, message{word, described.Name()})
		}
	}
	slices.SortFunc(found, func(a, b message) int { return strings.Compare(a.Type, b.Type) })
	return found, nil
}

// word returns the constant that the type of a message is, or "".
func (d *document) word(s *schema) string {
	s = d.resolve(s)
	if s == nil {
		return ""
	}
	if kind := s.Properties["type"]; kind != nil {
		if text, is := kind.Const.(string); is {
			return text
		}
		if len(kind.Enum) == 1 {
			return fmt.Sprint(kind.Enum[0])
		}
	}
	for _, part := range s.AllOf {
		if word := d.word(part); word != "" {
			return word
		}
	}
	return ""
}
