//go:build !linux

package telephones

import (
	"errors"
	"log/slog"
	"net/netip"
	"time"
)

// Config says what telephones do.
type Config struct {
	Question []int16
	Talk     time.Duration
	Logger   *slog.Logger
}

// Telephones answer every call, on Linux.
type Telephones struct{}

// Start returns errors.ErrUnsupported.
func Start(Config) (*Telephones, error) { return nil, errors.ErrUnsupported }

// Addr implements nothing here.
func (*Telephones) Addr() netip.AddrPort { return netip.AddrPort{} }

// Close implements nothing here.
func (*Telephones) Close() (map[string]Notes, error) { return nil, errors.ErrUnsupported }
