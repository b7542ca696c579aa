package media

import (
	"testing"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"
)

type delivery struct{ sequence, missing int }

func pushAll(t *testing.T, sequences []uint16) (got []delivery, refused []uint16) {
	t.Helper()
	var r receiveBuffer
	r.deliver = func(p *packet, missing int) {
		require.Equal(t, byte(p.sequence), p.data[0])
		got = append(got, delivery{int(p.sequence), missing})
	}
	for _, s := range sequences {
		if !r.push(&rtp.Packet{Header: rtp.Header{SequenceNumber: s, SSRC: 7}, Payload: []byte{byte(s)}}) {
			refused = append(refused, s)
		}
	}
	return got, refused
}

func TestPacketsComeInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in      []uint16
		want    []delivery
		refused []uint16
	}{
		"in order":   {[]uint16{9, 10, 11}, []delivery{{9, 0}, {10, 0}, {11, 0}}, nil},
		"swapped":    {[]uint16{9, 11, 10, 12}, []delivery{{9, 0}, {10, 0}, {11, 0}, {12, 0}}, nil},
		"wraps":      {[]uint16{65534, 0, 65535, 1}, []delivery{{65534, 0}, {65535, 0}, {0, 0}, {1, 0}}, nil},
		"twice":      {[]uint16{1, 1, 3, 3, 2}, []delivery{{1, 0}, {2, 0}, {3, 0}}, []uint16{1, 3}},
		"one lost":   {[]uint16{1, 3, 4, 5, 6}, []delivery{{1, 0}, {3, 1}, {4, 0}, {5, 0}, {6, 0}}, nil},
		"too late":   {[]uint16{1, 3, 4, 5, 6, 2}, []delivery{{1, 0}, {3, 1}, {4, 0}, {5, 0}, {6, 0}}, []uint16{2}},
		"two holes":  {[]uint16{1, 3, 5, 6, 7, 8, 9}, []delivery{{1, 0}, {3, 1}, {5, 1}, {6, 0}, {7, 0}, {8, 0}, {9, 0}}, nil},
		"ten lost":   {[]uint16{1, 12, 13, 14, 15}, []delivery{{1, 0}, {12, 10}, {13, 0}, {14, 0}, {15, 0}}, nil},
		"hole, jump": {[]uint16{1, 3, 20, 21, 22, 23}, []delivery{{1, 0}, {3, 1}, {20, 16}, {21, 0}, {22, 0}, {23, 0}}, nil},
		"new stream": {[]uint16{1, 3, 5000, 5001}, []delivery{{1, 0}, {3, 1}, {5000, 0}, {5001, 0}}, nil},
	} {
		got, refused := pushAll(t, c.in)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.refused, refused, name)
	}
}

func FuzzReorder(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 5, 3, 200, 4})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var sequences []uint16
		for i, s := range steps {
			sequences = append(sequences, uint16(i)+uint16(s%16))
		}
		got, refused := pushAll(t, sequences)
		for i := 1; i < len(got); i++ {
			require.Equal(t, got[i-1].sequence+1+got[i].missing, got[i].sequence, "in order, and losses add up")
		}
		require.LessOrEqual(t, len(got)+len(refused), len(sequences))
		require.GreaterOrEqual(t, len(got)+len(refused), len(sequences)-reorderDepth)
	})
}
