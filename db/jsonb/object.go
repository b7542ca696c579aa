package jsonb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Object is a free-form JSON object. Its numbers are float64 where that writes the digits that were read, and json.Number where
// it does not, so that an integer above 2^53 or a price of 1.10 stays as it is. Float reads both.
type Object map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(data []byte) error {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return fmt.Errorf("decode object: %w", err)
	}
	for name, value := range object {
		object[name] = exact(value)
	}
	*o = object
	return nil
}

// exact returns a value that was decoded with json.Number for its numbers.
func exact(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, err := value.Float64()
		if err != nil || writeFloat(number) != value.String() {
			return value
		}
		return number
	case []any:
		for i := range value {
			value[i] = exact(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = exact(value[name])
		}
	}
	return value
}

// writeFloat returns a number without an exponent, which encoding/json writes between 1e-6 and 1e21.
func writeFloat(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// Float returns a number of an Object.
func Float(value any) (float64, bool) {
	switch value := value.(type) {
	case float64:
		return value, true
	case json.Number:
		number, err := value.Float64()
		return number, err == nil
	}
	return 0, false
}
