package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/worker"
)

const (
	apiClients = 16
	apiRounds  = 4 // of both alternatives, in turn
)

// apiDirectCall compares POST /v1/calls/direct, whose requests share transactions, with the statements that one alone runs, sent by
// pgx without any HTTP, each in transactions of its own. Both have 16 clients, each with a key of its own, and take turns on the same
// database.
func apiDirectCall(ctx context.Context, b *bench) error {
	customer, err := newCustomer(ctx, b.pool, apiClients, greeter)
	if err != nil {
		return err
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

	overHTTP := func(ctx context.Context, client int) (func() error, error) {
		connection, err := dialAPI(ctx, address)
		if err != nil {
			return nil, err
		}
		request := directCallRequest(customer, client)
		return func() error { return connection.post(request) }, nil
	}
	raw := func(ctx context.Context, client int) (func() error, error) {
		return func() error { return directCallSQL(ctx, b, inserter, customer, client) }, nil
	}

	http, sql, err := compare(ctx, b, apiClients, overHTTP, raw)
	if err != nil {
		return err
	}
	report("api_direct_call_rps", http.rate(), "requests/s")
	report("api_direct_call_raw_rps", sql.rate(), "transactions/s")
	report("api_direct_call_gain", http.rate()/sql.rate(), "ratio")
	report("api_direct_call_p99_ms", percentile(http.latencies, 0.99), "ms")
	http.reportCPU("api_direct_call_cpu_us")
	sql.reportCPU("api_direct_call_raw_cpu_us")
	return apiDirectCallAlone(ctx, b, overHTTP, raw)
}

// apiDirectCallAlone is apiDirectCall of a single client, whose requests have nobody to share a transaction with.
func apiDirectCallAlone(ctx context.Context, b *bench, overHTTP, raw newClient) error {
	http, sql, err := compare(ctx, b, 1, overHTTP, raw)
	if err != nil {
		return err
	}
	report("api_direct_call_alone_p50_ms", percentile(http.latencies, 0.5), "ms")
	report("api_direct_call_alone_raw_p50_ms", percentile(sql.latencies, 0.5), "ms")
	return nil
}

// directCallSQL is what the handler asks of Postgres, statement by statement.
func directCallSQL(ctx context.Context, b *bench, inserter queue.Inserter, c *customer, client int) error {
	keys, err := dbsqlc.New().APIKeyAuthenticateMany(ctx, b.pool, &dbsqlc.APIKeyAuthenticateManyParams{
		Hashes: [][]byte{c.keys[client].Hash}, Requests: []int32{1},
	})
	if err != nil {
		return err
	}
	return db.InTx(ctx, b.pool, func(tx pgx.Tx) error {
		results, err := calls.MakeDirect(ctx, tx, inserter, &calls.DirectCall{
			ID: uuid.Must(uuid.NewV7()), AccountID: keys[0].AccountID, AssistantID: c.assistantID, PhoneNumber: "+31612345601", Simulated: true,
			CustomData: []byte(`{}`),
		})
		if err != nil {
			return err
		}
		return results[0].Err
	})
}

func serveAPI(ctx context.Context, b *bench, inserter queue.Inserter) (address string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	served := &api.API{DB: b.pool, Jobs: inserter, Logger: b.logger, Now: time.Now, Version: "bench"}
	server := &http.Server{Handler: api.New(served), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends by stop
	stop = func() {
		_ = server.Close()
		served.Close()
	}
	return listener.Addr().String(), stop, nil
}

func directCallRequest(c *customer, client int) []byte {
	body := fmt.Sprintf(`{"assistant_id":%q,"contact_phone_number":"+31612345601"}`, c.assistantID)
	return fmt.Appendf(
		nil,
		"POST /v1/calls/direct HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		c.keys[client].Text,
		len(body),
		body,
	)
}

// apiConnection is an HTTP client that costs next to nothing, so that on a shared machine the server is what is measured.
type apiConnection struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dialAPI(ctx context.Context, address string) (*apiConnection, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &apiConnection{conn: conn, reader: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *apiConnection) post(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	status, err := c.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	taken := bytes.Contains(status, []byte(" 201 ")) || bytes.Contains(status, []byte(" 202 "))
	length := -1
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("answer without Content-Length")
	}
	if !taken {
		body := make([]byte, length)
		if _, err := io.ReadFull(c.reader, body); err != nil {
			return err
		}
		return fmt.Errorf("request refused: %s", body)
	}
	_, err = c.reader.Discard(length)
	return err
}

// phaseResult is what a timed phase did.
type phaseResult struct {
	elapsed   time.Duration
	cpu       time.Duration // of this process and Postgres; 0: it cannot be told here
	latencies []time.Duration
}

func (r *phaseResult) add(other phaseResult) {
	r.elapsed += other.elapsed
	r.cpu += other.cpu
	r.latencies = append(r.latencies, other.latencies...)
}

// reportCPU reports the processor time of one call.
func (r *phaseResult) reportCPU(name string) {
	if r.cpu > 0 {
		report(name, float64(r.cpu.Microseconds())/float64(len(r.latencies)), "us")
	}
}

func (r *phaseResult) rate() float64 { return float64(len(r.latencies)) / r.elapsed.Seconds() }

// newClient makes what a client does again and again.
type newClient func(ctx context.Context, client int) (func() error, error)

// compare loads two alternatives in turn, so that what else the machine does slows both. The first warms up: plans,
// caches, table growth.
func compare(ctx context.Context, b *bench, clients int, first, second newClient) (ofFirst, ofSecond phaseResult, err error) {
	phase := time.Duration(b.seconds) * time.Second / apiRounds
	if _, err := load(ctx, b, clients, phase/2, first); err != nil {
		return ofFirst, ofSecond, err
	}
	alternatives, results := [2]newClient{first, second}, [2]phaseResult{}
	for range apiRounds {
		for i, alternative := range alternatives {
			result, err := load(ctx, b, clients, phase, alternative)
			if err != nil {
				return ofFirst, ofSecond, err
			}
			results[i].add(result)
		}
	}
	return results[0], results[1], nil
}

// load has every client repeat its call until the time is over.
func load(ctx context.Context, b *bench, clients int, length time.Duration, connect newClient) (phaseResult, error) {
	var (
		mu     sync.Mutex
		result phaseResult
		failed error
		wg     sync.WaitGroup
	)
	before, err := allCPUTime(ctx, b.pool)
	if err != nil {
		return result, err
	}
	started := time.Now()
	for client := range clients {
		wg.Go(func() {
			call, err := connect(ctx, client)
			var latencies []time.Duration
			for err == nil && time.Since(started) < length && ctx.Err() == nil {
				begin := time.Now()
				if err = call(); err == nil {
					latencies = append(latencies, time.Since(begin))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			result.latencies = append(result.latencies, latencies...)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	result.elapsed = time.Since(started)
	after, err := allCPUTime(ctx, b.pool)
	result.cpu = after - before
	return result, errors.Join(failed, err)
}
