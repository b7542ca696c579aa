package pcm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	formatPCM        = 1
	formatExtensible = 0xFFFE
	headerBytes      = 44
	maxChunk         = 1 << 20 // of what stands before the samples
)

// ErrNotWAV is wrapped when a header is missing or describes something other than
// 16-bit mono samples.
var ErrNotWAV = errors.New("not a 16-bit mono WAV")

// ReadHeader reads r up to its first sample and returns the sampling rate in hertz. The
// length that the header gives is not looked at: programs that stream do not know it.
func ReadHeader(r io.Reader) (rate int, err error) {
	var riff [12]byte
	if _, err := io.ReadFull(r, riff[:]); err != nil {
		return 0, broken(err)
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return 0, fmt.Errorf("%w: no RIFF header", ErrNotWAV)
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return 0, broken(err)
		}
		size := binary.LittleEndian.Uint32(head[4:])
		switch id := string(head[:4]); {
		case id == "data" && rate == 0:
			return 0, fmt.Errorf("%w: samples before their format", ErrNotWAV)
		case id == "data":
			return rate, nil
		case size > maxChunk:
			return 0, fmt.Errorf("%w: %q chunk of %d bytes", ErrNotWAV, id, size)
		case id == "fmt ":
			if rate, err = readFormat(r, size); err != nil {
				return 0, err
			}
		default:
			if _, err := io.CopyN(io.Discard, r, padded(size)); err != nil {
				return 0, broken(err)
			}
		}
	}
}

func readFormat(r io.Reader, size uint32) (rate int, err error) {
	format := make([]byte, padded(size))
	if _, err := io.ReadFull(r, format); err != nil {
		return 0, broken(err)
	}
	if size < 16 {
		return 0, fmt.Errorf("%w: format of %d bytes", ErrNotWAV, size)
	}
	code := binary.LittleEndian.Uint16(format)
	channels := binary.LittleEndian.Uint16(format[2:])
	bits := binary.LittleEndian.Uint16(format[14:])
	if code != formatPCM && code != formatExtensible || channels != 1 || bits != 16 {
		return 0, fmt.Errorf("%w: format %d, %d channels, %d bits", ErrNotWAV, code, channels, bits)
	}
	rate = int(binary.LittleEndian.Uint32(format[4:]))
	if rate < Rate || rate > maxRate {
		return 0, fmt.Errorf("%w: "+rateGuard, ErrNotWAV, rate, Rate, maxRate)
	}
	return rate, nil
}

// padded is the size of a chunk in the file: chunks begin at even offsets.
func padded(size uint32) int64 { return int64(size) + int64(size%2) }

func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends early", ErrNotWAV)
	}
	return fmt.Errorf("read WAV header: %w", err)
}

// WAV is a whole file of samples at Rate.
func WAV(samples []int16) []byte {
	size := uint32(2 * len(samples))
	file := bytes.NewBuffer(make([]byte, 0, headerBytes+len(samples)*2))
	var number [4]byte
	put32 := func(v uint32) { file.Write(binary.LittleEndian.AppendUint32(number[:0], v)) }
	put16 := func(v uint16) { file.Write(binary.LittleEndian.AppendUint16(number[:0], v)) }
	file.WriteString("RIFF")
	put32(headerBytes - 8 + size)
	file.WriteString("WAVEfmt ")
	put32(16)
	put16(formatPCM)
	put16(1) // channel
	put32(Rate)
	put32(2 * Rate) // bytes in a second
	put16(2)        // bytes in a sample
	put16(16)       // bits in a sample
	file.WriteString("data")
	put32(size)
	for _, sample := range samples {
		put16(uint16(sample))
	}
	return file.Bytes()
}
