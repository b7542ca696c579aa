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
	"net/http/httputil"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/jobs/queue"
)

const (
	apiClients = 16
	apiRounds  = 4 // of both alternatives, in turn
)

func serveAPI(ctx context.Context, b *bench, inserter queue.Inserter) (address string, stop func(), err error) {
	return serve(ctx, &api.API{DB: b.pool, Jobs: inserter, Logger: b.logger, Now: time.Now, Version: "bench"})
}

func serve(ctx context.Context, served *api.API) (address string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: api.New(served), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends by stop
	stop = func() {
		_ = server.Close()
		served.Close()
	}
	return listener.Addr().String(), stop, nil
}

// apiRequest is a request as it is sent.
func apiRequest(key, method, path, body string) []byte {
	const head = "%s %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
	return fmt.Appendf(nil, head, method, path, key, len(body), body)
}

// apiConnection is an HTTP client that costs next to nothing, so that on a shared machine the server is what is measured.
type apiConnection struct {
	conn   net.Conn
	reader *bufio.Reader
	body   []byte
}

func dialAPI(ctx context.Context, address string) (*apiConnection, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &apiConnection{conn: conn, reader: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// post makes a request that must make something.
func (c *apiConnection) post(request []byte) error {
	status, body, err := c.exchange(request)
	if err == nil && status != http.StatusCreated && status != http.StatusAccepted {
		err = fmt.Errorf("request refused: %d %s", status, body)
	}
	return err
}

// exchange makes a request. The body of its response is there until the next.
func (c *apiConnection) exchange(request []byte) (status int, body []byte, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, nil, err
	}
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	const before = len("HTTP/1.1 ")
	if status, err = strconv.Atoi(string(line[before : before+3])); err != nil {
		return 0, nil, fmt.Errorf("read status: %w", err)
	}
	length := 0 // -1: it comes in chunks
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			length = -1
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
	}
	err = c.readBody(length)
	return status, c.body, err
}

func (c *apiConnection) readBody(length int) (err error) {
	if length >= 0 {
		c.body = slices.Grow(c.body[:0], length)[:length]
		_, err = io.ReadFull(c.reader, c.body)
		return err
	}
	if c.body, err = io.ReadAll(httputil.NewChunkedReader(c.reader)); err != nil {
		return err
	}
	_, err = c.reader.ReadSlice('\n') // the end of the last chunk
	return err
}

// phaseResult is what a timed phase did.
type phaseResult struct {
	elapsed   time.Duration
	cost      cost
	latencies []time.Duration
}

func (r *phaseResult) add(other phaseResult) {
	r.elapsed += other.elapsed
	r.cost = r.cost.plus(other.cost)
	r.latencies = append(r.latencies, other.latencies...)
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
	before, err := b.spent(ctx)
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
	after, err := b.spent(ctx)
	result.cost = after.since(before)
	return result, errors.Join(failed, err)
}
