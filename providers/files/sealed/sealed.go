// Package sealed stores files encrypted: what is in the store is useless without the file's secret, which is stored
// elsewhere.
//
// It knows AES-256-GCM over streams, in the DARE 2.0 format, which detects modification, truncation and reordering. It
// must not know whose files they are nor where secrets are stored.
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

// Put stores all of r under key and returns the secret that decrypts it, which is new for each file. It holds 64 KiB of
// a file in memory. An empty file cannot be opened: there is nothing in it to verify.
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

// Open returns a reader of a file from its beginning. Reading a modified file, or with another file's secret, fails at
// the first chunk that does not verify: callers must read to the end before they trust what they read.
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
