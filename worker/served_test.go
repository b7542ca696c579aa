package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/served"
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
