package vad

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sync"
)

//go:embed silero8k.bin
var weightsFile []byte

var embeddedWeights = sync.OnceValues(func() (*weights, error) { return readWeights(weightsFile) })

const (
	weightsMagic = "SVAD8K1f"
	weightsCount = 198017
	headerSize   = len(weightsMagic) + 8 // magic, value count, CRC-32
)

// weights is the network, read-only and shared by all streams.
type weights struct {
	re, im  *matrix // 65 and 64 bins x 64
	enc0    *matrix // 128 x (3 columns x 65 bins)
	enc1    *matrix // 64 x (3 columns x 128)
	enc2    *matrix // 64 x (2 columns x 64)
	enc3    *matrix // 128 x 64
	lstm    *matrix // 512 x (128 input + 128 hidden), gates i f g o
	dec     [hidden]float32
	decBias float32

	scratches sync.Pool // of *scratch: a frame needs one for some microseconds only
}

// readWeights makes the network of a file.
func readWeights(file []byte) (*weights, error) {
	values, err := readValues(file)
	if err != nil {
		return nil, err
	}
	w := layOut(values)
	w.lstm.shrink()
	return w, nil
}

// readValues parses little-endian float32 values behind a header that guards against a
// truncated or damaged file.
func readValues(file []byte) ([]float32, error) {
	if len(file) < headerSize || string(file[:len(weightsMagic)]) != weightsMagic {
		return nil, errors.New("read weights: not a weights file")
	}
	count := binary.LittleEndian.Uint32(file[len(weightsMagic):])
	sum := binary.LittleEndian.Uint32(file[len(weightsMagic)+4:])
	payload := file[headerSize:]
	if count != weightsCount || len(payload) != 4*weightsCount {
		return nil, fmt.Errorf("read weights: %d values in %d bytes, want %d", count, len(payload), weightsCount)
	}
	if crc32.ChecksumIEEE(payload) != sum {
		return nil, errors.New("read weights: checksum does not match")
	}
	values := make([]float32, weightsCount)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))
	}
	return values, nil
}

// layOut cuts the flat list of values into the layers of the network, whose matrices come in blocks of 8 rows, column by
// column.
func layOut(values []float32) *weights {
	take := func(n int) []float32 {
		taken := values[:n:n]
		values = values[n:]
		return taken
	}
	layer := func(rows, inputs, columns, step int, floor float32) *matrix {
		w := take(rows * inputs)
		return newMatrix(w, take(rows), columns, step, floor)
	}
	unbounded := float32(math.Inf(-1))
	w := &weights{scratches: sync.Pool{New: func() any { return new(scratch) }}}
	w.re, w.im = newSpectrum()
	w.enc0 = layer(128, 3*bins, columns, bins, 0)
	w.enc1 = layer(64, 3*128, 2, 2*128, 0)
	w.enc2 = layer(64, 2*64, 1, 0, 0)
	w.enc3 = layer(128, 64, 1, 0, 0)
	w.lstm = layer(4*hidden, 2*hidden, 1, 0, unbounded)
	w.dec, w.decBias = [hidden]float32(take(hidden)), take(1)[0]
	return w
}
