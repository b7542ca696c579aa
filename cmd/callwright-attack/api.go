//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/api/apifuzz"
)

const (
	answerPatience = 60 * time.Second
	streamPatience = 200 * time.Millisecond
	maxAnswer      = 64 << 20 // bytes
	tellEvery      = 30 * time.Second
	learnEvery     = 500 // requests
)

// apiAttack is the part of the attack that goes to the API.
type apiAttack struct {
	*harness
	http    *http.Client
	fuzzers []*apifuzz.Fuzzer
	sent    atomic.Int64
	unsent  atomic.Int64 // no client sends them: net/http refuses to write such a header
	large   atomic.Int64 // 431: net/http answers, before the product sees the request
	away    atomic.Int64 // 503 with Retry-After

	mu     sync.Mutex
	broken error
}

// attackAPI sends requests until there were enough, the time is up, or something broke.
func (h *harness) attackAPI(ctx context.Context) error {
	document, err := apifuzz.Read()
	if err != nil {
		return err
	}
	a := &apiAttack{harness: h, http: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: h.clients, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	defer a.http.CloseIdleConnections()
	for i := range h.clients {
		fuzzer, err := a.newFuzzer(ctx, document, i)
		if err != nil {
			return err
		}
		a.fuzzers = append(a.fuzzers, fuzzer)
	}
	limited, cancel := context.WithTimeout(ctx, h.limit)
	defer cancel()
	var sending sync.WaitGroup
	for i, fuzzer := range a.fuzzers {
		sending.Go(func() { a.sendAll(limited, i, fuzzer) })
	}
	done := make(chan struct{})
	go a.progress(done)
	sending.Wait()
	close(done)
	a.report()
	return errors.Join(a.broken, ctx.Err())
}

// newFuzzer is the one of a client: clients of one account in turn with those of the other.
func (a *apiAttack) newFuzzer(ctx context.Context, document *apifuzz.Document, i int) (*apifuzz.Fuzzer, error) {
	return apifuzz.New(apifuzz.Config{
		Document: document, Random: rand.New(rand.NewPCG(a.seed, uint64(i))), Key: a.accounts[i%2].key,
		Foreign: func(kind string) string {
			if kind == "phone_number" { // the deployment's are everybody's
				return ""
			}
			return a.fuzzers[(i+1)%len(a.fuzzers)].First(kind)
		},
		Send: func(request *apifuzz.Request) *apifuzz.Answer { return a.send(ctx, request) },
	})
}

func (a *apiAttack) sendAll(ctx context.Context, i int, fuzzer *apifuzz.Fuzzer) {
	for n, learned := 0, 0; n < a.requests/a.clients && ctx.Err() == nil; {
		if n >= learned {
			a.learn(ctx, a.accounts[i%2].key, fuzzer)
			learned += learnEvery
		}
		count, err := fuzzer.Sequence()
		if err != nil {
			a.fail(err)
		}
		if n += count; a.failed() {
			return
		}
	}
}

// learn lets a fuzzer know the ids of what nobody creates by a request.
func (a *apiAttack) learn(ctx context.Context, key string, fuzzer *apifuzz.Fuzzer) {
	for kind, path := range map[string]string{"event": "/v1/events?limit=5", "phone_number": "/v1/phone-numbers"} {
		answer, err := a.exchange(ctx, http.MethodGet, path, http.Header{"Authorization": {"Bearer " + key}}, nil)
		if err != nil {
			continue // the attack itself finds that
		}
		var list struct {
			Data []map[string]any `json:"data"`
		}
		if json.Unmarshal(answer.Body, &list) != nil {
			continue
		}
		for _, row := range list.Data {
			for _, field := range []string{"id", kind + "_id"} {
				if id, ok := row[field].(string); ok {
					fuzzer.Keep(kind, id)
				}
			}
		}
	}
}

// send sends a request of a fuzzer. It returns nil where there is nothing to judge.
func (a *apiAttack) send(ctx context.Context, request *apifuzz.Request) *apifuzz.Answer {
	// Names below .invalid lead nowhere (RFC 6761), wherever the attack runs.
	body := bytes.ReplaceAll(request.Body, []byte("example.com"), []byte("site.invalid"))
	stream := request.Operation.OperationID == "stream-events"
	patience := answerPatience
	if stream {
		patience = streamPatience
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := a.exchange(limited, request.Operation.Method, request.Target, request.Header, body)
	switch {
	case err == nil && answer.Status == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != "":
		a.sent.Add(1)
		a.away.Add(1)
		return nil
	case err == nil && answer.Status == http.StatusRequestHeaderFieldsTooLarge:
		a.sent.Add(1)
		a.large.Add(1)
		return nil
	case err == nil:
		a.sent.Add(1)
		return answer
	case strings.Contains(err.Error(), "invalid header"), strings.Contains(err.Error(), "invalid URL"):
		a.unsent.Add(1)
	case stream && errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
		a.sent.Add(1)
	default:
		a.fail(fmt.Errorf("no answer: %w: %s %s %v %q", err, request.Operation.Method, request.Target, request.Header, body))
	}
	return nil
}

func (a *apiAttack) exchange(ctx context.Context, method, target string, header http.Header,
	body []byte) (*apifuzz.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url+target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("invalid URL: %w", err)
	}
	request.Header = header
	response, err := a.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &apifuzz.Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

// fail keeps the first thing that broke.
func (a *apiAttack) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken == nil {
		a.broken = err
	}
}

func (a *apiAttack) failed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broken != nil
}

func (a *apiAttack) progress(done <-chan struct{}) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			a.say("%d requests", a.sent.Load())
		}
	}
}

// report says how often each operation was answered with which status.
func (a *apiAttack) report() {
	byOperation, total := map[string]map[int]int{}, map[int]int{}
	for _, fuzzer := range a.fuzzers {
		for operation, counts := range fuzzer.Statuses() {
			if byOperation[operation] == nil {
				byOperation[operation] = map[int]int{}
			}
			for status, n := range counts {
				byOperation[operation][status] += n
				total[status] += n
			}
		}
	}
	for _, operation := range slices.Sorted(maps.Keys(byOperation)) {
		fmt.Printf("%-36s %s\n", operation, countsText(byOperation[operation]))
	}
	a.say("%d requests: %s, 431 of net/http: %d, 503 with Retry-After: %d; not sent: %d", a.sent.Load(), countsText(total),
		a.large.Load(), a.away.Load(), a.unsent.Load())
}

func countsText(counts map[int]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d: %d", status, counts[status]))
	}
	return strings.Join(parts, ", ")
}
