package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/jsonb"
)

const (
	asReadDoc   = "As it was read: it cannot be changed here, and another value is 400."
	notChanging = "cannot be changed here; leave it out, or give it as it was read"
)

// AsRead is a field of an update that cannot be changed. A body may have it as it was read, so that what was read can be written
// back.
type AsRead struct{ text json.RawMessage }

// UnmarshalJSON implements json.Unmarshaler; it is called only for fields that are in the body.
func (r *AsRead) UnmarshalJSON(text []byte) error {
	r.text = bytes.Clone(text)
	return nil
}

// IsZero reports whether the body does not have the field.
func (r AsRead) IsZero() bool { return r.text == nil }

// Schema implements huma.SchemaProvider: any value, because it is compared with what is there.
func (AsRead) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Description: asReadDoc} }

// fieldsAsRead returns the fields of type AsRead that a body has, by their names.
func fieldsAsRead(body any) map[string]any {
	sent := map[string]any{}
	value := reflect.Indirect(reflect.ValueOf(body))
	for _, field := range reflect.VisibleFields(value.Type()) {
		if field.Type != reflect.TypeFor[AsRead]() {
			continue
		}
		if read := value.FieldByIndex(field.Index).Interface().(AsRead); !read.IsZero() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			sent[name] = read.text
		}
	}
	return sent
}

// refuseChanges adds the fields of sent that differ from the resource as it is shown.
func refuseChanges(wrong *apierror.Error, sent map[string]any, shown any) error {
	if len(sent) == 0 {
		return nil
	}
	given, err := asObject(sent)
	if err != nil {
		return err
	}
	current, err := asObject(shown)
	if err != nil {
		return err
	}
	for name, value := range given {
		if !reflect.DeepEqual(value, current[name]) {
			wrong.With(name, notChanging)
		}
	}
	return nil
}

func asObject(value any) (object jsonb.Object, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode object: %w", err)
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("decode object: %w", err)
	}
	return object, nil
}
