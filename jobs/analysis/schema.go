package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callwright/callwright/db/jsonb"
)

const (
	maxSchemaNodes = 2000
	maxDepth       = 64
	schemaURL      = "https://callwright.invalid/schema.json"
)

// Schema is a JSON Schema that answers are held against, with everything that it refers to written out. That bounds what
// a check can cost, and says it to models that do not follow references.
type Schema struct {
	compiled *jsonschema.Schema
	text     json.RawMessage
}

// CompileSchema reads a schema. One that refers to another document or, in the end, to itself is refused.
func CompileSchema(document map[string]any) (*Schema, error) {
	flat := flattener{root: document, left: maxSchemaNodes}
	whole, err := flat.schema(document, 0)
	if err != nil {
		return nil, err
	}
	compiler, used := jsonschema.NewCompiler(), patterns{}
	compiler.UseLoader(noDocuments{})
	compiler.UseRegexpEngine(used.compile)
	if err := compiler.AddResource(schemaURL, whole); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := compiler.Compile(schemaURL)
	if used.large {
		return nil, errLargePatterns
	}
	if err != nil {
		return nil, fmt.Errorf("is not a JSON Schema: %s", firstLines(err.Error()))
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return &Schema{compiled, text}, nil
}

// noDocuments keeps schemas from reading files and addresses.
type noDocuments struct{}

func (noDocuments) Load(string) (any, error) { return nil, errors.New("other documents are not read") }

var errLargePatterns = errors.New("has patterns that are together too large once their repetitions are written out")

// patterns are the regular expressions of a schema, which cost what those of a plan do. Each is compiled when it is checked, too.
type patterns struct {
	regexes jsonb.Regexes
	known   map[string]*regexp.Regexp
	large   bool
}

func (p *patterns) compile(pattern string) (jsonschema.Regexp, error) {
	if compiled := p.known[pattern]; compiled != nil {
		return compiled, nil
	}
	compiled, err := p.regexes.Compile(pattern, nil)
	if err != nil {
		p.large = p.large || errors.Is(err, jsonb.ErrLargeRegex)
		return nil, err //nolint:wrapcheck // the library says whose it is
	}
	if p.known == nil {
		p.known = map[string]*regexp.Regexp{}
	}
	p.known[pattern] = compiled
	return compiled, nil
}

// flattener writes out references.
type flattener struct {
	root map[string]any
	left int // nodes that it may still write
}

var (
	notSchemas = []string{"enum", "const", "default", "examples"}
	byName     = []string{"properties", "patternProperties", "dependentSchemas"}
	dropped    = []string{"$ref", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment"}
)

func (f *flattener) schema(node any, depth int) (any, error) {
	if f.left--; f.left < 0 || depth > maxDepth {
		return nil, errors.New("schema is too large, or refers to itself")
	}
	switch node := node.(type) {
	case map[string]any:
		return f.object(node, depth)
	case []any:
		return f.list(node, depth)
	}
	return node, nil
}

func (f *flattener) list(nodes []any, depth int) (any, error) {
	out := make([]any, len(nodes))
	for i, node := range nodes {
		var err error
		if out[i], err = f.schema(node, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *flattener) object(node map[string]any, depth int) (any, error) {
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		if node[keyword] != nil {
			return nil, fmt.Errorf("schema has %s, which is not supported", keyword)
		}
	}
	out := map[string]any{}
	for name, value := range node {
		var err error
		switch {
		case slices.Contains(dropped, name):
			continue
		case slices.Contains(notSchemas, name):
			out[name] = value
		case slices.Contains(byName, name):
			out[name], err = f.named(value, depth)
		default:
			out[name], err = f.schema(value, depth+1)
		}
		if err != nil {
			return nil, err
		}
	}
	reference, ok := node["$ref"].(string)
	if !ok {
		return out, nil
	}
	target, err := f.find(reference)
	if err != nil {
		return nil, err
	}
	whole, err := f.schema(target, depth+1)
	if err != nil || len(out) == 0 {
		return whole, err
	}
	also, _ := out["allOf"].([]any)
	out["allOf"] = append(slices.Clip(also), whole)
	return out, nil
}

// named writes out an object whose keys are names and not keywords.
func (f *flattener) named(value any, depth int) (any, error) {
	children, ok := value.(map[string]any)
	if !ok {
		return value, nil
	}
	out := maps.Clone(children)
	for name, child := range children {
		var err error
		if out[name], err = f.schema(child, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// find follows a JSON Pointer (RFC 6901) within the schema.
func (f *flattener) find(reference string) (any, error) {
	pointer, ok := strings.CutPrefix(reference, "#")
	pointer, err := url.PathUnescape(pointer)
	if !ok || err != nil || pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("schema refers to %q, which is not in it", reference)
	}
	var node any = f.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch parent := node.(type) {
		case map[string]any:
			node = parent[part]
		case []any:
			if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(parent) {
				node = parent[i]
				continue
			}
			node = nil
		default:
			node = nil
		}
	}
	if node == nil {
		return nil, fmt.Errorf("schema refers to %q, which is not in it", reference)
	}
	return node, nil
}

// read returns the value that a model's answer holds, and what is wrong with it.
func (s *Schema) read(answer string) (any, error) {
	value, err := jsonb.ReadJSON(unfenced(answer))
	if err != nil {
		return nil, fmt.Errorf("answer %w", err)
	}
	if err := s.compiled.Validate(value); err != nil {
		return nil, fmt.Errorf("answer does not follow its schema: %s", firstLines(err.Error()))
	}
	return value, nil
}

// unfenced takes off the ``` lines that models like to put around JSON.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(answer, "```"); ok {
		_, inner, _ = strings.Cut(inner, "\n")
		answer, _, _ = strings.Cut(inner, "```")
	}
	return answer
}

// firstLines returns enough of a validator's report to mend an answer by.
func firstLines(report string) string {
	lines := strings.Split(report, "\n")
	if len(lines) > 1 { // the first one only names our own schema
		lines = lines[1:]
	}
	return shortened(strings.Join(lines[:min(len(lines), 10)], " "), 600)
}

func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
