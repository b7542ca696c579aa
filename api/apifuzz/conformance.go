package apifuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Served returns the document, which is read once.
var Served = sync.OnceValues(Read)

// Delivery returns what the document has against the body of a webhook; nil: nothing.
func (d *Document) Delivery(body []byte) error {
	var event struct{ Message struct{ Type string } }
	if err := json.Unmarshal(body, &event); err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	return d.holds(body, "webhooks", event.Message.Type, "post", "requestBody", "content", "application/json", "schema")
}

// Body returns what the document has against the body of a response, in JSON, to a request for target; nil: nothing, or it does
// not describe the response.
func (d *Document) Body(method, target string, got *Answer) error {
	target, _, _ = strings.Cut(target, "?")
	path := d.route(target)
	if path == "" {
		return nil
	}
	op := OperationsOf(d.Paths[path])[method]
	if op == nil {
		return nil
	}
	status := strconv.Itoa(got.Status)
	place := []string{"paths", path, strings.ToLower(method), "responses", status}
	response := op.Responses[status]
	if response == nil {
		return nil
	}
	if name, found := strings.CutPrefix(response.Ref, "#/components/responses/"); found {
		response, place = d.Components.Responses[name], []string{"components", "responses", name}
	}
	mediaType, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type")) // none: JSON
	if response.Content["application/json"] == nil || mediaType != "application/json" && response.Content[mediaType] != nil {
		return nil
	}
	return d.holds(got.Body, append(place, "content", "application/json", "schema")...)
}

// route returns the path of the document that a path of a request is, with its prefix or without; empty: none. One without
// parameters goes first.
func (d *Document) route(target string) string {
	for _, prefix := range []string{"", "/v1"} {
		if d.Paths[prefix+target] != nil {
			return prefix + target
		}
	}
	for path, matches := range d.templates {
		if matches.MatchString(target) || matches.MatchString("/v1"+target) {
			return path
		}
	}
	return ""
}

// templatesOf returns what matches the paths with parameters, by these.
func templatesOf(document *huma.OpenAPI) map[string]*regexp.Regexp {
	templates := map[string]*regexp.Regexp{}
	for path := range document.Paths {
		if strings.Contains(path, "{") {
			templates[path] = regexp.MustCompile("^" + PathParameter.ReplaceAllString(path, "[^/]+") + "$")
		}
	}
	return templates
}

func (d *Document) holds(body []byte, place ...string) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	schema, err := d.schema(place...)
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(place, " "), err)
	}
	return nil
}

// Examples returns how many examples of bodies there are, and what is wrong with them: a body of JSON without one, or one that
// is not what the schema says.
func (d *Document) Examples() (count int, wrong []error) {
	check := func(content map[string]*huma.MediaType, place ...string) {
		body := content["application/json"]
		if body == nil {
			return
		}
		count++
		text, err := json.Marshal(body.Example)
		if err == nil && body.Example == nil {
			err = fmt.Errorf("%s has no example", strings.Join(place, " "))
		}
		if err == nil {
			err = d.holds(text, append(place, "content", "application/json", "schema")...)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	for group, items := range map[string]map[string]*huma.PathItem{"paths": d.Paths, "webhooks": d.Webhooks} {
		for path, item := range items {
			for method, op := range OperationsOf(item) {
				method = strings.ToLower(method)
				if op.RequestBody != nil {
					check(op.RequestBody.Content, group, path, method, "requestBody")
				}
				for status, response := range op.Responses {
					check(response.Content, group, path, method, "responses", status)
				}
			}
		}
	}
	for name, response := range d.Components.Responses {
		check(response.Content, "components", "responses", name)
	}
	return count, wrong
}
