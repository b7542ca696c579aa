package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
)

const maxJSONBody = 1 << 20

type requestIDKey struct{}

// requestID gives every request an id: that of the caller's header if it is valid.
func requestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !saneRequestID(id) {
			id = uuid.NewString()
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func saneRequestID(id string) bool {
	return id != "" && len(id) <= 128 && strings.Trim(id, keyAlphabet+"-_.") == ""
}

// logRequests logs one line per request, without anything that a person typed.
func (a *API) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.Logger.Enabled(r.Context(), slog.LevelInfo) {
			next.ServeHTTP(w, r)
			return
		}
		started := time.Now()
		response := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(response, r)
		a.Logger.InfoContext(r.Context(), "request", "method", r.Method, "route", routeOf(r), "status", response.Status(),
			"bytes", response.BytesWritten(), "duration_ms", time.Since(started).Milliseconds(), "request_id", r.Context().Value(requestIDKey{}))
	})
}

// routeOf returns the pattern that matched. The path would hold ids, and that of an unknown route could be anything.
func routeOf(r *http.Request) string {
	if route := chi.RouteContext(r.Context()); route != nil {
		return route.RoutePattern()
	}
	return ""
}

// recoverPanics responds to a panic with an internal error.
func (a *API) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(reason)
			}
			a.Logger.ErrorContext(r.Context(), "panic", "reason", reason, "stack", string(debug.Stack()), "request_id", r.Context().Value(requestIDKey{}))
			writeJSON(w, http.StatusInternalServerError, apierror.Internal())
		}()
		next.ServeHTTP(w, r)
	})
}

// limitBodies limits the size of every body, also of multipart ones, to which Huma's limit does not apply. An operation
// that takes JSON has its own limit in addition.
func limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(maxJSONBody)
		if multipartBody(r) {
			limit = maxUploadBody
		}
		if r.ContentLength > limit {
			w.Header().Set("Connection", "close") // the rest of the body is not read
			writeJSON(w, http.StatusRequestEntityTooLarge, tooLarge())
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

func multipartBody(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/form-data")
}

func tooLarge() *apierror.Error {
	return apierror.New(http.StatusRequestEntityTooLarge, "payload_too_large", "The request body is too large.")
}

// unprefixed serves each path of /v1 without the prefix too, and /instant-agents, which has none in the contract, with
// it.
func unprefixed(router chi.Router) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if other := otherSpelling(router, r); other != "" {
				r.URL.Path, r.URL.RawPath = other, ""
				chi.RouteContext(r.Context()).RoutePath = other
			}
			next.ServeHTTP(w, r)
		})
	}
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

var routableMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

func allowedMethods(router chi.Router, path string) []string {
	var methods []string
	for _, method := range routableMethods {
		if router.Match(chi.NewRouteContext(), method, path) {
			methods = append(methods, method)
		}
	}
	return methods
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, apierror.New(http.StatusNotFound, "not_found", "There is nothing at this path."))
}

// methodNotAllowed responds with the methods of a path: to OPTIONS with 204, to other methods with an error.
func methodNotAllowed(router chi.Router) http.HandlerFunc {
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
		writeJSON(w, http.StatusMethodNotAllowed, apierror.New(http.StatusMethodNotAllowed, "method_not_allowed", "This path does not take "+methodName(r.Method)+"."))
	}
}

func methodName(method string) string {
	if len(method) > 16 || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "this method"
	}
	return method
}

// operatorOnly requires the operator's password.
func operatorOnly(password string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, given, _ := r.BasicAuth()
		right := subtle.ConstantTimeCompare([]byte(given), []byte(password)) & subtle.ConstantTimeCompare([]byte(user), []byte("operator"))
		if right != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="Callwright operators", charset="UTF-8"`)
			writeJSON(w, http.StatusUnauthorized, apierror.New(http.StatusUnauthorized, "unauthorized", "This page is for the operator."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// writeError responds to a request that a Huma middleware refuses.
func (a *API) writeError(ctx huma.Context, err error) {
	response := a.asError(ctx.Context(), err)
	for name, values := range response.GetHeaders() {
		for _, value := range values {
			ctx.SetHeader(name, value)
		}
	}
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(response.GetStatus())
	if err := json.NewEncoder(ctx.BodyWriter()).Encode(response); err != nil {
		a.Logger.DebugContext(ctx.Context(), "response not written", "error", err)
	}
}

// writeRefusal writes an error with its headers.
func writeRefusal(w http.ResponseWriter, response *apierror.Error) {
	maps.Copy(w.Header(), response.GetHeaders())
	writeJSON(w, response.GetStatus(), response)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // the types used here always encode
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // it fails if the client has disconnected
}
