package jsonb

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/nyaruka/phonenumbers"
)

const (
	maxTools             = 64
	maxToolDescription   = 10_000
	maxToolMessage       = 1000
	defaultToolDelay     = 10 * time.Second
	maxToolServerSeconds = 20
	maxToolHeader        = 4 << 10
)

var (
	toolName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	fieldName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]{1,200}$") // RFC 9110
)

// toolReader collects tools.
type toolReader struct {
	wrong  func(path, why string)
	tools  []Tool
	names  map[string]bool // of functions
	failed bool            // since add began
}

func (r *toolReader) refuse(path, why string) {
	r.failed = true
	r.wrong(path, why)
}

func (r *toolReader) add(path string, item any) {
	fields, ok := item.(map[string]any)
	if !ok {
		r.wrong(path, "is not an object")
		return
	}
	if len(r.tools) == maxTools {
		r.wrong(path, fmt.Sprintf("is more than %d tools", maxTools))
		return
	}
	r.failed = false
	tool := Tool{Kind: r.kind(path, fields), Path: path, Configured: fields}
	switch tool.Kind {
	case ToolFunction:
		r.function(path, fields, &tool)
	case ToolTransfer:
		r.destinations(path, fields, &tool)
	}
	if tool.Kind != "" && !r.failed {
		r.tools = append(r.tools, tool)
	}
}

// kind is empty for types that are not used.
func (r *toolReader) kind(path string, fields map[string]any) ToolKind {
	name, given := fields["type"].(string)
	switch name {
	case "function":
		return ToolFunction
	case "endCall", "end_call":
		return ToolEndCall
	case "transferCall", "transfer_call":
		return ToolTransfer
	case "dtmf", "sendDigits", "send_digits":
		return ToolDigits
	case "query":
		return ToolKnowledge
	}
	switch {
	case given && name != "":
		return ""
	case fields["type"] != nil && !given:
		r.refuse(path+".type", "is not a string")
		return ""
	}
	return ToolFunction // a bare function has no type
}

func (r *toolReader) function(path string, fields map[string]any, tool *Tool) {
	described, inner := fields, path
	if nested, ok := fields["function"].(map[string]any); ok {
		described, inner = nested, path+".function"
	}
	tool.Name = r.text(inner, described, "name", 64)
	switch {
	case !toolName.MatchString(tool.Name):
		r.refuse(inner+".name", "has not 1 to 64 of the characters A-Z, a-z, 0-9, _ and -")
	case r.names[tool.Name]:
		r.refuse(inner+".name", "is the name of another function too")
	}
	r.names[tool.Name] = true
	tool.Description = r.text(inner, described, "description", maxToolDescription)
	tool.Parameters = r.parameters(inner, described["parameters"])
	tool.Async = r.flag(path, fields, "async")
	tool.Server = r.server(path, fields["server"])
	r.messages(path, fields["messages"], tool)
}

// parameters is any object where none are described.
func (r *toolReader) parameters(path string, value any) json.RawMessage {
	if value == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	schema, ok := value.(map[string]any)
	if kind := schema["type"]; !ok || kind != nil && kind != "object" {
		r.refuse(path+".parameters", "is not the JSON Schema of an object")
		return nil
	}
	if schema["type"] == nil { // servers of models insist on it
		schema = maps.Clone(schema)
		schema["type"] = "object"
	}
	text, err := json.Marshal(schema)
	if err != nil { // it came from JSON
		r.refuse(path+".parameters", "is not JSON")
	}
	return text
}

func (r *toolReader) server(path string, value any) *ToolServer {
	if value == nil {
		return nil
	}
	path += ".server"
	fields, ok := value.(map[string]any)
	if !ok {
		r.refuse(path, "is not an object")
		return nil
	}
	server := &ToolServer{URL: r.text(path, fields, "url", 2048), Headers: map[string]string{},
		Timeout: maxToolServerSeconds * time.Second}
	target, err := url.Parse(server.URL)
	if err != nil || target.Scheme != "https" && target.Scheme != "http" || target.Host == "" || target.User != nil {
		r.refuse(path+".url", "is not an absolute http or https URL")
	}
	if fields["secret"] != nil {
		r.refuse(path+".secret", "is not taken here: the secret of the assistant's server, else your account's, signs")
	}
	seconds := planValue(fields, "timeoutSeconds")
	if number, ok := Float(seconds); seconds != nil && (!ok || number < 1 || number > maxToolServerSeconds) {
		r.refuse(path+".timeoutSeconds", fmt.Sprintf("is not a number from 1 to %d", maxToolServerSeconds))
	} else if ok {
		server.Timeout = time.Duration(number * float64(time.Second))
	}
	headers, ok := fields["headers"].(map[string]any)
	if fields["headers"] != nil && !ok {
		r.refuse(path+".headers", "is not an object")
	}
	for name := range headers {
		value := r.text(path+".headers", headers, name, maxToolHeader)
		if !fieldName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			r.refuse(path+".headers", fmt.Sprintf("%q is not a header", name))
		}
		server.Headers[name] = value
	}
	return server
}

