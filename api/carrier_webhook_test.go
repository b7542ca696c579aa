package api_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/providers/telco/telnyx"
)

const webhookPath = "/carrier/telnyx/webhook"

func TestCarrierWebhook(t *testing.T) {
	t.Parallel()

	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	webhook, err := telnyx.NewWebhook(base64.StdEncoding.EncodeToString(public), time.Now)
	require.NoError(t, err)
	server := apitest.New(t, func(a *api.API) { a.Telnyx = webhook })
	send := func(body string) *apitest.Response {
		timestamp := strconv.FormatInt(time.Now().Unix(), 10)
		signature := base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte(timestamp+"|"+body)))
		return server.DoAs(t, "", http.MethodPost, webhookPath, body, "Telnyx-Timestamp", timestamp, "Telnyx-Signature-Ed25519",
			signature)
	}
	woken := func() []string {
		rows, err := server.Tx.Query(t.Context(), "SELECT kind FROM river_job WHERE args @> '{\"notice\": true}' ORDER BY id")
		require.NoError(t, err)
		kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return kinds
	}
	group, order, review := approvedGroup(t, server), uuid.NewString(), uuid.NewString()
	waiting := makeGroup(t, server)
	dbfactory.Credits(t, server.Tx, server.Account.ID, 10)
	id := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/phone-number-orders",
		object{"phone_number": uniqueNumber(), "verification_group_id": group})["order_id"]
	_, err = server.Tx.Exec(t.Context(), "UPDATE phone_number_order SET external_order_id = $2 WHERE id = $1", id, order)
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(), "UPDATE verification_group SET external_group_id = $2, submitted_at = now() WHERE id = $1",
		waiting, review)
	require.NoError(t, err)

	for _, body := range []string{
		`{"data": {"event_type": "number_order.complete", "payload": {"id": "` + uuid.NewString() + `"}}}`,
		`{"data": {"event_type": "message.sent"}}`, `{}`, `nonsense`,
	} {
		require.Equal(t, http.StatusOK, send(body).Status)
		require.Empty(t, woken())
	}
	require.Equal(t, http.StatusOK, send(`{"data": {"event_type": "number_order.complete", "payload": {"id": "`+order+`"}}}`).Status)
	require.Equal(t, http.StatusOK,
		send(`{"data": {"event_type": "requirement_group.status_updated", "payload": {"id": "`+review+`"}}}`).Status)
	require.Equal(t, []string{"fulfil_number_order", "review_verification_group"}, woken())

	server.DoAs(t, "", http.MethodPost, webhookPath, `{}`).WantError(t, http.StatusUnauthorized, "unauthorized")
	server.DoAs(t, "", http.MethodPost, webhookPath, `{}`, "Telnyx-Timestamp", "1", "Telnyx-Signature-Ed25519", "AAAA").WantError(t,
		http.StatusUnauthorized, "unauthorized")
	apitest.New(t).DoAs(t, "", http.MethodPost, webhookPath, `{}`).WantError(t, http.StatusNotFound, "not_found")
}
