// Package embedtest has the conformance suite of embed.Provider, and a fake that passes it: the fake knows the letters
// of words, and of their meaning only what a test says.
//
// It knows the contract of package embed and the wire format of OpenAI's embeddings. It must not know any provider.
package embedtest

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
)

var texts = []string{
	"You can park your car behind the house.", "Cars are parked behind our house.", "Der Vogel singt morgens um sechs.",
	"ë \x00\n 日本",
}

// Run checks a provider.
func Run(t *testing.T, p embed.Provider) {
	t.Helper()
	t.Run("says its names", func(t *testing.T) { require.NotEmpty(t, p.Name()); require.NotEmpty(t, p.Model()) })
	t.Run("embeds", func(t *testing.T) { embeds(t, p) })
	t.Run("embeds nothing", func(t *testing.T) { nothing(t, p) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, p) })
	t.Run("embeds several at once", func(t *testing.T) { concurrent(t, p) })
}

func embeds(t *testing.T, p embed.Provider) {
	t.Helper()
	together, err := p.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, together, len(texts))
	for i, text := range texts {
		require.NotEmpty(t, together[i])
		require.LessOrEqual(t, len(together[i]), embed.MaxDimensions)
		require.Len(t, together[i], len(together[0]))
		alone, err := p.Embed(t.Context(), []string{text})
		require.NoError(t, err)
		require.Greater(t, cosine(alone[0], together[i]), 0.99, "the same text, alone")
	}
	require.Greater(t, cosine(together[0], together[1]), cosine(together[0], together[2])+0.1, "about the same, and something else")
}

// cosine returns the cosine similarity of two vectors; NaN if one of them is zero.
func cosine(a, b []float32) float64 {
	var dot, squareA, squareB float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		squareA += float64(a[i]) * float64(a[i])
		squareB += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(squareA*squareB)
}

func nothing(t *testing.T, p embed.Provider) {
	t.Helper()
	vectors, err := p.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, vectors)
}

func cancelled(t *testing.T, p embed.Provider) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Embed(ctx, texts)
	require.ErrorIs(t, err, context.Canceled)
	_, isFault := fault.Of(err)
	require.False(t, isFault, "%v", err)
}

func concurrent(t *testing.T, p embed.Provider) {
	t.Helper()
	vectors := make([][][]float32, 4)
	var embedding sync.WaitGroup
	for i := range vectors {
		embedding.Go(func() {
			if found, err := p.Embed(t.Context(), texts[i:i+1]); err == nil {
				vectors[i] = found
			}
		})
	}
	embedding.Wait()
	for _, found := range vectors {
		require.Len(t, found, 1)
	}
}

// Serve responds like OpenAI's embeddings, with the vectors of p, until the test is over.
func Serve(t *testing.T, p embed.Provider) (baseURL string) {
	t.Helper()
	return faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if r.URL.Path != "/v1/embeddings" || json.NewDecoder(r.Body).Decode(&asked) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		vectors, err := p.Embed(r.Context(), asked.Input)
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		data := make([]map[string]any, len(vectors))
		for i, vector := range vectors {
			data[i] = map[string]any{"object": "embedding", "index": i, "embedding": vector}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": p.Model()})
	})
}
