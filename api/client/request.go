package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Arguments are what an operation is called with.
type Arguments struct {
	Values map[string]json.RawMessage // by the name of the input; JSON, so that every number stays as it was written
	Files  map[string][]byte          // by the name of the input
	Body   json.RawMessage            // a whole body, in which Values replace fields; nil: none
}

// ArgumentError is an argument that no request can be made of.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }

// message is a request that can be sent several times.
type message struct {
	method, target string
	header         http.Header
	body           []byte
}

// prepare makes the request of an operation.
func (o *Operation) prepare(arguments Arguments) (*message, error) {
	made := &message{method: o.Method, header: http.Header{}}
	path, query, fields := o.Path, url.Values{}, map[string]json.RawMessage{}
	for _, in := range o.Inputs {
		value, given := arguments.Values[in.Name]
		switch {
		case !given && in.In == InPath:
			return nil, &ArgumentError{in.Name + " is required"}
		case !given:
		case in.In == InPath:
			path = strings.ReplaceAll(path, "{"+in.Name+"}", url.PathEscape(plain(value)))
		case in.In == InQuery:
			query.Set(in.Name, plain(value))
		case in.In == InHeader:
			made.header.Set(in.Name, plain(value))
		default:
			fields[in.Name] = value
		}
	}
	for name := range arguments.Values {
		if !slices.ContainsFunc(o.Inputs, func(in Input) bool { return in.Name == name }) {
			return nil, &ArgumentError{name + " is not an input of " + o.ID}
		}
	}
	if made.target = path; len(query) > 0 {
		made.target += "?" + query.Encode()
	}
	return made, o.write(made, fields, arguments)
}

// plain returns a value as it stands in a path, a query or a header.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// write gives the message its body.
func (o *Operation) write(made *message, fields map[string]json.RawMessage, arguments Arguments) (err error) {
	switch o.BodyType {
	case JSONType:
		made.header.Set("Content-Type", JSONType)
		made.body, err = mergeBody(arguments.Body, fields)
	case FormType:
		made.body, err = form(made.header, fields, arguments.Files)
	default:
		if arguments.Body != nil {
			return &ArgumentError{"this takes no body"}
		}
	}
	return err
}

// mergeBody sets fields in a body. A body without fields goes as it is.
func mergeBody(body json.RawMessage, fields map[string]json.RawMessage) ([]byte, error) {
	if body != nil && !json.Valid(body) {
		return nil, &ArgumentError{"the body is not JSON"}
	}
	if body != nil && len(fields) == 0 {
		return body, nil
	}
	whole := map[string]json.RawMessage{}
	if body != nil {
		if err := json.Unmarshal(body, &whole); err != nil || whole == nil {
			return nil, &ArgumentError{"the body is not a JSON object, so no fields can be set in it"}
		}
	}
	maps.Copy(whole, fields)
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	return text, nil
}

// form returns a multipart body. Fields come before files, as a server wants that reads files last.
func form(header http.Header, fields map[string]json.RawMessage, files map[string][]byte) ([]byte, error) {
	var text bytes.Buffer
	parts := multipart.NewWriter(&text)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := parts.WriteField(name, plain(fields[name])); err != nil {
			return nil, fmt.Errorf("write field: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part, err := parts.CreateFormFile(name, name)
		if err != nil {
			return nil, fmt.Errorf("write file: %w", err)
		}
		if _, err := part.Write(files[name]); err != nil {
			return nil, fmt.Errorf("write file: %w", err)
		}
	}
	if err := parts.Close(); err != nil {
		return nil, fmt.Errorf("end form: %w", err)
	}
	header.Set("Content-Type", parts.FormDataContentType())
	return text.Bytes(), nil
}

// request returns the message as a request to a server.
func (m *message) request(ctx context.Context, base string) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if m.body != nil {
		body = bytes.NewReader(m.body)
	}
	made, err := http.NewRequestWithContext(ctx, m.method, strings.TrimSuffix(base, "/")+m.target, body)
	if err != nil {
		return nil, &ArgumentError{fmt.Sprintf("no request can be made to %s: %v", base, err)}
	}
	made.Header = m.header.Clone()
	return made, nil
}
