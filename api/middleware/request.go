package middleware

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
)

// CheckRequest returns the middleware that refuses what Huma accepts: a query with a parameter given twice or with text
// that Postgres does not store, and an Accept header that no response can
// satisfy, which Huma checks only after the handler has run.
func CheckRequest(refuse Refuse) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if !acceptable(ctx.Header("Accept"), ctx.Operation()) {
			refuse(ctx, notAcceptable(ctx.Operation()))
			return
		}
		target, wrong := ctx.URL(), apierror.Invalid()
		if target.RawQuery != "" {
			checkQuery(wrong, target.RawQuery)
		}
		if len(wrong.Body.Details) > 0 {
			refuse(ctx, wrong)
			return
		}
		next(ctx)
	}
}

func notAcceptable(op *huma.Operation) error {
	types := strings.Join(responseTypes(op), " or ")
	return apierror.New(http.StatusNotAcceptable, "not_acceptable", "The response is "+types+", which Accept rules out.")
}

// WithoutTracking takes parameters out of a query that proxies and marketing tools add to any link, and no operation has: those
// that begin with _ or utm_.
func WithoutTracking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.RawQuery, "_") {
			next.ServeHTTP(w, r)
			return
		}
		parameters := strings.Split(r.URL.RawQuery, "&")
		kept := slices.DeleteFunc(parameters, func(parameter string) bool {
			return strings.HasPrefix(parameter, "_") || strings.HasPrefix(parameter, "utm_")
		})
		clean, target := *r, *r.URL
		target.RawQuery = strings.Join(kept, "&")
		clean.URL = &target
		next.ServeHTTP(w, &clean)
	})
}

func checkQuery(wrong *apierror.Error, query string) {
	parameters, err := url.ParseQuery(query)
	if err != nil {
		wrong.With("query", "is not a valid query")
		return
	}
	for name, values := range parameters {
		switch {
		case !plainText(name):
			wrong.With("query", "holds a name that is not plain text")
		case len(values) > 1:
			wrong.With(name, "is given more than once")
		case !plainText(values[0]):
			wrong.With(name, "is not plain UTF-8 text")
		}
	}
}

// plainText reports whether Postgres can store text: it takes neither NUL nor invalid UTF-8.
func plainText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// acceptable reports whether an Accept header allows one of the operation's types. Quality 0 excludes a range.
func acceptable(accept string, op *huma.Operation) bool {
	if accept == "" || accept == "*/*" {
		return true
	}
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if zeroQuality(parameters) {
			continue
		}
		for _, mediaType := range responseTypes(op) {
			if family, wild := strings.CutSuffix(name, "*"); name == mediaType ||
				wild && (family == "*/" || strings.HasPrefix(mediaType, family)) {
				return true
			}
		}
	}
	return false
}

func zeroQuality(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			return strings.Trim(value, "0.") == ""
		}
	}
	return false
}

// responseTypes returns the media types of an operation's successful responses; JSON if it has none.
func responseTypes(op *huma.Operation) []string {
	var types []string
	if response := op.Responses["200"]; response != nil {
		for name := range response.Content {
			if name != "application/json" {
				types = append(types, name)
			}
		}
	}
	if len(types) == 0 {
		return []string{"application/json"}
	}
	slices.Sort(types)
	return types
}
