package db

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"
)

// A host that vanishes without a word is noticed by what is sent to it (unacknowledged) or, where nothing is, by probes
// (probeIdle + probeCount*probeInterval). The kernel's own limits are minutes and hours.
const (
	unacknowledged = 10 * time.Second
	probeIdle      = 5 * time.Second
	probeInterval  = 2 * time.Second
	probeCount     = 3
	connectLimit   = 10 * time.Second
)

// dialer returns how connections to Postgres are opened.
func dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{
		Timeout: connectLimit, Control: limitUnacknowledged,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: probeIdle, Interval: probeInterval, Count: probeCount},
	}
	return d.DialContext
}

// attemptsError is why nothing could be connected to, in one line that has each reason once: an address is tried with TLS and
// without, mostly to the same end.
type attemptsError struct{ error }

// Error implements error.
func (e attemptsError) Error() string {
	var reasons []string
	for line := range strings.Lines(e.error.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(reasons, line) {
			reasons = append(reasons, line)
		}
	}
	if len(reasons) < 2 {
		return strings.Join(reasons, "")
	}
	return reasons[0] + " " + strings.Join(reasons[1:], "; ")
}

// Unwrap returns the error with all attempts.
func (e attemptsError) Unwrap() error { return e.error }
