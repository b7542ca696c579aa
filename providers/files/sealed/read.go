package sealed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/callwright/callwright/providers/files"
)

// File reads a sealed file. A read from the middle reads the segments of that part alone.
type File struct {
	file     io.ReadSeekCloser
	segments segments
	size     int64 // of what was sealed
	last     int64 // index of the last segment
	offset   int64
	next     int64  // index of the segment at which file stands
	held     int64  // index of the segment in plain; -1: none
	plain    []byte // within raw
	raw      []byte
}

// Open returns a file of a store and its size in bytes. It fails with ErrForged if the end is missing; a read fails
// with it where something else was changed.
func Open(ctx context.Context, store files.Store, key, secret string) (*File, error) {
	file, size, err := store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	opened, err := newFile(file, size, secret)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return opened, nil
}

func newFile(file io.ReadSeekCloser, size int64, secret string) (*File, error) {
	body := size - saltSize
	last := (body - 1) / sealedSize
	if rest := body - last*sealedSize; body < tagSize || rest < tagSize || rest == tagSize && last > 0 {
		return nil, fmt.Errorf("open sealed file: %w", ErrForged)
	}
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(file, salt); err != nil {
		return nil, fmt.Errorf("open sealed file: %w", err)
	}
	segments, err := newSegments(secret, salt)
	if err != nil {
		return nil, err
	}
	f := &File{
		file: file, segments: segments, size: body - (last+1)*tagSize, last: last, held: -1,
		raw: make([]byte, min(body, sealedSize)),
	}
	return f, f.load(last)
}

// Size returns how many bytes were sealed.
func (f *File) Size() int64 { return f.size }

// load makes the segment at index the one in plain.
func (f *File) load(index int64) error {
	if index == f.held {
		return nil
	}
	f.held = -1
	if index != f.next {
		if _, err := f.file.Seek(saltSize+index*sealedSize, io.SeekStart); err != nil {
			return fmt.Errorf("read sealed file: %w", err)
		}
	}
	f.next = -1
	raw := f.raw
	if index == f.last {
		raw = raw[:f.size-index*SegmentSize+tagSize]
	}
	if _, err := io.ReadFull(f.file, raw); err != nil {
		return fmt.Errorf("read sealed file: %w", err)
	}
	plain, err := f.segments.open(raw, index, index == f.last)
	if err != nil {
		return err
	}
	f.plain, f.held, f.next = plain, index, index+1
	return nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.offset >= f.size {
		return 0, io.EOF
	}
	if err := f.load(f.offset / SegmentSize); err != nil {
		return 0, err
	}
	n := copy(p, f.plain[f.offset%SegmentSize:])
	f.offset += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a file")
	}
	f.offset = offset
	return offset, nil
}

// Close implements io.Closer.
func (f *File) Close() error { return f.file.Close() }

// Unfinished reads what a Writer wrote that was perhaps not closed: up to the first segment that is not whole, or not as it was
// written.
type Unfinished struct {
	r        io.Reader
	segments segments
	index    int64
	plain    []byte
	ended    bool
}

// NewUnfinished returns a reader of a file from its beginning. There is nothing to read in one that is shorter than its salt.
func NewUnfinished(r io.Reader, secret string) (*Unfinished, error) {
	salt := make([]byte, saltSize)
	_, err := io.ReadFull(r, salt)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Unfinished{ended: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read unfinished file: %w", err)
	}
	segments, err := newSegments(secret, salt)
	return &Unfinished{r: r, segments: segments}, err
}

// Read implements io.Reader.
func (u *Unfinished) Read(p []byte) (int, error) {
	for len(u.plain) == 0 {
		if u.ended {
			return 0, io.EOF
		}
		if err := u.load(); err != nil {
			return 0, err
		}
	}
	n := copy(p, u.plain)
	u.plain = u.plain[n:]
	return n, nil
}

// load reads the next segment. The last one that a Writer closed is as good as those before it.
func (u *Unfinished) load() error {
	raw := make([]byte, sealedSize)
	n, err := io.ReadFull(u.r, raw)
	whole := err == nil
	if !whole && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read unfinished file: %w", err)
	}
	raw = raw[:n]
	if whole {
		// An opening that fails leaves nothing of what it was given.
		if u.plain, err = u.segments.open(bytes.Clone(raw), u.index, false); err == nil {
			u.index++
			return nil
		}
	}
	u.ended = true
	if u.plain, err = u.segments.open(raw, u.index, true); err != nil {
		u.plain = nil // it was not closed
	}
	return nil
}
