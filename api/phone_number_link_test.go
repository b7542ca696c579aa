package api_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

func linkPath(assistant *dbsqlc.Assistant) string {
	return "/v1/assistants/" + assistant.ID.String() + "/phone-number"
}

func TestNumberLink(t *testing.T) {
	t.Parallel()

	type bundle struct {
		*apitest.Server
		assistant, other *dbsqlc.Assistant
		custom, shared   *dbsqlc.PhoneNumber
	}
	setup := func(t *testing.T) *bundle {
		t.Helper()
		server := apitest.New(t)
		return &bundle{
			Server: server, assistant: dbfactory.Assistant(t, server.Tx, server.Account.ID),
			other:  dbfactory.Assistant(t, server.Tx, server.Account.ID),
			custom: dbfactory.Number(t, server.Tx, server.Account.ID), shared: dbfactory.DefaultNumber(t, server.Tx),
		}
	}
	link := func(t *testing.T, b *bundle, assistant *dbsqlc.Assistant, number *dbsqlc.PhoneNumber) object {
		t.Helper()
		made := apitest.Want[object](t, b.Server, http.StatusOK, http.MethodPost, linkPath(assistant),
			object{"phone_number_id": number.ID})
		require.NotEmpty(t, made["message"])
		return made["data"].(object)
	}
	linked := func(t *testing.T, b *bundle, assistant *dbsqlc.Assistant) any {
		t.Helper()
		return apitest.Want[object](t, b.Server, http.StatusOK, http.MethodGet, linkPath(assistant),
			nil)["data"].(object)["phone_number"]
	}

	t.Run("Nothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		shown := apitest.Want[object](t, b.Server, http.StatusOK, http.MethodGet, linkPath(b.assistant), nil)
		require.Equal(t, object{"data": object{"assistant_id": b.assistant.ID.String(), "assistant_name": "Ava", "phone_number": nil}},
			shown)
	})
	t.Run("Custom", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		require.Equal(t, object{
			"assistant_id": b.assistant.ID.String(), "previous_phone_number_id": nil, "released_assistants": 0.0,
			"phone_number": object{"id": b.custom.ID.String(), "number": b.custom.Number, "type": "local", "locality": "Amsterdam"},
		}, link(t, b, b.assistant, b.custom))
		require.Equal(t, object{"id": b.custom.ID.String(), "number": b.custom.Number, "type": "local", "locality": "Amsterdam",
			"origin": "custom"}, linked(t, b, b.assistant))
		number := apitest.Want[object](t, b.Server, http.StatusOK, http.MethodGet, "/v1/phone-numbers/"+b.custom.ID.String(), nil)
		require.Equal(t, b.assistant.ID.String(), number["assistant_id"])
	})
	t.Run("AnotherNumberReplacesIt", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		link(t, b, b.assistant, b.custom)
		data := link(t, b, b.assistant, b.shared)
		require.Equal(t, b.custom.ID.String(), data["previous_phone_number_id"])
		require.Equal(t, 0.0, data["released_assistants"])
		require.Nil(t, data["phone_number"].(object)["locality"])
		link(t, b, b.other, b.custom) // it is free again
	})
	t.Run("ADefaultNumberReleasesTheOthers", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		elsewhere := dbfactory.Assistant(t, b.Tx, dbfactory.Account(t, b.Tx).ID)
		dbfactory.Link(t, b.Tx, elsewhere, b.shared)
		link(t, b, b.assistant, b.shared)
		data := link(t, b, b.other, dbfactory.DefaultNumber(t, b.Tx)) // any default number
		require.Equal(t, 1.0, data["released_assistants"])
		require.Nil(t, data["previous_phone_number_id"])
		require.Nil(t, linked(t, b, b.assistant))
		var kept int
		require.NoError(t, b.Tx.QueryRow(t.Context(), "SELECT count(*) FROM phone_number_link WHERE assistant_id = $1",
			elsewhere.ID).Scan(&kept))
		require.Equal(t, 1, kept, "another account's link stays")
	})
	t.Run("ACustomNumberReleasesNone", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		link(t, b, b.assistant, b.shared)
		require.Equal(t, 0.0, link(t, b, b.other, b.custom)["released_assistants"])
		require.NotNil(t, linked(t, b, b.assistant))
	})
	t.Run("Refusals", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		link(t, b, b.assistant, b.custom)
		foreign := dbfactory.Number(t, b.Tx, dbfactory.Account(t, b.Tx).ID)
		refuse := func(assistant *dbsqlc.Assistant, status int, code string, id any) {
			t.Helper()
			b.WantError(t, status, code, http.MethodPost, linkPath(assistant), object{"phone_number_id": id})
		}
		refuse(b.assistant, http.StatusBadRequest, "already_linked", b.custom.ID)
		refuse(b.other, http.StatusBadRequest, "already_in_use", b.custom.ID)
		refuse(b.assistant, http.StatusForbidden, "forbidden", foreign.ID)
		refuse(b.assistant, http.StatusNotFound, "not_found", dbfactory.ID(t))
		for _, wrong := range []any{"no-id", "", 7, nil} {
			refuse(b.assistant, http.StatusBadRequest, "invalid_parameters", wrong)
		}
		details := b.WantError(t, http.StatusBadRequest, "invalid_parameters", http.MethodPost, linkPath(b.assistant), object{})
		require.Contains(t, details, "phone_number_id")
		b.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/assistants/"+dbfactory.ID(t).String()+"/phone-number",
			object{"phone_number_id": b.shared.ID})
		require.NotNil(t, linked(t, b, b.assistant), "what was refused changed nothing")
	})
	t.Run("Unlink", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		link(t, b, b.assistant, b.custom)
		removed := apitest.Want[object](t, b.Server, http.StatusOK, http.MethodDelete, linkPath(b.assistant), nil)
		require.NotEmpty(t, removed["message"])
		require.Equal(t, object{"assistant_id": b.assistant.ID.String(),
			"unlinked_phone_number": object{"id": b.custom.ID.String(), "number": b.custom.Number}}, removed["data"])
		b.WantError(t, http.StatusBadRequest, "no_phone_number", http.MethodDelete, linkPath(b.assistant), nil)
		b.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, "/v1/assistants/"+dbfactory.ID(t).String()+"/phone-number",
			nil)
	})
}

