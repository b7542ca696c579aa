package jsonb

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

const (
	maxJSONDepth  = 64
	maxJSONNumber = 40 // characters
)

// ReadJSON reads JSON from a source that is not trusted, such as a model, into a value that a jsonb column takes: no NUL, no half
// surrogates, nothing too deep and no number too large. Numbers are json.Number.
func ReadJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("is not JSON")
	}
	if decoder.More() {
		return nil, errors.New("is more than one JSON value")
	}
	return storable(value, 0)
}

func storable(value any, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("is nested too deeply")
	}
	var err error
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, "\x00", "\uFFFD"), nil
	case json.Number:
		if _, err := strconv.ParseFloat(value.String(), 64); err != nil || len(value) > maxJSONNumber {
			return nil, errors.New("has a number that is too large")
		}
	case []any:
		for i := range value {
			if value[i], err = storable(value[i], depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		clean := make(map[string]any, len(value))
		for name, inner := range value {
			if clean[strings.ReplaceAll(name, "\x00", "\uFFFD")], err = storable(inner, depth+1); err != nil {
				return nil, err
			}
		}
		return clean, nil
	}
	return value, nil
}
