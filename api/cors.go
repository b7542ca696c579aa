package api

import (
	"net/http"

	"github.com/rs/cors"
)

// preflightAge is how long a browser may remember what it may ask, in seconds.
const preflightAge = 600

// allowOrigins lets pages of other origins ask the API. Keys are sent by the page itself, so no cookie is ever allowed
// along; a preflight carries no key and needs none.
func allowOrigins(origins []string) func(http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Range", "Last-Event-ID", "Range", requestIDHeader},
		ExposedHeaders: append([]string{requestIDHeader, "Retry-After", "Idempotent-Replayed", "Accept-Ranges", "Content-Range"}, rateHeaders...),
		MaxAge:         preflightAge,
	}).Handler
}
