package middleware

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/callwright/callwright/api/apierror"
)

// LimitBodies limits the size of every body to so many bytes; upload is the limit of multipart ones, to which Huma's limit
// does not apply. An operation that takes JSON has its own limit in addition.
func LimitBodies(body, upload int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := body
		if multipartBody(r) {
			limit = upload
		}
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close") // the rest of the body is not read
			WriteJSON(w, http.StatusRequestEntityTooLarge, TooLarge())
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

func multipartBody(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/form-data")
}

// TooLarge returns the error for a body that is larger than its limit.
func TooLarge() *apierror.Error {
	return apierror.New(http.StatusRequestEntityTooLarge, "payload_too_large", "The request body is too large.")
}

// Unprefixed serves each path of /v1 without the prefix too, and /instant-agents, which has none in the contract, with
// it.
func Unprefixed(router chi.Router, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other := otherSpelling(router, r); other != "" {
			r.URL.Path, r.URL.RawPath = other, ""
			chi.RouteContext(r.Context()).RoutePath = other
		}
		next.ServeHTTP(w, r)
	})
}

func otherSpelling(router chi.Router, r *http.Request) string {
	if router.Match(chi.NewRouteContext(), r.Method, r.URL.Path) {
		return ""
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	other := "/v1" + path
	if rest, found := strings.CutPrefix(path, "/v1"); found {
		other = rest
	}
	switch {
	case len(allowedMethods(router, path)) > 0:
		if path == r.URL.Path {
			return ""
		}
		return path
	case other != "" && len(allowedMethods(router, other)) > 0:
		return other
	}
	return ""
}

// HeadAsGet serves HEAD with the handler of GET, without the body.
func HeadAsGet(router chi.Router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && router.Match(chi.NewRouteContext(), http.MethodGet, r.URL.Path) {
			r.Method, chi.RouteContext(r.Context()).RouteMethod = http.MethodGet, http.MethodGet // net/http drops the body
		}
		router.ServeHTTP(w, r)
	})
}

var routableMethods = []string{
	http.MethodGet,
	http.MethodHead,
	http.MethodPost,
	http.MethodPut,
	http.MethodPatch,
	http.MethodDelete,
}

func allowedMethods(router chi.Router, path string) []string {
	var methods []string
	for _, method := range routableMethods {
		if router.Match(chi.NewRouteContext(), method, path) {
			methods = append(methods, method)
		}
	}
	return methods
}

// NotFound responds to a path that no route matches.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	WriteJSON(w, http.StatusNotFound, apierror.New(http.StatusNotFound, "not_found", "There is nothing at this path."))
}

// MethodNotAllowed responds with the methods of a path: to OPTIONS with 204, to other methods with an error.
func MethodNotAllowed(router chi.Router) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		methods := allowedMethods(router, r.URL.Path)
		if len(methods) > 0 && methods[0] == http.MethodGet && !strings.Contains(strings.Join(methods, " "), http.MethodHead) {
			methods = append(methods, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		WriteJSON(
			w,
			http.StatusMethodNotAllowed,
			apierror.New(http.StatusMethodNotAllowed, "method_not_allowed", "This path does not take "+methodName(r.Method)+"."),
		)
	}
}

func methodName(method string) string {
	if len(method) > 16 || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "this method"
	}
	return method
}

// WriteRefusal responds with an error and its headers.
func WriteRefusal(w http.ResponseWriter, response *apierror.Error) {
	maps.Copy(w.Header(), response.GetHeaders())
	WriteJSON(w, response.GetStatus(), response)
}

// WriteJSON responds with body.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // the types used here always encode
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // it fails if the client has disconnected
}
