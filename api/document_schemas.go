package api

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// completeDocument adds what the handlers and their structs do not say. Nothing of it changes what Huma checks.
func completeDocument(document *huma.OpenAPI) {
	nameBody(document, "/v1/assistants/{assistant_id}", "AssistantUpdate",
		func(item *huma.PathItem) *huma.Operation { return item.Patch })
	nameBody(document, "/v1/assistants/{assistant_id}", "AssistantReplacement",
		func(item *huma.PathItem) *huma.Operation { return item.Put })
	completeSchemas(document)
	schemas := document.Components.Schemas.Map()
	maps.Copy(schemas, planSchemas())
	for _, name := range []string{"Assistant", "AssistantInput", "AssistantUpdate", "AssistantReplacement"} {
		referToPlans(schemas[name])
	}
	addWebhooks(document)
	addExamples(document)
}

// nameBody makes the schema of an operation's body a component.
func nameBody(document *huma.OpenAPI, path, name string, of func(*huma.PathItem) *huma.Operation) {
	content := of(document.Paths[path]).RequestBody.Content["application/json"]
	document.Components.Schemas.Map()[name] = content.Schema
	content.Schema = refTo(name)
}

// referToPlans has the free-form objects of an assistant refer to their full schemas. The references are extensions, which
// Huma writes and does not follow.
func referToPlans(assistant *huma.Schema) {
	null := &huma.Schema{Type: "null"}
	for field, name := range planComponents {
		property := assistant.Properties[field]
		property.AdditionalProperties = nil
		switch {
		case field == "voicemail_detection":
			word := &huma.Schema{Type: huma.TypeString}
			for _, mode := range detectionModes {
				word.Enum = append(word.Enum, mode)
			}
			property.Extensions = map[string]any{"anyOf": []*huma.Schema{word, refTo(name), null}}
		case property.Nullable:
			property.Extensions = map[string]any{"anyOf": []*huma.Schema{refTo(name), null}}
		default:
			property.Extensions = map[string]any{"$ref": componentSchema + name}
		}
	}
}

// completeSchemas adds to the schemas of responses what Huma leaves out: ids are UUIDs, and pointers may be null.
func completeSchemas(document *huma.OpenAPI) {
	registry := document.Components.Schemas
	for name, schema := range registry.Map() {
		of := registry.TypeFromRef(componentSchema + name)
		if of == nil { // a schema without a type
			continue
		}
		for _, field := range reflect.VisibleFields(of) {
			fieldName, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if property := schema.Properties[fieldName]; property != nil && options == "" {
				schema.Properties[fieldName] = completeSchema(property, field.Type)
			}
		}
	}
}

func completeSchema(property *huma.Schema, goType reflect.Type) *huma.Schema {
	pointer := goType.Kind() == reflect.Pointer
	if pointer {
		goType = goType.Elem()
	}
	if goType == reflect.TypeFor[uuid.UUID]() {
		property.Format = "uuid"
	}
	if !pointer {
		return property
	}
	if property.Ref != "" {
		return &huma.Schema{Description: property.Description, AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}}
	}
	property.Nullable = true
	if len(property.Enum) > 0 && !slices.Contains(property.Enum, nil) {
		property.Enum = append(slices.Clip(property.Enum), nil)
	}
	return property
}
