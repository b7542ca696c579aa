package api

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
)

const sdpType = "application/sdp"

// takeSDP has a web call be asked for as WHIP does (RFC 9725): an offer for a body, the assistant in the query, and an answer for
// a body.
func takeSDP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if r.Method != http.MethodPost || !strings.EqualFold(strings.TrimSpace(kind), sdpType) ||
			strings.TrimPrefix(r.URL.Path, "/v1") != "/calls/web" {
			next.ServeHTTP(w, r)
			return
		}
		offer, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOffer))
		if err != nil {
			middleware.WriteRefusal(w, apierror.New(http.StatusRequestEntityTooLarge, "payload_too_large", "The offer is too large."))
			return
		}
		body := map[string]string{"sdp": string(offer)}
		if assistant := r.URL.Query().Get("assistant_id"); assistant != "" {
			body["assistant_id"] = assistant
		}
		text, err := json.Marshal(body)
		if err != nil {
			middleware.WriteRefusal(w, apierror.Internal())
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.RawQuery, inner.ContentLength, inner.Body = "", int64(len(text)), io.NopCloser(bytes.NewReader(text))
		inner.Header.Set("Content-Type", "application/json")
		inner.Header.Del("Accept")
		response := &heldResponse{header: http.Header{}, status: http.StatusOK}
		next.ServeHTTP(response, inner)
		writeAnswer(w, response)
	})
}

// heldResponse is a response that is not sent yet.
type heldResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *heldResponse) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *heldResponse) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *heldResponse) Write(part []byte) (int, error) { return h.body.Write(part) }

// writeAnswer writes what a web call was answered with; errors as they are.
func writeAnswer(w http.ResponseWriter, response *heldResponse) {
	body := response.body.Bytes()
	var made WebCall
	if response.status == http.StatusCreated && json.Unmarshal(body, &made) == nil {
		body = []byte(made.SDP)
		response.header.Set("Content-Type", sdpType)
	}
	maps.Copy(w.Header(), response.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(response.status)
	_, _ = w.Write(body) // to a client that is gone
}
