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

// weights is the network, read-only and shared by all streams. Matrices are stored in
// blocks of 8 rows, column by column (see gemv).
type weights struct {
	enc0, bias0 []float32 // 128 x (3 columns x 65 bins)
	enc1, bias1 []float32 // 64 x (3 columns x 128)
	enc2, bias2 []float32 // 64 x (2 columns x 64)
	enc3, bias3 []float32 // 128 x 64
	lstm, biasL []float32 // 512 x (128 input + 128 hidden), gates i f g o
	dec         []float32 // 128
	decBias     float32
	fft         *fftTables
}

// readWeights parses little-endian float32 values behind a header that guards against a
// truncated or damaged file.
func readWeights(file []byte) (*weights, error) {
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
	return layOut(values), nil
}

// layOut cuts the flat list of values into the matrices of the network.
func layOut(values []float32) *weights {
	take := func(n int) []float32 {
		taken := values[:n:n]
		values = values[n:]
		return taken
	}
	w := &weights{fft: newFFTTables()}
	w.enc0, w.bias0 = take(128*3*bins), take(128)
	w.enc1, w.bias1 = take(64*3*128), take(64)
	w.enc2, w.bias2 = take(64*2*64), take(64)
	w.enc3, w.bias3 = take(128*64), take(128)
	w.lstm, w.biasL = take(4*hidden*2*hidden), take(4*hidden)
	w.dec, w.decBias = take(hidden), take(1)[0]
	return w
}