// A custom number that is linked to many assistants concurrently goes to one of them; the others get that it is in use.
func TestNumberLinkUnderConcurrency(t *testing.T) {
	t.Parallel()

	server := apitest.NewOn(t, dbtest.Pool(t))
	all := func(number *dbsqlc.PhoneNumber) []*apitest.Response {
		responses := make([]*apitest.Response, 8)
		var clients sync.WaitGroup
		for i := range responses {
			assistant := dbfactory.Assistant(t, server.Tx, server.Account.ID)
			clients.Go(func() {
				responses[i] = server.Do(t, http.MethodPost, linkPath(assistant), object{"phone_number_id": number.ID})
			})
		}
		clients.Wait()
		return responses
	}
	links := func() (count int) {
		t.Helper()
		require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM phone_number_link").Scan(&count))
		return count
	}

	linked := 0
	for _, response := range all(dbfactory.Number(t, server.Tx, server.Account.ID)) {
		if response.Status == http.StatusOK {
			linked++
			continue
		}
		response.WantError(t, http.StatusBadRequest, "already_in_use")
	}
	require.Equal(t, 1, linked)
	require.Equal(t, 1, links())

	released := 0.0
	for _, response := range all(dbfactory.DefaultNumber(t, server.Tx)) {
		require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
		released += apitest.Decode[object](t, response)["data"].(object)["released_assistants"].(float64)
	}
	require.Equal(t, 7.0, released, "each later link released the one before it")
	require.Equal(t, 2, links())
}
