package audio

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
)

const (
	readSize      = 4096 // bytes that Stream reads at once: few, so that speech starts early
	minStreamRate = Rate // of synthesised speech, in hertz
	maxStreamRate = 192_000
)

// Stream reads headerless signed 16-bit little-endian mono samples of rate hertz, from Rate to 192 kHz, until the end of r
// and yields them in a band, in chunks as they arrive. It delays them by about 3 ms. Nothing follows an error. Half a sample
// at the end is dropped.
func Stream(r io.Reader, rate int, band Band) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if err := checkStreamRate(rate); err != nil {
			yield(nil, err)
			return
		}
		resampler, err := NewResampler(rate, band.Rate())
		if err != nil {
			yield(nil, err)
			return
		}
		buffer, kept := make([]byte, readSize), 0 // kept: 1 when half a sample waits in buffer
		for {
			n, err := r.Read(buffer[kept:])
			n += kept
			if out := resampler.Push(nil, decodeSamples(buffer[:n])); len(out) > 0 && !yield(out, nil) {
				return
			}
			if kept = n % 2; kept == 1 {
				buffer[0] = buffer[n-1]
			}
			switch {
			case err == io.EOF: // an error that wraps io.EOF means that the end is missing
				if rest := resampler.Flush(nil); len(rest) > 0 {
					yield(rest, nil)
				}
				return
			case err != nil:
				yield(nil, err)
				return
			}
		}
	}
}

func checkStreamRate(rate int) error {
	if rate < minStreamRate || rate > maxStreamRate {
		return fmt.Errorf("sampling rate %d Hz is not between %d and %d", rate, minStreamRate, maxStreamRate)
	}
	return nil
}

func decodeSamples(data []byte) []int16 {
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return samples
}
