package echo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

// TestThePastIsARing compares what is read of a past with a list of all samples.
func TestThePastIsARing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	frame, other := make([]int16, audio.FrameLen), make([]int16, audio.FrameLen)
	played := append([]int16{}, make([]int16, 1+span)...) // silence before the first
	arrived := slices.Clone(played)
	p := past{sound: new(sound)}
	p.forget()
	for range 3 * span / audio.FrameLen {
		for i := range frame {
			frame[i], other[i] = int16(random.Uint32()), int16(random.Uint32())
		}
		p.add(frame, other)
		arrived, played = append(arrived, frame...), law.Decode(played, law.Encode(nil, other)) // as it left
		for _, n := range []int{1, audio.FrameLen, window} {
			got := make([]float32, n)
			p.emphasiseArrived(got)
			require.Equal(t, emphasisedOf(arrived, n, 0), got)
			for _, ago := range []int{0, 1, 777, span - n - 1, span - n} {
				p.emphasisePlayed(got, ago)
				require.Equal(t, emphasisedOf(played, n, ago), got)
			}
		}
	}
}

// emphasisedOf returns n samples that ended so many samples ago.
func emphasisedOf(all []int16, n, ago int) []float32 {
	out := make([]float32, n)
	for i := range out {
		at := len(all) - ago - n + i
		out[i] = float32(all[at]) - emphasised*float32(all[at-1])
	}
	return out
}