func (r *toolReader) messages(path string, value any, tool *Tool) {
	list, ok := value.([]any)
	if value != nil && !ok {
		r.refuse(path+".messages", "is not an array")
	}
	for i, item := range list {
		at := fmt.Sprintf("%s.messages[%d]", path, i)
		fields, ok := item.(map[string]any)
		if !ok {
			r.refuse(at, "is not an object")
			continue
		}
		message := ToolMessage{When: r.text(at, fields, "type", 100), Content: r.text(at, fields, "content", maxToolMessage),
			After: defaultToolDelay}
		switch message.When {
		case ToolStart, ToolDelayed, ToolComplete, ToolFailed:
		default:
			r.refuse(at+".type", fmt.Sprintf("is not one of %q", []string{ToolStart, ToolDelayed, ToolComplete, ToolFailed}))
		}
		delay := planValue(fields, "timingMilliseconds")
		if number, ok := Float(delay); delay != nil && (!ok || number < 100 || number > 120_000) {
			r.refuse(at+".timingMilliseconds", "is not a number from 100 to 120000")
		} else if ok {
			message.After = time.Duration(number * float64(time.Millisecond))
		}
		message.Hint = r.text(at, fields, "role", 100) == "system"
		message.EndCall = r.flag(at, fields, "endCallAfterSpokenEnabled")
		if conditions, _ := fields["conditions"].([]any); len(conditions) == 0 && message.Content != "" { // conditions are not weighed
			tool.Messages = append(tool.Messages, message)
		}
	}
}

func (r *toolReader) destinations(path string, fields map[string]any, tool *Tool) {
	path += ".destinations"
	list, _ := fields["destinations"].([]any)
	if len(list) == 0 {
		r.refuse(path, "names no destination")
	}
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		to, ok := item.(map[string]any)
		if !ok {
			r.refuse(at, "is not an object")
			continue
		}
		tool.Destinations = append(tool.Destinations, r.destination(at, to))
	}
}

func (r *toolReader) destination(path string, to map[string]any) ToolDestination {
	target := r.target(path, to)
	return ToolDestination{
		Name: cmp.Or(r.text(path, to, "name", 100), target), Description: r.text(path, to, "description", maxToolMessage),
		Target: target, Message: r.text(path, to, "message", maxToolMessage),
		Plan: r.transferPlan(path+".transferPlan", planValue(to, "transferPlan")),
	}
}

// ReadDestination reads where a call is to go, written as in a transfer tool.
func ReadDestination(to map[string]any) (ToolDestination, error) {
	var err error
	reader := &toolReader{wrong: func(path, why string) { err = errors.Join(err, fmt.Errorf("%s %s", path, why)) }}
	return reader.destination("destination", to), err
}

func (r *toolReader) target(path string, to map[string]any) string {
	for _, name := range []string{"number", "phoneNumber", "phone_number"} {
		if to[name] == nil {
			continue
		}
		number, err := phonenumbers.Parse(r.text(path, to, name, 64), "")
		if err != nil || number.GetExtension() != "" || !phonenumbers.IsPossibleNumber(number) {
			r.refuse(path+"."+name, "is not a phone number in E.164, such as +31612345678")
			return ""
		}
		return phonenumbers.Format(number, phonenumbers.E164)
	}
	for _, name := range []string{"sipUri", "sip_uri"} {
		if to[name] == nil {
			continue
		}
		uri, err := ReadSIPURI(r.text(path, to, name, maxSIPURI))
		if err != nil {
			r.refuse(path+"."+name, "is not a SIP URI that can be called: it "+err.Error())
			return ""
		}
		return uri.String()
	}
	r.refuse(path, "has neither number nor sipUri")
	return ""
}

// text reads a string; one that is not there is empty.
func (r *toolReader) text(path string, fields map[string]any, name string, length int) string {
	value := planValue(fields, name)
	text, ok := value.(string)
	switch {
	case value != nil && !ok:
		r.refuse(path+"."+name, "is not a string")
	case len(text) > length && len([]rune(text)) > length:
		r.refuse(path+"."+name, fmt.Sprintf("is longer than %d characters", length))
	}
	return text
}

func (r *toolReader) flag(path string, fields map[string]any, name string) bool {
	value := planValue(fields, name)
	flag, ok := value.(bool)
	if value != nil && !ok {
		r.refuse(path+"."+name, "is not true or false")
	}
	return flag
}
