package telephones

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

const frame = int64(audio.FrameDuration)

// tone is so many frames of sound, packed.
func tone(amplitude float64, n int) [][]byte {
	pcm := make([]int16, n*audio.FrameLen)
	for i := range pcm {
		pcm[i] = int16(amplitude * math.Sin(float64(i)/3))
	}
	return frames(pcm)
}

func packetOf(sequence uint16, timestamp uint32, marker byte, payload []byte) []byte {
	header := make([]byte, headerLen)
	header[0], header[1] = version, payloadMu|marker
	binary.BigEndian.PutUint16(header[2:], sequence)
	binary.BigEndian.PutUint32(header[4:], timestamp)
	return slices.Concat(header, payload)
}

func TestLatePacketsAreThoseBehindTheEarliest(t *testing.T) {
	t.Parallel()
	const began = math.MaxUint16 - 1 // so that numbers and timestamps wrap
	phone := newTelephone(tone(1000, 1), 0)
	for i, c := range []struct {
		sequence    uint16
		marker      byte
		delay       time.Duration
		late, lost  int
		description string
	}{
		{0, markerBit, 5 * time.Millisecond, 0, 0, "the first is on time, whenever it comes"},
		{1, 0, 0, 0, 0, "one that comes earlier moves what is on time"},
		{2, 0, 11 * time.Millisecond, 1, 0, "late by that"},
		{3, 0, 9 * time.Millisecond, 1, 0, "within the tolerance"},
		{6, 0, 0, 1, 2, "two are missing"},
		{7, markerBit, 300 * time.Millisecond, 1, 2, "a talkspurt begins on a clock of its own"},
		{8, 0, 305 * time.Millisecond, 1, 2, "which counts from then on"},
	} {
		at := int64(c.sequence)*frame + int64(c.delay)
		packet := packetOf(uint16(began+int(c.sequence)), uint32(math.MaxUint32-200+int(c.sequence)*audio.FrameLen), c.marker, silence)
		require.True(t, phone.hear(packet, at))
		require.Equal(t, Notes{Heard: i + 1, Late: c.late, Lost: c.lost}, phone.notes, c.description)
	}
}

func TestTelephoneAsksBehindAPauseAndNotesTheAnswer(t *testing.T) {
	t.Parallel()
	question, voice := tone(8000, 3), tone(8000, 1)[0]
	phone := newTelephone(question, 0)
	now, sequence := int64(0), uint16(0)
	step := func(heard []byte) (asked []byte, marked bool) {
		now += frame
		sequence++
		phone.hear(packetOf(sequence, uint32(sequence)*audio.FrameLen, 0, heard), now)
		header, payload := phone.speak(now)
		require.Equal(t, phone.timestamp-audio.FrameLen, binary.BigEndian.Uint32(header[4:]), "the next is a frame later")
		return payload, header[1]&markerBit != 0
	}
	for range 100 {
		asked, _ := step(silence)
		require.Equal(t, silence, asked, "nobody has spoken")
	}
	step(voice)
	quiet := 0
	for ; ; quiet++ {
		asked, marked := step(silence)
		if marked {
			require.Equal(t, question[0], asked)
			break
		}
		require.Equal(t, silence, asked)
	}
	require.Equal(t, int(pause/audio.FrameDuration)-1, quiet)
	asked, _ := step(voice) // into the question: no answer to it
	require.Equal(t, question[1], asked)
	asked, _ = step(silence)
	require.Equal(t, question[2], asked)
	require.Empty(t, phone.notes.Answers)
	step(silence)
	step(silence)
	step(voice)
	require.Equal(t, []int64{now}, phone.notes.Answers)
	step(voice)
	require.Len(t, phone.notes.Answers, 1, "the rest of the answer is none of its own")
}

func TestVoicesAreLouderThanNoise(t *testing.T) {
	t.Parallel()
	require.False(t, isLoud(silence))
	require.False(t, isLoud(tone(100, 1)[0]), "about -53 dBFS")
	require.True(t, isLoud(tone(400, 1)[0]), "about -41 dBFS")
}
