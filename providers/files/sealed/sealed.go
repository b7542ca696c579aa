// Package sealed stores files encrypted: what is in the store is useless without the file's secret, which is stored
// elsewhere.
//
// A sealed file is a salt and then segments of AES-256-GCM, each with its place in its nonce and the last one marked as such: the
// STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, as in age. So any part can be read without what is before
// it, and a file that was modified, cut off or put together from parts does not open. The key of the segments follows from secret
// and salt, so that one secret may seal a file again.
//
// It must not know whose files they are nor where secrets are stored.
package sealed

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

const (
	name    = "sealed file"
	format  = "callwright sealed file 1" // what keys are made for
	keySize = 32                         // bytes, for AES-256

	saltSize = 16
	tagSize  = 16
	// SegmentSize is how many bytes a segment holds, but for the last one: half a second of a recording.
	SegmentSize = 16 << 10
	sealedSize  = SegmentSize + tagSize
)

// ErrForged is wrapped by errors if a file was not sealed with the secret, or is not whole.
var ErrForged = errors.New("the file is damaged, or sealed with another secret")

// NewSecret returns a new secret. One secret is for one file.
func NewSecret() string {
	raw := make([]byte, keySize)
	_, _ = rand.Read(raw) // never returns an error
	return base64.RawStdEncoding.EncodeToString(raw)
}

// Put stores all of r under key and returns the secret that opens it, which is new.
func Put(ctx context.Context, store files.Store, key string, r io.Reader) (secret string, err error) {
	secret = NewSecret()
	return secret, PutWith(ctx, store, key, secret, r)
}

// PutWith stores all of r under key. It holds two segments of a file in memory.
func PutWith(ctx context.Context, store files.Store, key, secret string, r io.Reader) error {
	sealed, err := newSealing(secret, r)
	if err != nil {
		return err
	}
	return store.Put(ctx, key, sealed)
}

// newSalt returns the beginning of a new file.
func newSalt() []byte {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never returns an error
	return salt
}

// segments seals and opens the segments of one file.
type segments struct{ aead cipher.AEAD }

func newSegments(secret string, salt []byte) (segments, error) {
	raw, err := base64.RawStdEncoding.DecodeString(secret)
	if err != nil || len(raw) != keySize {
		return segments{}, fault.New(fault.Refused, name, "the secret is none")
	}
	key, err := hkdf.Key(sha256.New, raw, salt, format, keySize)
	if err != nil {
		return segments{}, fmt.Errorf("derive key of file: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return segments{}, fmt.Errorf("use key of file: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return segments{}, fmt.Errorf("use key of file: %w", err)
	}
	return segments{aead}, nil
}

// nonce is of the segment at index.
func nonce(index int64, last bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[3:], uint64(index))
	if last {
		nonce[11] = 1
	}
	return nonce
}

// seal seals plain in its place; it has room for the tag.
func (s segments) seal(room, plain []byte, index int64, last bool) []byte {
	return s.aead.Seal(room, nonce(index, last), plain, nil)
}

// open opens sealed in its place.
func (s segments) open(sealed []byte, index int64, last bool) ([]byte, error) {
	plain, err := s.aead.Open(sealed[:0], nonce(index, last), sealed, nil)
	if err != nil {
		return nil, fmt.Errorf("open segment %d: %w", index, ErrForged)
	}
	return plain, nil
}
