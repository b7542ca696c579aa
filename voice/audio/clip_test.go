package audio_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

func clipOf(pieces ...[]int16) *audio.Clip {
	clip := &audio.Clip{}
	for _, piece := range pieces {
		clip.Append(piece)
	}
	return clip
}

// flat returns what follows the first n samples, in one piece.
func flat(clip *audio.Clip, n int) []int16 {
	return append([]int16{}, slices.Concat(clip.From(n)...)...)
}

func TestClip(t *testing.T) {
	t.Parallel()

	whole := func() *audio.Clip { return clipOf([]int16{1, 2, 3}, nil, []int16{4}, []int16{5, 6}) }
	for n := range 8 {
		kept := min(n, 6)
		all := []int16{1, 2, 3, 4, 5, 6}

		clip, read := whole(), make([]int16, n)
		require.Equal(t, kept, clip.Read(read))
		require.Equal(t, all[:kept], read[:kept])
		require.Equal(t, 6-kept, clip.Len())
		require.Equal(t, all[kept:], flat(clip, 0))

		clip = whole()
		require.Equal(t, all[kept:], flat(clip, n))
		require.Equal(t, 6, clip.Len())
		clip.Skip(n)
		require.Equal(t, 6-kept, clip.Len())

		clip = whole()
		clip.Cut(n)
		require.Equal(t, kept, clip.Len())
		require.Equal(t, all[:kept], flat(clip, 0))
		clip.Append([]int16{7})
		require.Equal(t, append(slices.Clone(all[:kept]), 7), flat(clip, 0))
	}
}
