package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
)

// checkRequest refuses what Huma would let pass: a query that says a thing twice or holds text that Postgres does not
// take, a key that is not plain text, and an Accept header that no answer could satisfy, which Huma notices only after
// the handler has done its work.
func (a *API) checkRequest(ctx huma.Context, next func(huma.Context)) {
	if !acceptable(ctx.Header("Accept"), ctx.Operation()) {
		a.writeError(ctx, apierror.New(http.StatusNotAcceptable, "not_acceptable", "The answer is "+strings.Join(answerTypes(ctx.Operation()), " or ")+", which Accept rules out."))
		return
	}
	target, wrong := ctx.URL(), apierror.Invalid()
	if target.RawQuery != "" {
		checkQuery(wrong, target.RawQuery)
	}
	if key := ctx.Header("Idempotency-Key"); strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		wrong.With("Idempotency-Key", "holds other characters than printable ASCII")
	}
	if len(wrong.Body.Details) > 0 {
		a.writeError(ctx, wrong)
		return
	}
	next(ctx)
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

// plainText: Postgres takes neither NUL nor bytes that are not UTF-8.
func plainText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// acceptable reports whether an Accept header admits one of the operation's types. Quality 0 rules a range out.
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
		for _, answer := range answerTypes(op) {
			if family, wild := strings.CutSuffix(name, "*"); name == answer || wild && (family == "*/" || strings.HasPrefix(answer, family)) {
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

// answerTypes are the media types with which an operation answers success; JSON where it has none.
func answerTypes(op *huma.Operation) []string {
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
