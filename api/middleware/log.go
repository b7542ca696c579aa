package middleware

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/traces"
)

// RequestIDHeader is the header with the id of a request, in both directions.
const RequestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// RequestID returns the id that requestID gave the request of the context; empty: none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// WithRequestID gives every request an id: that of the caller's header if it is valid.
func WithRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(RequestIDHeader)
		if !saneRequestID(id) {
			id = uuid.NewString()
		}
		w.Header().Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func saneRequestID(id string) bool {
	return id != "" && len(id) <= 128 && strings.Trim(id, keyAlphabet+"-_.") == ""
}

// LogRequests counts each request and logs one line for it, without anything that a person typed.
func LogRequests(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			started := time.Now()
			ctx, span := r.Context(), traces.Span{}
			if !isProbe(r) {
				ctx, span = traces.Request(ctx, r.Header, r.Method)
				r = r.WithContext(ctx)
			}
			response := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
			next.ServeHTTP(response, r)
			countRequest(r, response.Status(), started)
			endSpan(span, r, response.Status())
			if !logger.Enabled(r.Context(), slog.LevelInfo) {
				return
			}
			logger.InfoContext(
				r.Context(),
				"request",
				"method",
				r.Method,
				"route",
				routeOf(r),
				"status",
				response.Status(),
				"bytes",
				response.BytesWritten(),
				"duration_ms",
				time.Since(started).Milliseconds(),
				"request_id",
				RequestID(r.Context()),
			)
		})
	}
}

// isProbe reports whether a request is one of those that machines make every few seconds.
func isProbe(r *http.Request) bool {
	return slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, r.URL.Path)
}

// endSpan ends the span of a request. Its path would hold ids, so it is called by its route.
func endSpan(span traces.Span, r *http.Request, status int) {
	status = cmp.Or(status, http.StatusOK)
	span.Rename(r.Method + " " + cmp.Or(routeOf(r), "none"))
	span.Set("http.response.status_code", strconv.Itoa(status))
	span.Set("request_id", RequestID(r.Context()))
	failure := ""
	if status >= http.StatusInternalServerError {
		failure = http.StatusText(status)
	}
	span.End(failure)
}

// countRequest counts a request for the operator, by what this program knows of it: anybody may ask by any method.
func countRequest(r *http.Request, status int, started time.Time) {
	route, method := cmp.Or(routeOf(r), "none"), r.Method
	if method != http.MethodOptions && !slices.Contains(routableMethods, method) {
		method = "other"
	}
	metrics.HTTPRequests.WithLabelValues(method, route, strconv.Itoa(cmp.Or(status, http.StatusOK))).Inc()
	metrics.Since(metrics.HTTPDuration.WithLabelValues(route), started)
}

// routeOf returns the pattern that matched. The path would hold ids, and that of an unknown route could be anything.
func routeOf(r *http.Request) string {
	if route := chi.RouteContext(r.Context()); route != nil {
		return route.RoutePattern()
	}
	return ""
}

// RecoverPanics responds to a panic with an internal error.
func RecoverPanics(logger *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				reason := recover()
				if reason == nil {
					return
				}
				if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(reason)
				}
				logger.ErrorContext(r.Context(), "panic", "reason", reason, "stack", string(debug.Stack()),
					"request_id", RequestID(r.Context()))
				WriteJSON(w, http.StatusInternalServerError, apierror.Internal())
			}()
			next.ServeHTTP(w, r)
		})
	}
}
