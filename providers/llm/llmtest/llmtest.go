// Package llmtest has the conformance suite of llm.Provider.
//
// It knows the contract of package llm. It must not know any provider.
package llmtest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
)

// Ask returns a whole reply: its text and its last delta.
func Ask(ctx context.Context, p llm.Provider, req llm.Request) (text string, last llm.Delta, err error) {
	var all strings.Builder
	for delta, err := range p.Stream(ctx, req) {
		if err != nil {
			return all.String(), last, err
		}
		all.WriteString(delta.Text)
		last = delta
	}
	return all.String(), last, nil
}

// Run checks a provider that replies to req with some words.
func Run(t *testing.T, p llm.Provider, req llm.Request) {
	t.Helper()
	t.Run("says its name", func(t *testing.T) { require.NotEmpty(t, p.Name()) })
	t.Run("streams", func(t *testing.T) { streams(t, p, req) })
	t.Run("can be left", func(t *testing.T) { left(t, p, req) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, p, req) })
	t.Run("concurrent requests", func(t *testing.T) { concurrent(t, p, req) })
}

func streams(t *testing.T, p llm.Provider, req llm.Request) {
	t.Helper()
	var finishes, pieces int
	for delta, err := range p.Stream(t.Context(), req) {
		require.NoError(t, err)
		require.Zero(t, finishes, "something followed the last delta")
		if delta.Text != "" {
			pieces++
		}
		if delta.Finish != "" {
			finishes++
			continue
		}
		require.Empty(t, delta.ToolCalls, "tool calls before the last delta")
	}
	require.Equal(t, 1, finishes)
	require.Greater(t, pieces, 1, "the reply was not streamed")
}

func left(t *testing.T, p llm.Provider, req llm.Request) {
	t.Helper()
	for _, err := range p.Stream(t.Context(), req) {
		require.NoError(t, err)
		break
	}
}

func cancelled(t *testing.T, p llm.Provider, req llm.Request) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := Ask(ctx, p, req)
	require.ErrorIs(t, err, context.Canceled)
	_, isFault := fault.Of(err)
	require.False(t, isFault, "%v", err)
}

func concurrent(t *testing.T, p llm.Provider, req llm.Request) {
	t.Helper()
	texts := make([]string, 4)
	var asked sync.WaitGroup
	for i := range texts {
		asked.Go(func() {
			text, _, err := Ask(t.Context(), p, req)
			if err == nil {
				texts[i] = text
			}
		})
	}
	asked.Wait()
	require.NotContains(t, texts, "")
}
