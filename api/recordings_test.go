package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/providers/files/dir"
)

func TestSharedRecording(t *testing.T) {
	t.Parallel()

	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, store.Put(t.Context(), "recordings/a.wav", io.NopCloser(strings.NewReader("RIFF and the rest"))))
	var sealer seal.Sealer
	server := apitest.New(t, func(a *api.API) { a.Files, sealer = store, a.Seal })
	id := finishedCall(t, server, new("recordings/a.wav"))
	link := func(account uuid.UUID, until time.Time) string {
		return "/v1/recordings/" + sealer.Seal(fmt.Sprintf("%s %s %d", account, id, until.Unix()), "recording_link")
	}
	soon := time.Now().Add(time.Minute)
	response := server.DoAs(t, "", http.MethodGet, link(server.Account.ID, soon), nil)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Equal(t, "RIFF and the rest", string(response.Body))
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	part := server.DoAs(t, "", http.MethodGet, link(server.Account.ID, soon), nil, "Range", "bytes=0-3")
	require.Equal(t, "RIFF", string(part.Body))

	valid := link(server.Account.ID, soon)
	for name, path := range map[string]string{
		"Expired":         link(server.Account.ID, time.Now().Add(-time.Second)),
		"AnotherAccount":  link(dbfactory.ID(t), soon),
		"Forged":          valid + "A",
		"ForAnotherUse":   "/v1/recordings/" + sealer.Seal(fmt.Sprintf("%s %s %d", server.Account.ID, id, soon.Unix()), "webhook_endpoint.secret"),
		"NoToken":         "/v1/recordings/x",
		"NotWhatItShould": "/v1/recordings/" + sealer.Seal("hello", "recording_link"),
	} {
		t.Run(name, func(t *testing.T) {
			refused := server.DoAs(t, "", http.MethodGet, path, nil)
			require.Equal(t, http.StatusNotFound, refused.Status, "%s", refused.Body)
		})
	}
}
