package worker

import (
	"context"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/traces"
)

// spanOf begins a span of a call, in the trace of the request that made it.
func spanOf(ctx context.Context, call *dbsqlc.Call, name string) (context.Context, traces.Span) {
	ctx, span := traces.Begin(traces.Continue(ctx, call.Traceparent, call.ID), name)
	span.Set("call_id", call.ID.String())
	span.Set("account_id", call.AccountID.String())
	return ctx, span
}

// traceTurn adds the span of an answer, from when the caller fell silent until the first sound; nil: the turn answers nobody.
// answered is when the call was.
func traceTurn(ctx context.Context, answered time.Time, timing *jsonb.TurnTiming) {
	if timing == nil {
		return
	}
	at := func(ms int) time.Time { return answered.Add(time.Duration(ms) * time.Millisecond) }
	stages := timing.Stages()
	traces.Past(ctx, "turn", at(timing.SpeechEndedMS), at(timing.FirstSoundMS), map[string]int{
		"transcriber_ms": stages.Transcriber, "endpointing_ms": stages.Endpointing, "model_ms": stages.Model, "voice_ms": stages.Voice,
	})
}
