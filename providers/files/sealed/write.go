package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
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

// pageSize is in how many bytes at a time a segment takes memory: one that is being filled is on average half empty.
const pageSize = SegmentSize / 4

// Segment is what becomes one segment of a file. The zero value is empty, and has room from the first byte on.
type Segment struct {
	pages [SegmentSize / pageSize]*[pageSize]byte
	len   int
}

var (
	freePages   = sync.Pool{New: func() any { return new([pageSize]byte) }}   // of segments that were released
	sealedRooms = sync.Pool{New: func() any { return new([sealedSize]byte) }} // with the tag, for as long as one is written
)

// Add adds as much of p as there is room for and returns how much that is.
func (s *Segment) Add(p []byte) (n int) {
	for n < len(p) && !s.Full() {
		n += copy(s.Extend(min(len(p)-n, pageSize-s.len%pageSize)), p[n:])
	}
	return n
}

// Extend adds n bytes, to be written by the caller to what it returns; nil: they do not lie together, and nothing is added.
func (s *Segment) Extend(n int) []byte {
	at := s.len % pageSize
	if s.Full() || n > pageSize-at {
		return nil
	}
	page := s.pages[s.len/pageSize]
	if page == nil {
		page = freePages.Get().(*[pageSize]byte)
		s.pages[s.len/pageSize] = page
	}
	s.len += n
	return page[at : at+n : at+n]
}

// Full reports whether nothing can be added.
func (s *Segment) Full() bool { return s.len == SegmentSize }

// Append appends what was added to room.
func (s *Segment) Append(room []byte) []byte {
	left := s.len
	for _, page := range s.pages {
		n := min(left, pageSize)
		if n == 0 {
			break
		}
		room, left = append(room, page[:n]...), left-n
	}
	return room
}

// Release makes it empty, and lets others use its memory.
func (s *Segment) Release() {
	for _, page := range s.pages {
		if page != nil {
			freePages.Put(page)
		}
	}
	*s = Segment{}
}

// WriteSegment writes a segment that is full, and behind which something follows. What was written before has to be whole
// segments, too.
func (w *Writer) WriteSegment(s *Segment) error {
	if w.err == nil && (!s.Full() || len(w.plain) > 0) {
		w.err = errNotWhole
	}
	if w.err == nil {
		room := sealedRooms.Get().(*[sealedSize]byte)
		w.seal(room[:0], s.Append(room[:0]), false)
		sealedRooms.Put(room)
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
	w.seal(w.plain[:0], w.plain, last) // it has room for the tag
	w.plain = w.plain[:0]
}

// seal writes a segment, sealed in a room that may be its own.
func (w *Writer) seal(room, plain []byte, last bool) {
	if _, err := w.w.Write(w.segments.seal(room, plain, w.index, last)); err != nil {
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
