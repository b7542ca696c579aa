package audio

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Anchors from ITU-T G.711: idle codes, full scale and the signs.
func TestDecodeAnchors(t *testing.T) {
	for _, c := range []struct {
		law    Law
		code   byte
		sample int16
	}{
		{Mu, 0xff, 0}, {Mu, 0x7f, 0}, {Mu, 0x80, 32124}, {Mu, 0x00, -32124}, {Mu, 0xfe, 8},
		{A, 0xd5, 8}, {A, 0x55, -8}, {A, 0xaa, 32256}, {A, 0x2a, -32256},
	} {
		require.Equal(t, []int16{c.sample}, c.law.Decode(nil, []byte{c.code}), "%s code %#x", c.law, c.code)
	}
}

func TestEveryCodeSurvivesTheRoundTrip(t *testing.T) {
	for _, law := range []Law{Mu, A} {
		for code := range 256 {
			if law == Mu && code == 0x7f {
				continue // the negative zero of mu-law becomes the positive one
			}
			pcm := law.Decode(nil, []byte{byte(code)})
			require.Equal(t, []byte{byte(code)}, law.Encode(nil, pcm), "%s code %#x", law, code)
		}
	}
}

func TestEncodingErrorStaysWithinTheStep(t *testing.T) {
	for _, law := range []Law{Mu, A} {
		for s := math.MinInt16; s <= math.MaxInt16; s++ {
			back := law.Decode(nil, law.Encode(nil, []int16{int16(s)}))[0]
			step := max(16, math.Abs(float64(s))/16) // 8 segments of 16 steps
			require.LessOrEqual(t, math.Abs(float64(back)-float64(s)), step, "%s %d", law, s)
		}
	}
}

// Whole frames are encoded as the definition has it for each sample, also those that are silent.
func TestEncodingFollowsTheDefinition(t *testing.T) {
	for law, encode := range map[Law]func(int16) byte{Mu: encodeMu, A: encodeA} {
		pcm := make([]int16, FrameLen)
		for first := math.MinInt16 - FrameLen; first <= math.MaxInt16; first += FrameLen {
			want := []byte{1, 2, 3}
			for i := range pcm {
				pcm[i] = int16(max(min(first+i, math.MaxInt16), math.MinInt16))
				want = append(want, encode(pcm[i]))
			}
			require.Equal(t, want, law.Encode([]byte{1, 2, 3}, pcm), "%s from %d", law, first)
		}
		clear(pcm)
		require.Equal(t, bytes.Repeat([]byte{encode(0)}, FrameLen), law.Encode(nil, pcm))
		pcm[FrameLen-1] = math.MaxInt16
		require.Equal(t, encode(math.MaxInt16), law.Encode(nil, pcm)[FrameLen-1])
	}
}

func TestCodingOnlyAllocatesItsResult(t *testing.T) {
	pcm, code := make([]int16, FrameLen), make([]byte, FrameLen)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		code = Mu.Encode(code[:0], pcm)
		pcm = A.Decode(pcm[:0], code)
	}))
}
