// Package files is what the product asks of the place where recordings and documents are
// kept: bytes under a key.
//
// It knows keys and streams of bytes. It must not know what the bytes mean or whose they
// are: the caller's keys say that.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNotFound is wrapped by Open when nothing is kept under a key.
var ErrNotFound = errors.New("file not found")

// ErrBadKey is wrapped when a key does not follow CheckKey.
var ErrBadKey = errors.New("bad file key")

// Store keeps files. Implementations are safe for concurrent use.
type Store interface {
	// Put keeps all of r under key and replaces what was there. A reader sees the old
	// file or the new one, never a part; when Put fails or ctx ends, nothing changes.
	// Once it returned nil the file survives a crash of the machine.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open gives the file and its size in bytes.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error)
	// Delete removes the file. That none was there is no error.
	Delete(ctx context.Context, key string) error
}

const (
	maxKey  = 512
	maxPart = 128
)

// CheckKey accepts one or more parts joined by "/", each of letters, digits, "-", "_" and
// ".", not starting with ".": a key that means the same on every kind of storage, and
// never a place outside of it.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fmt.Errorf("%w: %d bytes long, allowed are 1 to %d", ErrBadKey, len(key), maxKey)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > maxPart || strings.ContainsFunc(part, foreign) {
			return fmt.Errorf("%w: %q", ErrBadKey, key)
		}
	}
	return nil
}

func foreign(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return r != '-' && r != '_' && r != '.'
}
