package embed_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/embed/embedtest"
	"github.com/callwright/callwright/providers/fault"
)

// moody is a fake that may fail or hang.
type moody struct {
	*embedtest.Fake
	asked int
	err   error
	hangs bool
}

func (m *moody) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m.asked++
	if m.hangs {
		<-ctx.Done()
		return nil, fault.FromNet(m.Name(), ctx.Err())
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.Fake.Embed(ctx, texts)
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	require.Nil(t, embed.NewQuestions(nil, nil).Embed(t.Context(), "Are you open?"), "no provider")

	synctest.Test(t, func(t *testing.T) {
		provider := &moody{Fake: embedtest.NewFake("fake")}
		questions := embed.NewQuestions(provider, slog.New(slog.DiscardHandler))
		meaning := questions.Embed(t.Context(), "Are you open?")
		require.Equal(t, "fake", meaning.Model)
		require.NotEmpty(t, meaning.Vector)

		provider.hangs = true
		began := time.Now()
		require.Nil(t, questions.Embed(t.Context(), "Are you open?"))
		require.Equal(t, time.Second, time.Since(began))
		require.Nil(t, questions.Embed(t.Context(), "Are you open?"))
		require.Equal(t, time.Second, time.Since(began), "it is left alone for a while")
		require.Equal(t, 2, provider.asked)

		provider.hangs = false
		time.Sleep(10 * time.Second)
		require.NotNil(t, questions.Embed(t.Context(), "Are you open?"))
		provider.err = fault.New(fault.Unavailable, "fake", "busy")
		require.Nil(t, questions.Embed(t.Context(), "Are you open?"))
	})
}

// A caller who hangs up says nothing of the provider.
func TestQuestionsOfSomebodyWhoLeft(t *testing.T) {
	t.Parallel()
	provider := &moody{Fake: embedtest.NewFake("fake")}
	questions := embed.NewQuestions(provider, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Nil(t, questions.Embed(ctx, "Are you open?"))
	require.NotNil(t, questions.Embed(t.Context(), "Are you open?"))
}
