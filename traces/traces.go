// Package traces follows what is asked of the program through its processes, for the operator, in the terms of OpenTelemetry: a
// request, the job that it leads to, the call with its turns and its vendors, and the deliveries of its events are one trace.
// What begins in one process and goes on in another has its place in the trace written in its row, as a traceparent (W3C Trace
// Context).
//
// It is off until Start, and then costs a look at one variable. It knows spans and how they leave. It must not know what they are
// about: whoever begins one names it, and gives it nothing of what people say, nor numbers, addresses or URLs.
package traces

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const header = "traceparent"

// tracer begins spans; nil: nobody collects them.
var tracer atomic.Pointer[trace.Tracer]

// On reports whether anybody collects spans.
func On() bool { return tracer.Load() != nil }

// Config says where spans go.
type Config struct {
	Endpoint string // of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318
	Service  string // what kind of process this is
	Version  string
}

// Start sends spans to a collector from now on, until stop is called, which sends those that wait.
func Start(ctx context.Context, cfg Config) (stop func(context.Context) error, err error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(cfg.Endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(resource.NewSchemaless(
		attribute.String("service.name", cfg.Service), attribute.String("service.version", cfg.Version),
	)))
	begun := provider.Tracer("github.com/callwright/callwright")
	tracer.Store(&begun)
	return func(ctx context.Context) error {
		tracer.Store(nil)
		return provider.Shutdown(ctx)
	}, nil
}

// Span is a step of a trace. The zero value is one that nobody collects.
type Span struct{ span trace.Span }

// Begin begins a span below that of ctx, or a trace where ctx has none.
func Begin(ctx context.Context, name string) (context.Context, Span) {
	begins := tracer.Load()
	if begins == nil {
		return ctx, Span{}
	}
	ctx, span := (*begins).Start(ctx, name)
	return ctx, Span{span}
}

// Request begins the trace of a request from outside. Where its sender has a trace too, they know of each other: nobody outside
// says which ids ours have.
func Request(ctx context.Context, from http.Header, name string) (context.Context, Span) {
	begins := tracer.Load()
	if begins == nil {
		return ctx, Span{}
	}
	var links []trace.Link
	if theirs := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(),
		propagation.HeaderCarrier(from))); theirs.IsValid() {
		links = append(links, trace.Link{SpanContext: theirs})
	}
	ctx, span := (*begins).Start(ctx, name, trace.WithNewRoot(), trace.WithLinks(links...), trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Within is Begin where ctx has a span, and else no span.
func Within(ctx context.Context, name string) (context.Context, Span) {
	if tracer.Load() == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, Span{}
	}
	return Begin(ctx, name)
}

// Past adds a span that is over, below that of ctx. values are durations by name, in milliseconds.
func Past(ctx context.Context, name string, began, ended time.Time, values map[string]int) {
	begins := tracer.Load()
	if begins == nil {
		return
	}
	_, span := (*begins).Start(ctx, name, trace.WithTimestamp(began))
	for key, value := range values {
		span.SetAttributes(attribute.Int(key, value))
	}
	span.End(trace.WithTimestamp(ended))
}

// Rename gives the span the name that is known only now.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Set adds what the span is about: an id, a word of the program.
func (s Span) Set(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// End ends the span; failure is a word for what went wrong, empty: nothing did. The text of an error might quote anything.
func (s Span) End(failure string) {
	if s.span == nil {
		return
	}
	if failure != "" {
		s.span.SetStatus(codes.Error, failure)
	}
	s.span.End()
}

// Parent returns the traceparent of the span of ctx; empty: there is none.
func Parent(ctx context.Context) string {
	if tracer.Load() == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[header]
}

// Continue returns ctx within the trace of a row: that of its traceparent. What began without one, nil or empty, is a trace of
// its own, whose id is the row's: every process knows it.
func Continue(ctx context.Context, traceparent *string, id [16]byte) context.Context {
	if tracer.Load() == nil {
		return ctx
	}
	if traceparent != nil && *traceparent != "" {
		return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{header: *traceparent})
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: id, SpanID: trace.SpanID(id[8:]), TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// Below returns ctx, which lasts as it does, within the trace of another one: for what goes on when that one has ended.
func Below(ctx, of context.Context) context.Context {
	if tracer.Load() == nil {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(of))
}

// Transport tells the servers that requests go to their place in the trace.
type Transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if parent := Parent(r.Context()); parent != "" {
		r = r.Clone(r.Context())
		r.Header.Set(header, parent)
	}
	return t.Transport.RoundTrip(r)
}

// LogHandler adds the id of the trace to lines that are logged within one.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if tracer.Load() != nil {
		if at := trace.SpanContextFromContext(ctx); at.IsValid() {
			record = record.Clone()
			record.AddAttrs(slog.String("trace_id", at.TraceID().String()))
		}
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
