package pcm

import (
	"encoding/binary"
	"io"
	"iter"
)

// readSize is how much is read at once, in bytes: small, so that speech starts early.
const readSize = 4096

// Stream reads headerless signed 16-bit little-endian mono samples of rate hertz until
// the end of r and yields them at Rate, in chunks as they arrive. After an error nothing
// follows; half a sample at the end is dropped.
func Stream(r io.Reader, rate int) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		resampler, err := NewResampler(rate)
		if err != nil {
			yield(nil, err)
			return
		}
		buffer, kept := make([]byte, readSize), 0 // kept: 1 when half a sample waits in buffer
		for {
			n, err := r.Read(buffer[kept:])
			n += kept
			if out := resampler.Write(decode(buffer[:n])); len(out) > 0 && !yield(out, nil) {
				return
			}
			if kept = n % 2; kept == 1 {
				buffer[0] = buffer[n-1]
			}
			switch {
			case err == io.EOF: // and nothing that wraps it: then the end is missing
				if rest := resampler.Flush(); len(rest) > 0 {
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

func decode(data []byte) []int16 {
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return samples
}
