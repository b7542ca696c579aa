package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// What a body holds at most. A list of {} is named element by element, in words that are many times as long.
const (
	maxJSONDepth  = 64
	maxJSONTokens = 50_000 // names, values, and beginnings and ends
)

// jsonProblem is something that a body must not contain although encoding/json accepts it. Field is its location.
type jsonProblem struct{ Field, Message string }

// Error quotes the field, which may contain anything: Huma keeps only this text, and problemOf parses it.
func (p *jsonProblem) Error() string { return strconv.Quote(p.Field) + ": " + p.Message }

// problemOf returns the problem with this text, or nil if the text is another error's.
func problemOf(text string) *jsonProblem {
	quoted, _ := strconv.QuotedPrefix(text)
	message, found := strings.CutPrefix(text[len(quoted):], ": ")
	if field, err := strconv.Unquote(quoted); err == nil && found {
		return &jsonProblem{field, message}
	}
	return nil
}

// unmarshalJSON decodes a body. Huma decodes each body twice, into an any that it validates and into the struct; only
// the first time is checked. encoding/json takes the last of duplicate keys, replaces invalid UTF-8 and accepts NUL,
// which Postgres refuses: here all three are the caller's mistake.
func unmarshalJSON(data []byte, into any) error {
	if _, first := into.(*any); first {
		if err := checkJSON(data); err != nil {
			return err
		}
	}
	err := decodeBody(data, into)
	if _, first := into.(*any); err != nil && !first {
		decodeRest(data, into)
	}
	return err
}

// decodeRest decodes the fields of a body that can be, each for itself: where the schema refuses some, the rules are asked of the
// others.
func decodeRest(data []byte, into any) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return
	}
	for name, value := range fields {
		if one, err := json.Marshal(map[string]json.RawMessage{name: value}); err == nil {
			_ = json.Unmarshal(one, into) // the schema has refused the field
		}
	}
}

// decodeBody decodes a body that was validated, also where an integer is written with a fraction or an exponent, such as 600.0,
// which is an integer to JSON Schema. Free-form objects keep their digits unless there is such a number elsewhere in the body.
func decodeBody(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var wrongType *json.UnmarshalTypeError
	if !errors.As(err, &wrongType) || !strings.HasPrefix(wrongType.Value, "number ") {
		return readProblem(err)
	}
	plain, err := plainIntegers(data)
	if err != nil {
		return readProblem(err)
	}
	return readProblem(json.Unmarshal(plain, into))
}

// plainIntegers returns data with its whole numbers written as integers.
func plainIntegers(data []byte) ([]byte, error) {
	var plain bytes.Buffer
	decoder, encoder := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&plain)
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return plain.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read body: %w", err)
		}
		if token.Kind() == '0' {
			number, err := token.Float()
			if err == nil && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
				token = jsontext.Int(int64(number))
			}
		}
		if err := encoder.WriteToken(token); err != nil {
			return nil, fmt.Errorf("write body: %w", err)
		}
	}
}

// readProblem returns the error for what a struct could not hold, without the names of Go types. It is rare: Huma has
// validated the body.
func readProblem(err error) error {
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType):
		kind, _, _ := strings.Cut(wrongType.Value, " ")
		return &jsonProblem{cmp.Or(wrongType.Field, "body"), "takes no such " + kind}
	}
	return &jsonProblem{"body", "holds a value that cannot be read"}
}

func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return &jsonProblem{"body", "is not valid UTF-8"}
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	for tokens := 0; ; tokens++ {
		whole := tokens > 0 && decoder.StackDepth() == 0
		token, err := decoder.ReadToken()
		if whole && errors.Is(err, io.EOF) {
			return nil
		}
		if whole {
			return &jsonProblem{"body", "is not valid JSON: something follows its end"}
		}
		if err != nil {
			return syntaxProblem(err)
		}
		if decoder.StackDepth() > maxJSONDepth {
			return &jsonProblem{"body", fmt.Sprintf("is nested deeper than %d levels", maxJSONDepth)}
		}
		if tokens == maxJSONTokens {
			return &jsonProblem{"body", fmt.Sprintf("holds more than %d names and values", maxJSONTokens)}
		}
		switch token.Kind() {
		case '"':
			if strings.IndexByte(token.String(), 0) >= 0 {
				return &jsonProblem{fieldAt(decoder.StackPointer()), "contains a NUL character"}
			}
		case '0':
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return &jsonProblem{fieldAt(decoder.StackPointer()), "is a larger number than any that is taken"}
			}
		}
	}
}

// syntaxProblem returns an error of the decoder without the library's name and offsets.
func syntaxProblem(err error) *jsonProblem {
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &jsonProblem{"body", "is not valid JSON: it ends too early"}
	case !errors.As(err, &syntactic):
		return &jsonProblem{"body", "is not valid JSON: it cannot be read"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &jsonProblem{fieldAt(syntactic.JSONPointer), "has a name twice"}
	}
	return &jsonProblem{"body", "is not valid JSON: " + syntactic.Err.Error()}
}

// fieldAt returns a location as details name it: faqs[0].question.
func fieldAt(place jsontext.Pointer) string {
	var field bytes.Buffer
	for token := range place.Tokens() {
		if isIndex(token) {
			fmt.Fprintf(&field, "[%s]", token)
			continue
		}
		if field.Len() > 0 {
			field.WriteByte('.')
		}
		field.WriteString(token)
	}
	return cmp.Or(field.String(), "body")
}

func isIndex(token string) bool {
	for _, r := range token {
		if r < '0' || r > '9' {
			return false
		}
	}
	return token != ""
}
