package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const maxJSONDepth = 64

// jsonProblem is something that a body must not contain although encoding/json would take it. Field is where.
type jsonProblem struct{ Field, Message string }

func (p *jsonProblem) Error() string { return p.Field + ": " + p.Message }

// unmarshalJSON reads a body. Huma reads each body twice, into an any that it validates and into the struct; the checks
// are made the first time. encoding/json takes the last of duplicate keys, replaces bad UTF-8 and lets NUL pass, which
// Postgres then refuses: here all three are the caller's mistake.
func unmarshalJSON(data []byte, into any) error {
	if _, first := into.(*any); first {
		if err := checkJSON(data); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, into)
}

func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return &jsonProblem{"body", "is not valid UTF-8"}
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return &jsonProblem{fieldAt(decoder), "has a name twice"}
		}
		if err != nil {
			return &jsonProblem{"body", "is not valid JSON: " + jsonReason(err)}
		}
		if decoder.StackDepth() > maxJSONDepth {
			return &jsonProblem{"body", fmt.Sprintf("is nested deeper than %d levels", maxJSONDepth)}
		}
		if token.Kind() == '"' && bytes.IndexByte([]byte(token.String()), 0) >= 0 {
			return &jsonProblem{fieldAt(decoder), "contains a NUL character"}
		}
	}
}

// jsonReason is the syntax error without the library's name and offsets.
func jsonReason(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) && syntactic.Err != nil {
		return syntactic.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return "it cannot be read"
}

// fieldAt is the place that the decoder is at, as details name it: faqs[0].question.
func fieldAt(decoder *jsontext.Decoder) string {
	var field bytes.Buffer
	for token := range decoder.StackPointer().Tokens() {
		if isIndex(token) {
			fmt.Fprintf(&field, "[%s]", token)
			continue
		}
		if field.Len() > 0 {
			field.WriteByte('.')
		}
		field.WriteString(token)
	}
	if field.Len() == 0 {
		return "body"
	}
	return field.String()
}

func isIndex(token string) bool {
	for _, r := range token {
		if r < '0' || r > '9' {
			return false
		}
	}
	return token != ""
}
