package audio

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBands(t *testing.T) {
	t.Parallel()
	for band, rate := range map[Band]int{Narrow: 8000, Wide: 16_000} {
		require.Equal(t, rate, band.Rate())
		require.Equal(t, rate/50, band.FrameLen())
		require.Equal(t, FrameDuration, band.Duration(band.FrameLen()))
		require.Equal(t, band.FrameLen(), band.Samples(FrameDuration))
		frame := CopyFrame(make([]int16, band.FrameLen()))
		require.Len(t, frame, band.FrameLen())
		GiveFrame(frame)
	}
	require.Equal(t, Duration(12345), Narrow.Duration(12345))
	require.Equal(t, Samples(time.Hour), Narrow.Samples(time.Hour))
}

func TestConvertersKeepFrames(t *testing.T) {
	t.Parallel()
	wide := Tone(2*time.Second, -20, 600) // at twice the rate it is a second of 1,200 Hz
	down, up := NewConverter(Wide, Narrow), NewConverter(Narrow, Wide)
	var narrow, back []int16
	for at := 0; at < len(wide); at += Wide.FrameLen() {
		frame := down.Push(nil, wide[at:at+Wide.FrameLen()])
		require.Len(t, frame, FrameLen)
		narrow = append(narrow, frame...)
		frame = up.Push(nil, frame)
		require.Len(t, frame, Wide.FrameLen())
		back = append(back, frame...)
	}
	require.Greater(t, Purity(narrow[1000:1205], 1200), 0.95, "the same pitch at half the rate")
	require.Greater(t, distance(wide, back, down.Lag()+up.Lag()), 40.0, "dB")
}

func TestAConverterBetweenEqualBandsDoesNothing(t *testing.T) {
	t.Parallel()
	c := NewConverter(Wide, Wide)
	require.Zero(t, c.Lag())
	require.Equal(t, []int16{1, 2, 3}, c.Push(nil, []int16{1, 2, 3}))
}
