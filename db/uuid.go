package db

import (
	"encoding/binary"
	"time"

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

// UUIDAt returns what all ids (UUIDv7) of an instant and later begin with: they are not below it, and those from before are.
func UUIDAt(at time.Time) uuid.UUID {
	var id uuid.UUID
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(at.UnixMilli()))
	copy(id[:6], milliseconds[2:])
	return id
}

// UUIDOf returns the id of a column that may be null: then it is the zero one.
func UUIDOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
