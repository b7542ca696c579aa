package api

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// exampleDepth bounds examples of schemas that contain themselves.
const exampleDepth = 8

// addExamples gives every body an example: an operation's own where there is one, else one that is made from the schema and the
// examples of its fields.
func addExamples(document *huma.OpenAPI) {
	maker := &exampleMaker{document.Components.Schemas}
	for _, item := range document.Paths {
		for _, op := range operationsOf(item) {
			maker.complete(op)
		}
	}
	for _, item := range document.Webhooks {
		maker.complete(item.Post)
	}
}

func operationsOf(item *huma.PathItem) []*huma.Operation {
	all := []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete}
	return slices.DeleteFunc(all, func(op *huma.Operation) bool { return op == nil })
}

// exampleMaker makes examples of schemas.
type exampleMaker struct{ registry huma.Registry }

func (m *exampleMaker) complete(op *huma.Operation) {
	if op.RequestBody != nil {
		m.completeContent(op.OperationID, op.RequestBody.Content)
	}
	for _, response := range op.Responses {
		m.completeContent(op.OperationID+" response", response.Content)
	}
}

func (m *exampleMaker) completeContent(of string, content map[string]*huma.MediaType) {
	for mediaType, body := range content {
		if example, there := bodyExamples[of]; there {
			body.Example = example
		}
		if body.Example == nil && body.Schema != nil && strings.HasSuffix(mediaType, "json") {
			body.Example = m.example("", body.Schema, exampleDepth)
		}
	}
}

// example returns a value of the schema. name is the field that holds it.
func (m *exampleMaker) example(name string, schema *huma.Schema, depth int) any {
	if schema.Ref != "" {
		component := strings.TrimPrefix(schema.Ref, componentSchema)
		if value, there := schemaExamples[component]; there {
			return value
		}
		return m.example(name, m.registry.SchemaFromRef(schema.Ref), depth)
	}
	if len(schema.Enum) == 1 {
		return schema.Enum[0]
	}
	if value, there := fieldExamples[name]; there && fits(value, schema) {
		return value
	}
	if len(schema.Examples) > 0 {
		return schema.Examples[0]
	}
	if len(schema.AnyOf) > 0 {
		return m.example(name, schema.AnyOf[0], depth)
	}
	switch schema.Type {
	case huma.TypeObject:
		return m.object(schema, depth)
	case huma.TypeArray:
		return m.array(name, schema, depth)
	}
	return plainExample(schema)
}

func (m *exampleMaker) object(schema *huma.Schema, depth int) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		if depth > 0 && !property.WriteOnly {
			object[name] = m.example(name, property, depth-1)
		}
	}
	return object
}

func (m *exampleMaker) array(name string, schema *huma.Schema, depth int) any {
	if depth == 0 {
		return []any{}
	}
	return []any{m.example(strings.TrimSuffix(name, "s"), schema.Items, depth-1)}
}

// fits reports whether a value is of the schema's kind and one of its words: fields of one name may differ.
func fits(value any, schema *huma.Schema) bool {
	switch {
	case len(schema.Enum) > 0:
		return slices.Contains(schema.Enum, value)
	case len(schema.AnyOf) > 0:
		return value == nil
	}
	switch value := value.(type) {
	case nil:
		return schema.Nullable || schema.Type == ""
	case string:
		return schema.Type == huma.TypeString || schema.Type == ""
	case bool:
		return schema.Type == huma.TypeBoolean || schema.Type == ""
	case int:
		return schema.Type == huma.TypeInteger || schema.Type == huma.TypeNumber || schema.Type == ""
	case float64:
		return schema.Type == huma.TypeNumber || schema.Type == ""
	case []any:
		return schema.Type == huma.TypeArray || schema.Type == ""
	case map[string]any:
		lacks := func(name string) bool { _, has := value[name]; return !has }
		return (schema.Type == huma.TypeObject || schema.Type == "") && !slices.ContainsFunc(schema.Required, lacks)
	}
	return false
}

func plainExample(schema *huma.Schema) any {
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Default != nil:
		return schema.Default
	case schema.Type == huma.TypeBoolean:
		return true
	case schema.Type == huma.TypeInteger, schema.Type == huma.TypeNumber:
		if schema.Minimum != nil {
			return max(*schema.Minimum, 1)
		}
		return 1
	case schema.Format == "uuid":
		return exampleID
	case schema.Format == "date-time" || schema.Extensions["format"] == "date-time":
		return exampleTime
	case schema.Format == "uri":
		return "https://example.com"
	case schema.Type == huma.TypeString:
		return "text"
	}
	return map[string]any{}
}
