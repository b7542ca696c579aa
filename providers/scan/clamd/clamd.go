// Package clamd scans files with the daemon of ClamAV, or a compatible one, over its INSTREAM command (clamd(8)).
//
// It knows that protocol. It must not know what is scanned.
package clamd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/scan"
)

const (
	name        = "clamd"
	dialTimeout = 5 * time.Second
	scanTimeout = 2 * time.Minute
	chunkSize   = 64 << 10
	maxResponse = 4 << 10
)

// Scanner is a scan.Scanner.
type Scanner struct {
	network, address string
}

var _ scan.Scanner = (*Scanner)(nil)

// New returns a Scanner for a daemon at HOST:PORT, or at the path of its socket.
func New(address string) *Scanner {
	if strings.HasPrefix(address, "/") {
		return &Scanner{network: "unix", address: address}
	}
	return &Scanner{network: "tcp", address: address}
}

// Scan implements scan.Scanner.
func (s *Scanner) Scan(ctx context.Context, r io.Reader) error {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		return fault.FromNet(name, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := conn.SetDeadline(time.Now().Add(scanTimeout)); err != nil {
		return fault.FromNet(name, err)
	}
	if err := send(conn, r); err != nil {
		return interrupted(ctx, err)
	}
	response, err := io.ReadAll(io.LimitReader(conn, maxResponse))
	if err != nil {
		return interrupted(ctx, err)
	}
	return verdict(strings.TrimRight(string(response), "\x00\n"))
}

// sourceError is an error of the reader that is scanned.
type sourceError struct{ error }

// send writes the command and the stream in chunks, each after its length; length 0 ends it.
func send(conn io.Writer, r io.Reader) error {
	if _, err := io.WriteString(conn, "zINSTREAM\x00"); err != nil {
		return err
	}
	chunk := make([]byte, 4+chunkSize)
	for {
		n, err := io.ReadFull(r, chunk[4:])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return sourceError{fmt.Errorf("read what to scan: %w", err)}
		}
		binary.BigEndian.PutUint32(chunk, uint32(n)) // at most chunkSize
		if n > 0 {
			if _, err := conn.Write(chunk[:4+n]); err != nil {
				return err
			}
		}
		if err != nil {
			_, err := conn.Write([]byte{0, 0, 0, 0})
			return err
		}
	}
}

func interrupted(ctx context.Context, err error) error {
	if source, ok := errors.AsType[sourceError](err); ok {
		return source.error
	}
	if ctx.Err() != nil {
		return fault.FromNet(name, ctx.Err())
	}
	return fault.FromNet(name, err)
}

// verdict parses "stream: OK", "stream: NAME FOUND" or "… ERROR".
func verdict(response string) error {
	text, _ := strings.CutPrefix(response, "stream: ")
	if text == "OK" {
		return nil
	}
	if found, ok := strings.CutSuffix(text, " FOUND"); ok {
		return fault.New(fault.Refused, name, "The file contains "+strings.ToValidUTF8(found, "?")+".")
	}
	return fault.New(fault.Unavailable, name, strings.ToValidUTF8(text, "?"))
}
