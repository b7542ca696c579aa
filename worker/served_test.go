package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/usage"
)

func TestTally(t *testing.T) {
	t.Parallel()

	vendors := &tally{}
	for _, by := range []served.By{{Vendor: "openai"}, {Vendor: "groq", StandIn: true}, {Vendor: "openai"}} {
		vendors.add(served.LLM, by)
	}
	got := vendors.providers()
	require.Equal(t, []jsonb.ServedBy{}, got.Transcriber)
	require.Equal(t, []jsonb.ServedBy{}, got.Voice)
	require.Len(t, got.Model, 2)
	require.False(t, got.Model[1].Since.Before(got.Model[0].Since))
	require.Equal(t, jsonb.ServedBy{Provider: "openai", Times: 2, Since: got.Model[0].Since}, got.Model[0])
	require.Equal(t, jsonb.ServedBy{Provider: "groq", StandIn: true, Times: 1, Since: got.Model[1].Since}, got.Model[1])
}

func TestTallyOfUse(t *testing.T) {
	t.Parallel()

	vendors := &tally{}
	require.Nil(t, vendors.growth())
	ctx := vendors.meter(t.Context())
	for range 3 {
		usage.Count(ctx, usage.Use{Family: served.STT, Vendor: "deepgram", Model: "nova-3", Sound: 1500 * time.Microsecond})
	}
	usage.Count(ctx, usage.Use{Family: served.LLM, Vendor: "openai", Model: "m", Prompt: 100, Cached: 20, Completion: 7})
	before := vendors.growth()
	require.Nil(t, vendors.growth(), "nothing was used since")
	usage.Count(ctx, usage.Use{Family: served.LLM, Vendor: "openai", Model: "m", Prompt: 50, Completion: -9, Estimated: true})
	usage.Count(ctx, usage.Use{Family: served.TTS, Vendor: "flite", Characters: 12})
	require.Equal(t, jsonb.Usage{
		{Type: "transcriber", Provider: "deepgram", Model: "nova-3", Kind: "transcriber_minutes", Quantity: 4},
		{Type: "model", Provider: "openai", Model: "m", Kind: "prompt_tokens", Quantity: 150, Estimated: true},
		{Type: "model", Provider: "openai", Model: "m", Kind: "cached_tokens", Quantity: 20},
		{Type: "model", Provider: "openai", Model: "m", Kind: "completion_tokens", Quantity: 7},
		{Type: "voice", Provider: "flite", Kind: "characters", Quantity: 12},
	}, vendors.usage())
	require.EqualValues(t, 100, before[1].Quantity, "what was written does not change")

	lost := usageOf([]*dbsqlc.CallTurn{{Role: "assistant"}, {Role: "assistant", Usage: before}, {Role: "user"}})
	require.Equal(t, before, lost)
	require.Nil(t, usageOf(nil))
}
