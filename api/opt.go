package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// Opt is a field of a partial update: absent, null, or a value.
type Opt[T any] struct {
	Set   bool // the body has it
	Null  bool // it is null
	Value T

	nulls []string // the members of an object that are null
}

// UnmarshalJSON implements json.Unmarshaler; it is called only for fields that are in the body.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	if bytes.Equal(data, []byte("null")) {
		o.Null = true
		return nil
	}
	if data[0] == '{' {
		var members map[string]any
		if err := json.Unmarshal(data, &members); err != nil {
			return err
		}
		for name, value := range members {
			if value == nil {
				o.nulls = append(o.nulls, name)
			}
		}
	}
	return json.Unmarshal(data, &o.Value)
}

// Resolve implements huma.ResolverWithPath. Huma accepts null for every member of a value that may be null itself.
func (o *Opt[T]) Resolve(_ huma.Context, prefix *huma.PathBuffer) []error {
	var errs []error
	for _, name := range o.nulls {
		errs = append(errs, &huma.ErrorDetail{Location: prefix.With(name), Message: "must not be null"})
	}
	return errs
}

// Schema implements huma.SchemaProvider: the schema of the value, or null.
func (o Opt[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	schema.Nullable = true
	return &schema
}

// or returns the value, or before if the body does not have the field.
func (o Opt[T]) or(before T) T {
	if o.Set {
		return o.Value
	}
	return before
}

// pointer returns the new value of a nullable column, and reports whether it changes.
func (o Opt[T]) pointer() (value *T, set bool) {
	if !o.Set || o.Null {
		return nil, o.Set
	}
	return &o.Value, true
}

// value returns the value, or nil if it is null or absent.
func (o Opt[T]) value() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// OptionalID is an optional id in a query.
type OptionalID struct{ ID *uuid.UUID }

// Schema implements huma.SchemaProvider.
func (OptionalID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Format: "uuid"}
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *OptionalID) UnmarshalText(text []byte) error {
	id, err := uuid.ParseBytes(text)
	if err != nil {
		return errors.New("is not a UUID")
	}
	o.ID = &id
	return nil
}

// OptionalBool is an optional truth value in a query.
type OptionalBool struct {
	Value bool
	Given bool
}

// Schema implements huma.SchemaProvider.
func (OptionalBool) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

// Receiver implements huma.ParamWrapper.
func (o *OptionalBool) Receiver() reflect.Value { return reflect.ValueOf(&o.Value).Elem() }

// OnParamSet implements huma.ParamReactor.
func (o *OptionalBool) OnParamSet(given bool, _ any) { o.Given = given }

var _ huma.ResolverWithPath = (*Opt[string])(nil)
