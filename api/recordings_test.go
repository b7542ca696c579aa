package api_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

// recordedCall is a finished call with a recording of three seconds, and the file that customers get.
func recordedCall(t *testing.T, server *apitest.Server) (id string, file []byte) {
	t.Helper()
	id = finishedCall(t, server, new("recordings/a.wav"))
	return id, putRecording(t, server, id, "recordings/a.wav")
}

// putRecording stores a recording as a worker does.
func putRecording(t *testing.T, server *apitest.Server, id, key string) []byte {
	t.Helper()
	sound := make([]int16, 3*audio.Rate)
	for i := range sound {
		sound[i] = int16(i)
	}
	var stream bytes.Buffer
	wav, err := audio.NewWAVWriter(&stream, audio.Rate, 2)
	require.NoError(t, err)
	require.NoError(t, wav.WriteStereo(sound, nil))
	secret, sealedSecret := recordings.NewSecret(server.API.Seal, uuid.MustParse(id))
	require.NoError(t, sealed.PutWith(t.Context(), server.API.Files, key, secret, bytes.NewReader(stream.Bytes())))
	_, err = server.Tx.Exec(t.Context(), "UPDATE call SET recording_key = $2, recording_secret = $3 WHERE id = $1", id, key,
		sealedSecret)
	require.NoError(t, err)
	file := stream.Bytes()
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	binary.LittleEndian.PutUint32(file[40:], uint32(len(file)-44))
	return file
}

func TestSharedRecording(t *testing.T) {
	t.Parallel()

	var sealer seal.Sealer
	server := apitest.New(t, func(a *api.API) { sealer = a.Seal })
	id, file := recordedCall(t, server)
	link := func(account uuid.UUID, until time.Time) string {
		return "/v1/recordings/" + sealer.Seal(fmt.Sprintf("%s %s %d", account, id, until.Unix()), "recording_link")
	}
	soon := time.Now().Add(time.Minute)
	response := server.DoAs(t, "", http.MethodGet, link(server.Account.ID, soon), nil)
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	require.Equal(t, file, response.Body)
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	part := server.DoAs(t, "", http.MethodGet, link(server.Account.ID, soon), nil, "Range", "bytes=40000-50000")
	require.Equal(t, file[40000:50001], part.Body)

	valid := link(server.Account.ID, soon)
	for name, path := range map[string]string{
		"Expired":        link(server.Account.ID, time.Now().Add(-time.Second)),
		"AnotherAccount": link(dbfactory.ID(t), soon),
		"Forged":         valid + "A",
		"ForAnotherUse": "/v1/recordings/" + sealer.Seal(fmt.Sprintf("%s %s %d", server.Account.ID, id, soon.Unix()),
			"webhook_endpoint.secret"),
		"NoToken":         "/v1/recordings/x",
		"NotWhatItShould": "/v1/recordings/" + sealer.Seal("hello", "recording_link"),
	} {
		t.Run(name, func(t *testing.T) {
			refused := server.DoAs(t, "", http.MethodGet, path, nil)
			require.Equal(t, http.StatusNotFound, refused.Status, "%s", refused.Body)
		})
	}
}
