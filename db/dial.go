package db

import (
	"context"
	"net"
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
