package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

var (
	errClosed   = errors.New("write sealed file: it is closed")
	errNotWhole = errors.New("write sealed file: a segment is not whole")
)

// Writer seals what is written to it as it comes: a segment is written once it is full and something follows it.
type Writer struct {
	w        io.Writer
	segments segments
	index    int64
	plain    []byte // of the segment that is being filled
	err      error
}

// NewWriter begins a file in w.
func NewWriter(w io.Writer, secret string) (*Writer, error) {
	salt := newSalt()
	segments, err := newSegments(secret, salt)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(salt); err != nil {
		return nil, fmt.Errorf("write sealed file: %w", err)
	}
	return &Writer{w: w, segments: segments}, nil
}

// Segment is room for what becomes one segment of a file, where it is sealed.
type Segment struct {
	room [sealedSize]byte
	len  int
}

// Add adds as much of p as there is room for and returns how much that is.
func (s *Segment) Add(p []byte) (n int) {
	n = copy(s.room[s.len:SegmentSize], p)
	s.len += n
	return n
}

// Full reports whether nothing can be added.
func (s *Segment) Full() bool { return s.len == SegmentSize }

// Bytes returns what was added.
func (s *Segment) Bytes() []byte { return s.room[:s.len] }

// Reset makes it empty.
func (s *Segment) Reset() { s.len = 0 }

// WriteSegment writes a segment that is full, and behind which something follows, without a copy of it. Of s nothing is left.
// What was written before has to be whole segments, too.
func (w *Writer) WriteSegment(s *Segment) error {
	if w.err == nil && (!s.Full() || len(w.plain) > 0) {
		w.err = errNotWhole
	}
	if w.err == nil {
		w.seal(s.Bytes(), false)
	}
	return w.err
}

// Write implements io.Writer. After an error nothing more is written: a segment is never sealed twice.
func (w *Writer) Write(p []byte) (n int, err error) {
	if w.plain == nil {
		w.plain = make([]byte, 0, sealedSize)
	}
	for w.err == nil && len(p) > 0 {
		if len(w.plain) == SegmentSize {
			w.flush(false)
			continue
		}
		part := p[:min(len(p), SegmentSize-len(w.plain))]
		w.plain, p, n = append(w.plain, part...), p[len(part):], n+len(part)
	}
	return n, w.err
}

// Close ends the file. It does not close the writer below.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.flush(true)
	err := w.err
	if err == nil {
		w.err = errClosed
	}
	return err
}

func (w *Writer) flush(last bool) {
	w.seal(w.plain, last)
	w.plain = w.plain[:0]
}

// seal writes a segment, which is sealed where it stands if it has room for the tag.
func (w *Writer) seal(plain []byte, last bool) {
	if _, err := w.w.Write(w.segments.seal(plain, w.index, last)); err != nil {
		w.err = fmt.Errorf("write sealed file: %w", err)
		return
	}
	w.index++
}

// sealing reads a file sealed.
type sealing struct {
	r      io.Reader
	sealed bytes.Buffer
	w      *Writer
	plain  []byte
	ended  bool
}

func newSealing(secret string, r io.Reader) (*sealing, error) {
	s := &sealing{r: r, plain: make([]byte, SegmentSize)}
	var err error
	s.w, err = NewWriter(&s.sealed, secret)
	return s, err
}

// Read implements io.Reader.
func (s *sealing) Read(p []byte) (int, error) {
	for s.sealed.Len() == 0 && !s.ended {
		n, err := s.r.Read(s.plain)
		if _, sealErr := s.w.Write(s.plain[:n]); sealErr != nil {
			return 0, sealErr
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if err != nil {
			s.ended = true
			if err := s.w.Close(); err != nil {
				return 0, err
			}
		}
	}
	return s.sealed.Read(p)
}
