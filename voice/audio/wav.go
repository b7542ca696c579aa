package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	wavHeaderLen   = 44
	wavPCM         = 1
	wavExtensible  = 0xfffe
	wavUnknownSize = math.MaxUint32 // what a header says while the file is still being written
	wavMaxFormat   = 1 << 10        // a longer fmt chunk is no fmt chunk
)

// ErrNotWAV is returned by ReadWAV for input that is not 16-bit PCM in a WAV container.
var ErrNotWAV = errors.New("not a 16-bit PCM WAV file")

// WAVWriter writes 16-bit PCM as a stream. Its header says "size unknown" until Close, so that what a crashed process
// left behind is still a readable file. It does not close the writer below.
type WAVWriter struct {
	w        io.Writer
	channels int
	rate     int
	written  int64 // bytes of samples
	buf      []byte
}

// NewWAVWriter writes a header for rate hertz and channels to w. Where w is also an io.Seeker, Close corrects the
// header; otherwise it keeps saying "size unknown", which readers take as "to the end of the file".
func NewWAVWriter(w io.Writer, rate, channels int) (*WAVWriter, error) {
	if rate <= 0 || channels <= 0 || channels > 8 {
		return nil, fmt.Errorf("write wav header: %d Hz with %d channels is no sound", rate, channels)
	}
	wav := &WAVWriter{w: w, rate: rate, channels: channels}
	if _, err := w.Write(wav.header(wavUnknownSize)); err != nil {
		return nil, fmt.Errorf("write wav header: %w", err)
	}
	return wav, nil
}

// Write appends interleaved samples.
func (w *WAVWriter) Write(pcm []int16) error {
	w.buf = w.buf[:0]
	for _, s := range pcm {
		w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(s))
	}
	return w.WriteBytes(w.buf)
}

// WriteStereo appends one piece of both channels, as AppendStereo does.
func (w *WAVWriter) WriteStereo(left, right []int16) error {
	if w.channels != 2 {
		return fmt.Errorf("write stereo samples: the file has %d channel(s)", w.channels)
	}
	w.buf = AppendStereo(w.buf[:0], left, right)
	return w.WriteBytes(w.buf)
}

// AppendStereo appends the bytes of one piece of both channels. Where one side is shorter, silence fills it, so the sides
// stay in step.
func AppendStereo(b []byte, left, right []int16) []byte {
	both := min(len(left), len(right))
	for i, l := range left[:both] {
		b = binary.LittleEndian.AppendUint32(b, uint32(uint16(l))|uint32(uint16(right[i]))<<16)
	}
	for i := both; i < max(len(left), len(right)); i++ {
		b = binary.LittleEndian.AppendUint16(b, uint16(sampleAt(left, i)))
		b = binary.LittleEndian.AppendUint16(b, uint16(sampleAt(right, i)))
	}
	return b
}

// WriteBytes appends samples that are in the form of the file already.
func (w *WAVWriter) WriteBytes(b []byte) error {
	n, err := w.w.Write(b)
	w.written += int64(n)
	if err != nil {
		return fmt.Errorf("write wav samples: %w", err)
	}
	return nil
}

// Samples is how much was written so far, in samples of one channel.
func (w *WAVWriter) Samples() int64 {
	return w.written / int64(2*w.channels)
}

// Close writes the true sizes into the header where the writer below can seek.
func (w *WAVWriter) Close() error {
	seeker, ok := w.w.(io.Seeker)
	if !ok {
		return nil
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("seek to wav header: %w", err)
	}
	if _, err := w.w.Write(w.header(w.written)); err != nil {
		return fmt.Errorf("correct wav header: %w", err)
	}
	if _, err := seeker.Seek(0, io.SeekEnd); err != nil {
		return fmt.Errorf("seek to end of wav: %w", err)
	}
	return nil
}

func (w *WAVWriter) header(size int64) []byte {
	data := uint32(min(size, wavUnknownSize))
	riff := uint32(min(size+wavHeaderLen-8, wavUnknownSize))
	h := make([]byte, 0, wavHeaderLen)
	h = append(h, "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, riff)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, wavPCM)
	h = binary.LittleEndian.AppendUint16(h, uint16(w.channels))
	h = binary.LittleEndian.AppendUint32(h, uint32(w.rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(w.rate*w.channels*2))
	h = binary.LittleEndian.AppendUint16(h, uint16(w.channels*2))
	h = binary.LittleEndian.AppendUint16(h, 16)
	h = append(h, "data"...)
	return binary.LittleEndian.AppendUint32(h, data)
}

func sampleAt(pcm []int16, i int) int16 {
	if i < len(pcm) {
		return pcm[i]
	}
	return 0
}

// WAV is a whole recording in memory.
type WAV struct {
	Rate     int       // hertz
	Channels [][]int16 // one slice per channel, all of one length
}

// Mono is the recording as one channel: the mean of all.
func (w *WAV) Mono() []int16 {
	if len(w.Channels) == 1 {
		return w.Channels[0]
	}
	mono := make([]int16, len(w.Channels[0]))
	for i := range mono {
		var sum int
		for _, channel := range w.Channels {
			sum += int(channel[i])
		}
		mono[i] = int16(sum / len(w.Channels))
	}
	return mono
}

// ReadWAV reads a 16-bit PCM file of any rate and up to 8 channels. A file that ends early, or whose header does not
// know its size, is read as far as it goes.
func ReadWAV(r io.Reader) (*WAV, error) {
	var riff [12]byte
	if _, err := io.ReadFull(r, riff[:]); err != nil || string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return nil, ErrNotWAV
	}
	var wav *WAV
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return nil, fmt.Errorf("find wav samples: %w", ErrNotWAV)
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			var err error
			if wav, err = readWAVFormat(r, size); err != nil {
				return nil, err
			}
		case "data":
			if wav == nil {
				return nil, fmt.Errorf("find wav format: %w", ErrNotWAV)
			}
			return wav, wav.readSamples(r, size)
		default:
			if _, err := io.CopyN(io.Discard, r, size+size&1); err != nil {
				return nil, fmt.Errorf("skip wav chunk: %w", ErrNotWAV)
			}
		}
	}
}

func readWAVFormat(r io.Reader, size int64) (*WAV, error) {
	if size < 16 || size > wavMaxFormat {
		return nil, fmt.Errorf("read wav format: %w", ErrNotWAV)
	}
	format := make([]byte, size+size&1)
	if _, err := io.ReadFull(r, format); err != nil {
		return nil, fmt.Errorf("read wav format: %w", ErrNotWAV)
	}
	code := binary.LittleEndian.Uint16(format)
	channels := int(binary.LittleEndian.Uint16(format[2:]))
	rate := binary.LittleEndian.Uint32(format[4:])
	bits := binary.LittleEndian.Uint16(format[14:])
	if (code != wavPCM && code != wavExtensible) || bits != 16 || channels < 1 || channels > 8 || rate == 0 || rate > 384000 {
		return nil, fmt.Errorf("format %d, %d bits, %d channels, %d Hz: %w", code, bits, channels, rate, ErrNotWAV)
	}
	return &WAV{Rate: int(rate), Channels: make([][]int16, channels)}, nil
}

func (w *WAV) readSamples(r io.Reader, size int64) error {
	data, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil {
		return fmt.Errorf("read wav samples: %w", err)
	}
	frame := 2 * len(w.Channels)
	frames := len(data) / frame
	for c := range w.Channels {
		w.Channels[c] = make([]int16, frames)
		for i := range frames {
			w.Channels[c][i] = int16(binary.LittleEndian.Uint16(data[i*frame+2*c:]))
		}
	}
	return nil
}
