package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/worker"
)

// apiOneAccount compares POST /v1/calls/direct by 16 clients of one account with the same by clients of 16 accounts, in
// turn, while their events are numbered: an account's sequence must not make its requests wait for each other.
func apiOneAccount(ctx context.Context, b *bench) (err error) {
	one, err := newCustomer(ctx, b.pool, apiClients, greeter)
	if err != nil {
		return err
	}
	many := make([]*customer, apiClients)
	for i := range many {
		if many[i], err = newCustomer(ctx, b.pool, 1, greeter); err != nil {
			return err
		}
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	address, stop, err := serveAPI(ctx, b, inserter)
	if err != nil {
		return err
	}
	defer stop()
	numbering, end := context.WithCancel(ctx)
	numbered := make(chan error, 1)
	go func() { numbered <- numberAll(numbering, b) }()
	defer func() {
		end()
		err = errors.Join(err, <-numbered)
	}()

	client := func(choose func(client int) []byte) func(context.Context, int) (func() error, error) {
		return func(ctx context.Context, client int) (func() error, error) {
			connection, err := dialAPI(ctx, address)
			if err != nil {
				return nil, err
			}
			request := choose(client)
			return func() error { return connection.post(request) }, nil
		}
	}
	ofOne := client(func(client int) []byte { return directCallRequest(one, client) })
	ofMany := client(func(client int) []byte { return directCallRequest(many[client], 0) })
	spread, single, err := compare(ctx, b, apiClients, ofMany, ofOne)
	if err != nil {
		return err
	}
	report("api_one_account_rps", single.rate(), "requests/s")
	report("api_one_account_ratio", single.rate()/spread.rate(), "ratio")
	single.cost.report("api_one_account", len(single.latencies))
	return nil
}

// numberAll numbers events as a worker does.
func numberAll(ctx context.Context, b *bench) error {
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	var unnumbered events.Unnumbered
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		accounts, err := unnumbered.Accounts(ctx, b.pool)
		if err == nil {
			err = events.Number(ctx, b.pool, accounts...)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("number events: %w", err)
		}
	}
}
