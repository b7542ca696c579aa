package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Form is a way to store something that the version before cannot read. Every process reads it from the version on that knows it, and
// writes it when no process runs any more that does not, on a database that was in use not before a day after its migration. So
// versions run side by side, and those who upgrade may go back.
type Form int32

const (
	// PackedMessages are messages of events in event.packed, as package packed has them.
	PackedMessages Form = 1

	// ShortCalls name the version of their assistant's configuration in place of having it, and have a short timeline once they are over.
	ShortCalls Form = 2

	newestForm = ShortCalls
)

const formsKey = "forms" // among the custom data of a connection

// forms is the newest form that the connections of a pool write.
type forms struct{ newest atomic.Int32 }

// Writes reports whether what is written with tx is in the form. One of no pool that Open opened writes as the version before.
func Writes(tx pgx.Tx, form Form) bool {
	known, ok := tx.Conn().PgConn().CustomData()[formsKey].(*forms)
	return ok && int32(form) <= known.newest.Load()
}

// lookForForms looks which forms are written by now. A database that is not migrated to any has none.
func lookForForms(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("look for stored forms: %w", err)
	}
	defer conn.Release()
	newest, err := dbsqlc.New().StoredFormWritten(ctx, conn)
	if err != nil && !unknown(err) {
		return fmt.Errorf("look for stored forms: %w", err)
	}
	if known, ok := conn.Conn().PgConn().CustomData()[formsKey].(*forms); ok {
		known.newest.Store(newest)
	}
	return nil
}

// unknown reports whether a statement failed because the database is not migrated to it.
func unknown(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{pgerrcode.UndefinedTable, pgerrcode.UndefinedColumn}, said.Code)
}
