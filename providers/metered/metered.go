// Package metered counts what vendors of speech and language do: how their requests go, and how long they take to the first of
// what they produce. It stands directly before a vendor, behind what chooses among vendors and what remembers sound, so that each
// is counted by itself.
//
// It knows the families of providers and their faults. It must not know any vendor.
package metered

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/traces"
)

// request is one request to a vendor.
type request struct {
	family served.Family
	vendor string
	began  time.Time
	first  bool // something has come
	span   traces.Span
}

// begin returns the context in which to make the request, whose vendor may continue the trace.
func begin(ctx context.Context, family served.Family, vendor string) (context.Context, *request) {
	ctx, span := traces.Within(ctx, string(family)+" "+vendor)
	return ctx, &request{family: family, vendor: vendor, began: time.Now(), span: span}
}

// came is called with each part of what the vendor produces.
func (r *request) came() {
	if !r.first {
		r.first = true
		metrics.Since(metrics.VendorLatency.WithLabelValues(string(r.family), r.vendor), r.began)
	}
}

// end counts how the request went. One that nobody waits for any more is canceled, unless something had come or it was given up
// for a fault, such as taking too long.
func (r *request) end(ctx context.Context, err error) {
	outcome := "ok"
	kind, faulty := fault.Of(context.Cause(ctx))
	if !faulty {
		kind, faulty = fault.Of(err)
	}
	switch {
	case faulty:
		outcome = string(kind)
	case r.first && (err == nil || ctx.Err() != nil):
	case err == nil, ctx.Err() != nil, errors.Is(err, context.Canceled):
		outcome = "canceled"
	default:
		outcome = string(fault.Unavailable)
	}
	metrics.VendorRequests.WithLabelValues(string(r.family), r.vendor, outcome).Inc()
	r.span.Set("outcome", outcome)
	if outcome == "ok" || outcome == "canceled" {
		r.span.End("")
	} else {
		r.span.End(outcome)
	}
}

// measure passes on what items yields.
func measure[T any](ctx context.Context, r *request, something func(T) bool, items iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var failure error
		defer func() { r.end(ctx, failure) }()
		for item, err := range items {
			if err == nil && something(item) {
				r.came()
			}
			failure = err
			if !yield(item, err) {
				return
			}
		}
	}
}

type meteredLLM struct {
	llm.Provider
	vendor string
}

// LLM returns model, counted as vendor.
func LLM(vendor string, model llm.Provider) llm.Provider { return meteredLLM{model, vendor} }

// Stream implements llm.Provider.
func (m meteredLLM) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	something := func(delta llm.Delta) bool { return delta.Text != "" || len(delta.ToolCalls) > 0 || delta.Finish != "" }
	return func(yield func(llm.Delta, error) bool) {
		ctx, asked := begin(ctx, served.LLM, m.vendor)
		measure(ctx, asked, something, m.Provider.Stream(ctx, req))(yield)
	}
}

type meteredTTS struct {
	tts.Provider
	vendor string
}

// TTS returns voice, counted as vendor.
func TTS(vendor string, voice tts.Provider) tts.Provider { return meteredTTS{voice, vendor} }

// Speak implements tts.Provider.
func (m meteredTTS) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		ctx, asked := begin(ctx, served.TTS, m.vendor)
		measure(ctx, asked, func([]int16) bool { return true }, m.Provider.Speak(ctx, req))(yield)
	}
}
