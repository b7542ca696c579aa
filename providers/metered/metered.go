// Package metered counts what vendors of speech and language do: how their requests go, how long they take to the first of
// what they produce, and what they charge for. It stands directly before a vendor, behind what chooses among vendors and what
// remembers sound, so that each is counted by itself.
//
// It knows the families of providers and their faults. It must not know any vendor.
package metered

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/usage"
	"github.com/callwright/callwright/traces"
)

// request is one request to a vendor.
type request struct {
	family served.Family
	vendor string
	began  time.Time
	first  bool // something has come
	begun  bool // of what is produced, too: a recogniser's stream opens before
	span   traces.Span

	told served.Family // of what a failure is told; where it is Answerer, a late answer does no harm and counts as canceled
}

// begin returns the context in which to make the request, whose vendor may continue the trace.
func begin(ctx context.Context, family served.Family, vendor string) (context.Context, *request) {
	ctx, span := traces.Within(ctx, string(family)+" "+vendor)
	return ctx, &request{family: family, told: family, vendor: vendor, began: time.Now(), span: span}
}

// came is called with each part of what the vendor produces.
func (r *request) came() {
	if !r.first {
		r.first, r.begun = true, true
		metrics.Since(metrics.VendorLatency.WithLabelValues(string(r.family), r.vendor), r.began)
	}
}

// end counts how the request went. One that nobody waits for any more is canceled, unless something had come or it was given up
// for a fault, such as taking too long.
func (r *request) end(ctx context.Context, err error) {
	outcome, failure := "ok", context.Cause(ctx)
	kind, faulty := fault.Of(failure)
	if !faulty {
		failure = err
		kind, faulty = fault.Of(err)
	}
	if faulty {
		served.Fail(ctx, r.told, served.FailureOf(r.vendor, r.begun, failure))
	}
	switch {
	case r.told == served.Answerer && kind == fault.Timeout:
		outcome = "canceled"
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
		for item, err := range items {
			if err != nil { // nothing follows; a stand-in is asked when this is counted
				r.end(ctx, err)
				yield(item, err)
				return
			}
			if something(item) {
				r.came()
			}
			if !yield(item, nil) {
				break
			}
		}
		r.end(ctx, nil)
	}
}

type meteredLLM struct {
	llm.Provider
	vendor, model string
}

// LLM returns model, counted as vendor; name is the model that it asks where a request names none.
func LLM(vendor, name string, model llm.Provider) llm.Provider {
	return meteredLLM{model, vendor, name}
}

// Stream implements llm.Provider.
func (m meteredLLM) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		bill := &tokens{request: &req}
		something := func(delta llm.Delta) bool {
			bill.add(&delta)
			return delta.Text != "" || len(delta.ToolCalls) > 0 || delta.Finish != ""
		}
		ctx, asked := begin(ctx, served.LLM, m.vendor)
		if req.Aside {
			asked.told = served.Answerer
		}
		defer func() {
			usage.Count(ctx, bill.use(m.vendor, cmp.Or(req.Model, m.model), asked.first))
		}()
		measure(ctx, asked, something, m.Provider.Stream(ctx, req))(yield)
	}
}

// tokens is what a request to a model takes.
type tokens struct {
	request  *llm.Request
	received int // bytes
	told     llm.Usage
}

func (t *tokens) add(delta *llm.Delta) {
	t.received += len(delta.Text)
	for _, call := range delta.ToolCalls {
		t.received += len(call.Name) + len(call.Arguments)
	}
	if delta.Usage != (llm.Usage{}) {
		t.told = delta.Usage
	}
}

// use returns what the request took: as the model tells at its end, or else by the lengths of the texts. One of which nothing
// came is taken to have failed.
func (t *tokens) use(vendor, model string, came bool) usage.Use {
	use := usage.Use{Family: served.LLM, Vendor: vendor, Model: model}
	switch {
	case t.told != (llm.Usage{}):
		use.Prompt, use.Cached, use.Completion = t.told.Prompt-t.told.Cached, t.told.Cached, t.told.Completion
	case came:
		use.Prompt, use.Completion, use.Estimated = usage.EstimateTokens(sizeOf(t.request)), usage.EstimateTokens(t.received), true
	}
	return use
}

// sizeOf returns the bytes of text that a model is sent.
func sizeOf(req *llm.Request) int {
	size := len(req.Schema)
	for _, message := range req.Messages {
		size += len(message.Content)
		for _, call := range message.ToolCalls {
			size += len(call.Name) + len(call.Arguments)
		}
	}
	for _, tool := range req.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	return size
}

type meteredTTS struct {
	tts.Provider
	vendor, model string
}

// TTS returns voice, counted as vendor; model is the one that it speaks with where a request names none.
func TTS(vendor, model string, voice tts.Provider) tts.Provider {
	return meteredTTS{voice, vendor, model}
}

// Speak implements tts.Provider. A text is charged as a whole once there is sound of it.
func (m meteredTTS) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		ctx, asked := begin(ctx, served.TTS, m.vendor)
		sound := func([]int16) bool {
			if !asked.first {
				characters := utf8.RuneCountInString(req.Text)
				usage.Count(ctx, usage.Use{Family: served.TTS, Vendor: m.vendor, Model: cmp.Or(req.Model, m.model), Characters: characters})
			}
			return true
		}
		measure(ctx, asked, sound, m.Provider.Speak(ctx, req))(yield)
	}
}
