package audio

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConcealmentFadesWithoutSteps(t *testing.T) {
	t.Parallel()
	var c Concealer
	tone := Tone(FrameDuration, -15, 230)
	c.Heard(tone)
	made := c.Conceal(c.Conceal(c.Conceal(nil)))
	require.Len(t, made, 3*FrameLen)
	step, biggest := 0, 0
	for i := 1; i < len(tone); i++ {
		step = max(step, abs(int(tone[i])-int(tone[i-1])))
	}
	before := append(tone[FrameLen-1:], made...)
	for i := 1; i < len(before); i++ {
		biggest = max(biggest, abs(int(before[i])-int(before[i-1])))
	}
	require.LessOrEqual(t, biggest, step+step/10, "no louder click than the sound itself has")
	first, second, third := loudest(made[:FrameLen]), loudest(made[FrameLen:2*FrameLen]), loudest(made[2*FrameLen:])
	require.Greater(t, first, second)
	require.Greater(t, second, third)
	require.Greater(t, first, loudest(tone)*3/4)

	require.Zero(t, loudest(c.Conceal(nil)), "then silence")
	c.Heard(tone)
	require.Equal(t, made[:FrameLen], c.Conceal(nil), "until something is heard again")
}

func TestNothingIsConcealedWithSilence(t *testing.T) {
	t.Parallel()
	var c Concealer
	require.Equal(t, make([]int16, FrameLen), c.Conceal(nil))
}

func loudest(pcm []int16) (peak int) {
	for _, v := range pcm {
		peak = max(peak, abs(int(v)))
	}
	return peak
}

func abs(v int) int { return max(v, -v) }
