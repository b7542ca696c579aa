package middleware

import (
	"net/http"

	"github.com/rs/cors"
)

// preflightAge is how long a browser may cache a preflight response, in seconds.
const preflightAge = 600

// AllowOrigins returns the middleware that allows pages of other origins to call the API. The page sends the key
// itself, so cookies are never allowed; a preflight has no key and needs none.
func AllowOrigins(origins []string) func(http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet,
			http.MethodHead,
			http.MethodPost,
			http.MethodPut,
			http.MethodPatch,
			http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Authorization",
			"Content-Type",
			"Idempotency-Key",
			"If-Range",
			"Last-Event-ID",
			"Range",
			RequestIDHeader,
		},
		ExposedHeaders: append(
			[]string{RequestIDHeader, "Retry-After", "Idempotent-Replayed", "Accept-Ranges", "Content-Range"},
			RateHeaders...),
		MaxAge: preflightAge,
	}).Handler
}
