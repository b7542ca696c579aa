package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
)

func TestCredits(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const path = "/v1/user/credits"
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)
	require.Equal(t, object{"balance": 0.0, "entries": []any{},
		"pagination": object{"limit": 20.0, "offset": 0.0, "total": 0.0, "has_more": false, "next_cursor": nil}}, shown)

	dbfactory.Credits(t, server.Tx, server.Account.ID, 25)
	dbfactory.Credits(t, server.Tx, server.Account.ID, -5)
	dbfactory.Credits(t, server.Tx, dbfactory.Account(t, server.Tx).ID, 1000)
	shown = apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path+"?limit=1", nil)
	require.EqualValues(t, 20, shown["balance"])
	entry := shown["entries"].([]any)[0].(object)
	require.EqualValues(t, -5, entry["amount"])
	require.EqualValues(t, 20, entry["balance"])
	require.Equal(t, "grant", entry["kind"])
	require.NoError(t, uuid.Validate(entry["id"].(string)))
	pagination := shown["pagination"].(object)
	require.Equal(t, object{"limit": 1.0, "offset": 0.0, "total": 2.0, "has_more": true, "next_cursor": pagination["next_cursor"]},
		pagination)
	next := apitest.Want[object](t, server, http.StatusOK, http.MethodGet,
		path+"?limit=1&cursor="+pagination["next_cursor"].(string), nil)
	require.EqualValues(t, 25, next["entries"].([]any)[0].(object)["amount"])
	require.Nil(t, next["pagination"].(object)["next_cursor"])
	shown = apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path+"?limit=1&offset=1", nil)
	require.EqualValues(t, 25, shown["entries"].([]any)[0].(object)["amount"])
	shown = apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path+"?offset=1000000000", nil)
	require.Empty(t, shown["entries"])
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, path+"?limit=0", nil)
}
