package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/usage"
)

// TestUsage: tokens are counted as the server tells them, and estimated where it does not; vectors that cannot be used are
// charged too.
func TestUsage(t *testing.T) {
	t.Parallel()
	const vectors = `"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}]`
	for name, c := range map[string]struct {
		response string
		want     usage.Use
	}{
		"told":      {`{` + vectors + `,"usage":{"prompt_tokens":7,"total_tokens":7}}`, usage.Use{Embedding: 7}},
		"not told":  {`{` + vectors + `}`, usage.Use{Embedding: 1 + 3, Estimated: true}},
		"wrong":     {`{` + vectors + `,"usage":{"prompt_tokens":-7}}`, usage.Use{Embedding: 1 + 3, Estimated: true}},
		"no vector": {`{"data":[],"usage":{"prompt_tokens":7}}`, usage.Use{Embedding: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var used []usage.Use
			ctx := usage.Meter(t.Context(), func(use usage.Use) { used = append(used, use) })
			_, err := answering(t, 0, c.response).Embed(ctx, []string{"a", "nine text"})
			require.Equal(t, name == "no vector", err != nil)
			c.want.Family, c.want.Vendor, c.want.Model = served.Embeddings, "openai", "fake"
			require.Equal(t, []usage.Use{c.want}, used)
		})
	}
}
