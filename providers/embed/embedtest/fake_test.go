package embedtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFake(t *testing.T) {
	t.Parallel()
	Run(t, NewFake("fake"))
}

func TestFakeOfWordsThatMeanTheSame(t *testing.T) {
	t.Parallel()
	f := NewFake("fake", []string{"car", "automobile"})
	vectors, err := f.Embed(t.Context(), []string{"a car", "A: automobile", "a carpet"})
	require.NoError(t, err)
	require.Greater(t, cosine(vectors[0], vectors[1]), 0.9)
	require.Less(t, cosine(vectors[0], vectors[2]), 0.8)
	other, err := NewFake("other").Embed(t.Context(), []string{"a car"})
	require.NoError(t, err)
	require.Less(t, cosine(vectors[0], other[0]), 0.3)
}
