// Package files defines the storage of recordings and documents: bytes by key.
//
// It knows keys and streams of bytes. It must not know what the bytes mean or whose they are.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// ErrNotFound is wrapped by the error of Open if there is no file with the key.
var ErrNotFound = errors.New("file not found")

// ErrBadKey is wrapped by errors if a key does not satisfy CheckKey.
var ErrBadKey = errors.New("bad file key")

// Store stores files. Implementations are safe for concurrent use.
type Store interface {
	// Put stores all of r under key and replaces an existing file. A reader sees the old file or the new one, never a
	// part; if Put fails or ctx ends, nothing changes. After a nil error the file survives a crash of the machine.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns the file and its size in bytes.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error)
	// Delete removes the file. It is not an error if there is none.
	Delete(ctx context.Context, key string) error
	// List yields the files whose keys begin with prefix, in the order of the bytes of their keys. It requests them in
	// pages while it is read, so a file that is put or deleted meanwhile may be among them or not. An error is the last
	// that it yields.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Drafts returns the files that are being written, which become files of the store by Keep.
	Drafts() *Drafts
}

// Info is what a list says of a file.
type Info struct {
	Key      string
	Size     int64 // bytes
	Modified time.Time
}

const (
	maxKey  = 512
	maxPart = 128
)

// CheckKey accepts one or more parts separated by "/", each of letters, digits, "-", "_" and ".", not starting with
// ".": a key that is valid in every kind of storage and cannot leave it.
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
