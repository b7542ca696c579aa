package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// listening is a port that a command takes.
type listening struct{ flag, network, address string }

// check fails for what is no address, before anything is waited for. Without an address there is no port.
func (l listening) check() error {
	if l.address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(l.address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not HOST:PORT, such as 0.0.0.0:8080", l.flag, l.address)
	}
	return nil
}

func checkPorts(ports ...listening) error {
	for _, port := range ports {
		if err := port.check(); err != nil {
			return err
		}
	}
	return nil
}

// is reports whether err is of this port.
func (l listening) is(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "listen" && failed.Addr != nil && failed.Addr.String() == l.address && strings.HasPrefix(failed.Net, l.network)
}

// failed says of which flag a port could not be taken, and what to do.
func (l listening) failed(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s: another program has this port; name another one, or port 0 for any that is free: %w", l.flag, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s: this machine does not have this address: %w", l.flag, err)
	}
	return fmt.Errorf("%s: %w", l.flag, err)
}

// listen takes the port that the flag names.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	port := listening{flag, "tcp", address}
	if err := port.check(); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, port.failed(err)
	}
	return listener, nil
}
