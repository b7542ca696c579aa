package db

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"
)

func TestUUIDsTravelAsBytes(t *testing.T) {
	t.Parallel()

	types := pgtype.NewMap()
	registerUUID(types)
	id, other := uuid.New(), uuid.New()
	for _, format := range []int16{pgtype.BinaryFormatCode, pgtype.TextFormatCode} {
		sent, err := types.Encode(pgtype.UUIDOID, format, id, nil)
		require.NoError(t, err)
		var got uuid.UUID
		require.NoError(t, types.Scan(pgtype.UUIDOID, format, sent, &got))
		require.Equal(t, id, got)

		var none *uuid.UUID
		sent, err = types.Encode(pgtype.UUIDOID, format, none, nil)
		require.NoError(t, err)
		require.Nil(t, sent)
		some := &id
		require.NoError(t, types.Scan(pgtype.UUIDOID, format, nil, &some))
		require.Nil(t, some)

		sent, err = types.Encode(pgtype.UUIDArrayOID, format, []uuid.UUID{id, other}, nil)
		require.NoError(t, err)
		var list []uuid.UUID
		require.NoError(t, types.Scan(pgtype.UUIDArrayOID, format, sent, &list))
		require.Equal(t, []uuid.UUID{id, other}, list)
	}
	require.IsType(t, &uuidEncodePlan{}, types.PlanEncode(pgtype.UUIDOID, pgtype.BinaryFormatCode, id), "the short way")
}
