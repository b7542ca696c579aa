package middleware

import (
	"net/http"
	"slices"

	"github.com/rs/cors"

	"github.com/callwright/callwright/api/apierror"
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

// SameOrigin refuses requests that a browser makes for a page of another origin, unless it is one of trusted; * is all.
func SameOrigin(trusted []string, next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if !slices.Contains(trusted, "*") && (origin == "" || !slices.Contains(trusted, origin)) && protection.Check(r) != nil {
			WriteRefusal(w, apierror.New(http.StatusForbidden, "cross_origin", "A page of another origin may not make this request."))
			return
		}
		next.ServeHTTP(w, r)
	})
}
