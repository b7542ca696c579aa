package db

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// uuidValue is a uuid.UUID that pgx writes as the 16 bytes that Postgres takes. Without it an id goes over its text and
// database/sql's interfaces, at fifteen times the price: a list of a thousand costs more than most queries around it.
type uuidValue uuid.UUID

// UUIDValue implements pgtype.UUIDValuer.
func (v uuidValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: v, Valid: true}, nil
}

// registerUUID teaches a connection's types the short way.
func registerUUID(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapUUIDEncode}, types.TryWrapEncodePlanFuncs...)
}

func wrapUUIDEncode(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	if id, ok := value.(uuid.UUID); ok {
		return &uuidEncodePlan{}, uuidValue(id), true
	}
	return nil, nil, false
}

type uuidEncodePlan struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *uuidEncodePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *uuidEncodePlan) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(uuidValue(value.(uuid.UUID)), buf)
}

// UUIDOf returns the id of a column that may be null: then it is the zero one.
func UUIDOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
