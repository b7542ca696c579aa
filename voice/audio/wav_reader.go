package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ReadWAV reads a 16-bit PCM file of any rate and up to 8 channels. A file that ends early, or whose header does not
// know its size, is read as far as it goes.
func ReadWAV(r io.Reader) (*WAV, error) {
	format, size, err := readWAVHeader(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil {
		return nil, fmt.Errorf("read wav samples: %w", err)
	}
	wav := &WAV{Rate: format.rate, Channels: make([][]int16, format.channels)}
	frame := 2 * format.channels
	frames := len(data) / frame
	for c := range wav.Channels {
		wav.Channels[c] = make([]int16, frames)
		for i := range frames {
			wav.Channels[c][i] = int16(binary.LittleEndian.Uint16(data[i*frame+2*c:]))
		}
	}
	return wav, nil
}

// ReadStreamHeader reads r up to its first sample and returns the sampling rate in hertz, which Stream takes. The length
// that the header names is ignored, as programs that stream do not know it. Other than 16-bit mono samples are ErrNotWAV.
func ReadStreamHeader(r io.Reader) (rate int, err error) {
	format, _, err := readWAVHeader(r)
	if err != nil {
		return 0, err
	}
	if format.channels != 1 {
		return 0, fmt.Errorf("%w: %d channels instead of one", ErrNotWAV, format.channels)
	}
	if err := checkStreamRate(format.rate); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNotWAV, err)
	}
	return format.rate, nil
}

// WAVRate returns the sampling rate that the beginning of a file names, in hertz.
func WAVRate(head []byte) (int, error) {
	format, _, err := readWAVHeader(bytes.NewReader(head))
	return format.rate, err
}

// readWAVHeader reads r up to its first sample. size is the length of the samples in bytes as the header names it.
func readWAVHeader(r io.Reader) (format wavFormat, size int64, err error) {
	var riff [12]byte
	if _, err := io.ReadFull(r, riff[:]); err != nil {
		return wavFormat{}, 0, brokenWAV(err)
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return wavFormat{}, 0, fmt.Errorf("%w: no RIFF header", ErrNotWAV)
	}
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return wavFormat{}, 0, brokenWAV(err)
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if format, err = readWAVFormat(r, size); err != nil {
				return wavFormat{}, 0, err
			}
		case "data":
			if format.channels == 0 {
				return wavFormat{}, 0, fmt.Errorf("%w: samples before their format", ErrNotWAV)
			}
			return format, size, nil
		default:
			if _, err := io.CopyN(io.Discard, r, padded(size)); err != nil {
				return wavFormat{}, 0, brokenWAV(err)
			}
		}
	}
}

func readWAVFormat(r io.Reader, size int64) (wavFormat, error) {
	if size < 16 || size > wavMaxFormat {
		return wavFormat{}, fmt.Errorf("%w: format of %d bytes", ErrNotWAV, size)
	}
	b := make([]byte, padded(size))
	if _, err := io.ReadFull(r, b); err != nil {
		return wavFormat{}, brokenWAV(err)
	}
	code, bits := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[14:])
	channels, rate := binary.LittleEndian.Uint16(b[2:]), binary.LittleEndian.Uint32(b[4:])
	if (code != wavPCM && code != wavExtensible) || bits != 16 ||
		channels < 1 || channels > wavMaxChannels || rate == 0 || rate > wavMaxRate {
		return wavFormat{}, fmt.Errorf("%w: format %d, %d bits, %d channels, %d Hz", ErrNotWAV, code, bits, channels, rate)
	}
	return wavFormat{int(rate), int(channels)}, nil
}

// padded returns the room that a chunk takes in the file: chunks begin at even offsets.
func padded(size int64) int64 { return size + size&1 }

// brokenWAV tells an input that ends early, which is no WAV, from one that cannot be read.
func brokenWAV(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends early", ErrNotWAV)
	}
	return fmt.Errorf("read wav header: %w", err)
}
