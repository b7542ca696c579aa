package audio

import (
	"encoding/binary"
	"fmt"
	"io"
)

// WAVWriter writes 16-bit PCM as a stream. Its header says "size unknown" until Close, so that what a crashed process
// left behind is still a readable file. It does not close the writer below.
type WAVWriter struct {
	w       io.Writer
	format  wavFormat
	written int64 // bytes of samples
	buf     []byte
}

// NewWAVWriter writes a header for rate hertz and channels to w. Where w is also an io.Seeker, Close corrects the
// header; otherwise it keeps saying "size unknown", which readers take as "to the end of the file".
func NewWAVWriter(w io.Writer, rate, channels int) (*WAVWriter, error) {
	if rate <= 0 || channels <= 0 || channels > wavMaxChannels {
		return nil, fmt.Errorf("write wav header: %d Hz with %d channels is no sound", rate, channels)
	}
	wav := &WAVWriter{w: w, format: wavFormat{rate, channels}}
	if _, err := w.Write(wav.format.appendHeader(nil, wavUnknownSize)); err != nil {
		return nil, fmt.Errorf("write wav header: %w", err)
	}
	return wav, nil
}

// Write appends interleaved samples.
func (w *WAVWriter) Write(pcm []int16) error {
	w.buf = appendSamples(w.buf[:0], pcm)
	return w.writeBytes(w.buf)
}

// WriteStereo appends a run of both channels, as AppendStereo does.
func (w *WAVWriter) WriteStereo(left, right []int16) error {
	if w.format.channels != 2 {
		return fmt.Errorf("write stereo samples: the file has %d channel(s)", w.format.channels)
	}
	w.buf = AppendStereo(w.buf[:0], left, right)
	return w.writeBytes(w.buf)
}

// AppendStereo appends the bytes of a run of both channels. Where one side is shorter, silence fills it, so the sides
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

// writeBytes appends samples that are in the form of the file already.
func (w *WAVWriter) writeBytes(b []byte) error {
	n, err := w.w.Write(b)
	w.written += int64(n)
	if err != nil {
		return fmt.Errorf("write wav samples: %w", err)
	}
	return nil
}

// Samples returns how much was written so far, in samples of one channel.
func (w *WAVWriter) Samples() int64 {
	return w.written / int64(2*w.format.channels)
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
	if _, err := w.w.Write(w.format.appendHeader(nil, w.written)); err != nil {
		return fmt.Errorf("correct wav header: %w", err)
	}
	if _, err := seeker.Seek(0, io.SeekEnd); err != nil {
		return fmt.Errorf("seek to end of wav: %w", err)
	}
	return nil
}

// FinishWAV returns the file of size bytes that a WAVWriter wrote to what cannot seek, with a header that says how much there
// is.
func FinishWAV(file io.ReadSeeker, size int64) (io.ReadSeeker, error) {
	format, _, err := readWAVHeader(file)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("seek to wav header: %w", err)
	}
	return &finishedWAV{file: file, header: format.appendHeader(nil, size-wavHeaderLen)}, nil
}

// WAVSamples returns how many samples of one channel a file of size bytes has that a WAVWriter wrote.
func WAVSamples(size int64, channels int) int64 {
	return max(0, size-wavHeaderLen) / int64(2*channels)
}

// finishedWAV has another header in the place of a file's own.
type finishedWAV struct {
	file   io.ReadSeeker
	header []byte
	offset int64
}

// Read implements io.Reader.
func (w *finishedWAV) Read(p []byte) (int, error) {
	n, err := w.file.Read(p)
	if w.offset < wavHeaderLen {
		copy(p[:n], w.header[w.offset:])
	}
	w.offset += int64(n)
	return n, err
}

// Seek implements io.Seeker.
func (w *finishedWAV) Seek(offset int64, whence int) (int64, error) {
	at, err := w.file.Seek(offset, whence)
	if err == nil {
		w.offset = at
	}
	return at, err
}

func sampleAt(pcm []int16, i int) int16 {
	if i < len(pcm) {
		return pcm[i]
	}
	return 0
}
