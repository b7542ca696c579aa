package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stopSignals returns a context that ends with the first signal that asks for a graceful end: Ctrl-C, SIGTERM, or SIGHUP,
// with which a terminal closes. A second Ctrl-C or SIGTERM ends the process at once. SIGHUP never does: a terminal that
// closes sends it more than once. It is left alone where whoever started us ignores it, as nohup does.
func stopSignals(parent context.Context) context.Context {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if signal.Ignored(syscall.SIGHUP) {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGHUP)
	go func() { // as long as the process
		<-closed
		cancel()
		stop()
	}()
	return ctx
}
