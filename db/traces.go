package db

import (
	"context"
	"strings"

	"github.com/callwright/callwright/traces"
)

type querySpan struct{}

// beginQuery begins the span of a query of ours, by its name, where ctx has a trace. What requests share stands in the trace of
// the first of them.
func beginQuery(ctx context.Context, sql string) context.Context {
	if !traces.On() {
		return ctx
	}
	rest, named := strings.CutPrefix(sql, "-- name: ")
	if !named {
		return ctx
	}
	name, _, _ := strings.Cut(rest, " ")
	ctx, span := traces.Within(ctx, name)
	return context.WithValue(ctx, querySpan{}, span)
}

// endQuery ends the span of the query that beginQuery returned ctx for.
func endQuery(ctx context.Context, err error) {
	if !traces.On() {
		return
	}
	span, _ := ctx.Value(querySpan{}).(traces.Span)
	if err != nil {
		span.End("failed")
		return
	}
	span.End("")
}
