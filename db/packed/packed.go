// Package packed keeps the messages of events in few bytes. One of 1 kB is too short for Postgres to compress, and is mostly names and
// words that all messages share: these are in a dictionary. The package knows bytes; it must not know who writes them or reads them.
package packed

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"
)

// What is packed with a dictionary is opened with that one: none is ever edited, and its number is the first byte of what is packed.
const current = 1

const level = 3 // of compression, of 9

//go:embed dictionary_1.txt
var dictionary []byte

// Message is JSON that a column has packed. NULL is nil.
type Message []byte

// ScanBytes implements pgtype.BytesScanner.
func (m *Message) ScanBytes(packed []byte) (err error) {
	*m = nil
	if packed != nil {
		*m, err = open(packed)
	}
	return err
}

// Read returns the JSON of what a query returns as text: JSON as it is, or in base64 where it is packed.
func Read(text string) ([]byte, error) {
	if text == "" || text[0] == '{' {
		return []byte(text), nil
	}
	packed, err := base64.StdEncoding.DecodeString(text) // Postgres breaks its lines, which this skips
	if err != nil {
		return nil, fmt.Errorf("read packed message: %w", err)
	}
	return open(packed)
}

// writers are kept: one takes a megabyte to make. At this level a message takes half the time that it does by default, and 4 bytes more.
var writers = sync.Pool{New: func() any {
	writer, err := flate.NewWriterDict(nil, level, dictionary)
	if err != nil {
		panic(err) // there is no such level
	}
	return writer
}}

// Pack returns JSON as the column has it.
func Pack(json []byte) ([]byte, error) {
	packed := bytes.NewBuffer([]byte{current})
	writer := writers.Get().(*flate.Writer)
	defer writers.Put(writer)
	writer.Reset(packed)
	if _, err := writer.Write(json); err != nil {
		return nil, fmt.Errorf("pack message: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("pack message: %w", err)
	}
	return packed.Bytes(), nil
}

var readers = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func open(packed []byte) ([]byte, error) {
	if len(packed) == 0 || packed[0] != current {
		return nil, errors.New("open packed message: no dictionary of this version")
	}
	reader := readers.Get().(io.Reader)
	defer readers.Put(reader)
	if err := reader.(flate.Resetter).Reset(bytes.NewReader(packed[1:]), dictionary); err != nil {
		return nil, fmt.Errorf("open packed message: %w", err)
	}
	json, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("open packed message: %w", err)
	}
	return json, nil
}
