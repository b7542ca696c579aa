package dbfactory

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/packed"
)

// Messages returns what the events say that fulfil an SQL condition, in the order of their numbers, each read as a T.
func Messages[T any](tb testing.TB, tx dbsqlc.DBTX, condition string, args ...any) []T {
	tb.Helper()
	rows, err := tx.Query(tb.Context(),
		"SELECT coalesce(payload::text, encode(packed, 'base64')) FROM event WHERE "+condition+" ORDER BY sequence, position", args...)
	require.NoError(tb, err)
	messages, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (message T, err error) {
		var text string
		if err := row.Scan(&text); err != nil {
			return message, err
		}
		body, err := packed.Read(text)
		if err != nil {
			return message, err
		}
		return message, json.Unmarshal(body, &message)
	})
	require.NoError(tb, err)
	return messages
}

// Message returns what the only such event says.
func Message[T any](tb testing.TB, tx dbsqlc.DBTX, condition string, args ...any) T {
	tb.Helper()
	messages := Messages[T](tb, tx, condition, args...)
	require.Len(tb, messages, 1)
	return messages[0]
}

// Packed returns a message as event has it.
func Packed(tb testing.TB, body string) []byte {
	tb.Helper()
	message, err := packed.Pack([]byte(body))
	require.NoError(tb, err)
	return message
}
