package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

const (
	maxDepth   = 16
	maxExcerpt = 200 // runes
)

// schema is the part of JSON Schema that decides what the simplest instance is.
type schema struct {
	Type       json.RawMessage   `json:"type"` // a name or a list of names
	Enum       []json.RawMessage `json:"enum"`
	Const      json.RawMessage   `json:"const"`
	Properties properties        `json:"properties"`
	Items      *schema           `json:"items"`
	Minimum    *float64          `json:"minimum"`
	AnyOf      []schema          `json:"anyOf"`
	OneOf      []schema          `json:"oneOf"`
}

type properties map[string]schema

// fill returns the simplest JSON that follows a schema: every property, the first alternative, false, the smallest
// number, a list of one element, and words for text.
func fill(raw json.RawMessage, words string) (string, error) {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("read schema: %w", err)
	}
	if excerpt := []rune(words); len(excerpt) > maxExcerpt {
		words = string(excerpt[:maxExcerpt])
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s.instance(words, 0)); err != nil {
		return "", fmt.Errorf("write JSON: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}

func (s *schema) instance(words string, depth int) any {
	switch {
	case depth > maxDepth:
		return nil
	case len(s.Const) > 0:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return s.AnyOf[0].instance(words, depth+1)
	case len(s.OneOf) > 0:
		return s.OneOf[0].instance(words, depth+1)
	}
	switch s.typeName() {
	case "string":
		return words
	case "boolean":
		return false
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
	case "array":
		if s.Items == nil {
			return []any{}
		}
		return []any{s.Items.instance(words, depth+1)}
	case "null":
		return nil
	}
	object := make(map[string]any, len(s.Properties))
	for name, property := range s.Properties {
		object[name] = property.instance(words, depth+1)
	}
	return object
}

// typeName returns the type, the first one of a list, or "" if the schema has none.
func (s *schema) typeName() string {
	var name string
	var names []string
	if json.Unmarshal(s.Type, &name) == nil {
		return name
	}
	if json.Unmarshal(s.Type, &names) == nil && len(names) > 0 {
		return names[0]
	}
	return ""
}
