package media

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

func TestEventsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, key := range []byte(EventKeys) {
		for _, e := range []event{{key, false, 160}, {key, true, 65535}} {
			got, ok := parseEvent(e.append(nil))
			require.True(t, ok)
			require.Equal(t, e, got)
		}
	}
	for _, payload := range [][]byte{nil, {1, 2, 3}, {16, 0, 0, 0}, {255, 0, 0, 0}} {
		_, ok := parseEvent(payload)
		require.False(t, ok)
	}
}

func press(digits string, lose func(i int) bool) string {
	var w eventWriter
	var r eventReader
	var got []byte
	w.queue(digits)
	timestamp := uint32(0xffffff00) // wraps on the way
	for i := range 1000 {
		if e, start, ok := w.tick(timestamp); ok && !lose(i) {
			if key := r.press(e.append(nil), start); key != 0 {
				got = append(got, key)
			}
		}
		timestamp += audio.FrameLen
	}
	return string(got)
}

func TestKeysSurviveLostPackets(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12#11", press("12#11", func(int) bool { return false }))
	require.Equal(t, "12#11", press("12#11", func(i int) bool { return i%3 != 0 }))
	require.Equal(t, "7AD", press("7-a d?", func(int) bool { return false }))
	random := rand.New(rand.NewPCG(5, 6))
	require.Equal(t, EventKeys, press(EventKeys, func(int) bool { return random.IntN(4) == 0 }))
}

func TestACommaWaits(t *testing.T) {
	t.Parallel()
	var w eventWriter
	w.queue("1,2")
	var ticks []int
	for i := range 100 {
		if e, _, ok := w.tick(uint32(i * audio.FrameLen)); ok && e.duration == audio.FrameLen {
			ticks = append(ticks, i)
		}
	}
	require.Len(t, ticks, 2)
	require.GreaterOrEqual(t, ticks[1]-ticks[0], waitTicks)
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte{5, 0x8a, 1, 0}, uint32(1000))
	f.Fuzz(func(t *testing.T, payload []byte, timestamp uint32) {
		var r eventReader
		first, second := r.press(payload, timestamp), r.press(payload, timestamp)
		require.True(t, first == 0 || strings.IndexByte(EventKeys, first) >= 0)
		require.Zero(t, second, "one event is one press")
	})
}

// A far end that moves to another media server goes on with other timestamps.
func TestKeysOfANewStream(t *testing.T) {
	t.Parallel()
	var r eventReader
	one, two := event{key: '1'}.append(nil), event{key: '2'}.append(nil)
	require.EqualValues(t, '1', r.press(one, 3_000_000_000))
	require.Zero(t, r.press(one, 3_000_000_000))
	require.EqualValues(t, '2', r.press(two, 2_000_000_000))
	require.Zero(t, r.press(one, 2_000_000_000-audio.Rate), "it was told before")
	require.EqualValues(t, '1', r.press(one, 2_000_008_000))
}
