package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
)

const rightOffer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=ice-ufrag:Kx9d\r\n" +
	"a=ice-pwd:7sMnPq2uWxYz4aBcDeFgHiJk\r\na=fingerprint:sha-256 0F:74\r\na=setup:actpass\r\na=rtcp-mux\r\na=sendrecv\r\na=rtpmap:0 PCMU/8000\r\n"

// TestWrongOffersTakeNoPlace: what no worker could answer is refused before a call is made of it, whatever marks of an offer it
// has.
func TestWrongOffersTakeNoPlace(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	without := func(part string) string { return strings.Replace(rightOffer, part, "", 1) }
	for name, offer := range map[string]string{
		"marks alone":    "v=0 m=audio a=ice-ufrag: a=fingerprint:",
		"marks in lines": "v=0\r\nm=audio \r\na=ice-ufrag:\r\na=fingerprint:\r\n",
		"no audio":       strings.Replace(rightOffer, "m=audio", "m=application", 1),
		"video":          rightOffer + strings.Replace(rightOffer[strings.Index(rightOffer, "m="):], "m=audio", "m=video", 1),
		"two of sound":   rightOffer + rightOffer[strings.Index(rightOffer, "m="):],
		"no password":    without("a=ice-pwd:7sMnPq2uWxYz4aBcDeFgHiJk\r\n"),
		"no certificate": without("a=fingerprint:sha-256 0F:74\r\n"),
		"no digits":      strings.Replace(rightOffer, "0F:74", "zz", 1),
		"no codec":       strings.NewReplacer("SAVPF 0", "SAVPF 111", "rtpmap:0 PCMU", "rtpmap:111 opus").Replace(rightOffer),
	} {
		details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/calls/web",
			object{"assistant_id": assistant.ID, "sdp": offer})
		require.Contains(t, details, "sdp", name)
	}
	var made int
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT count(*) FROM call WHERE account_id = $1",
		server.Account.ID).Scan(&made))
	require.Zero(t, made)
	named := strings.NewReplacer("SAVPF 0", "SAVPF 111 96", "rtpmap:0 PCMU", "rtpmap:96 pcmu").Replace(rightOffer)
	for _, offer := range []string{rightOffer, named} {
		body := object{"assistant_id": assistant.ID, "sdp": offer}
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, "/v1/calls/web",
			object{"assistant_id": dbfactory.ID(t), "sdp": body["sdp"]})
	}
}
