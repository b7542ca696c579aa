// Package sealed keeps files encrypted: what lies in the store is of no use without the file's own key, which is kept
// elsewhere.
//
// It knows AES-256-GCM over streams, in the DARE 2.0 format, in which neither a changed nor a shortened nor a reordered
// file can be read. It must not know whose files they are nor where their keys are kept.
package sealed

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/minio/sio"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

const (
	name    = "sealed file"
	keySize = 32 // bytes, for AES-256
)

// Put keeps all of r under key and answers the secret that opens it, which is made for this file alone. It holds 64 KiB
// of a file in memory, whatever its size. An empty file does not open again: there is nothing in it to check.
func Put(ctx context.Context, store files.Store, key string, r io.Reader) (secret string, err error) {
	raw := make([]byte, keySize)
	_, _ = rand.Read(raw) // never returns an error
	sealed, err := sio.EncryptReader(r, config(raw))
	if err != nil {
		return "", fmt.Errorf("seal file: %w", err)
	}
	if err := store.Put(ctx, key, sealed); err != nil {
		return "", err
	}
	return base64.RawStdEncoding.EncodeToString(raw), nil
}

// Open reads a file from its beginning. A file that is not as it was put, or a secret of another, fails where it is read,
// after what is whole before it: who reads must come to the end before he believes what he read.
func Open(ctx context.Context, store files.Store, key, secret string) (io.ReadCloser, error) {
	raw, err := base64.RawStdEncoding.DecodeString(secret)
	if err != nil || len(raw) != keySize {
		return nil, fault.New(fault.Refused, name, "the secret is none")
	}
	file, _, err := store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	opened, err := sio.DecryptReader(file, config(raw))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open sealed file: %w", err), file.Close())
	}
	return &reader{opened: opened, file: file}, nil
}

func config(key []byte) sio.Config {
	return sio.Config{MinVersion: sio.Version20, Key: key, CipherSuites: []byte{sio.AES_256_GCM}}
}

type reader struct {
	opened io.Reader
	file   io.Closer
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) { return r.opened.Read(p) }

// Close implements io.Closer.
func (r *reader) Close() error { return r.file.Close() }
