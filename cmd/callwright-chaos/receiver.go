//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	refuseShare = 0.04 // of webhooks, at random
	outageEvery = 45 * time.Second
	outageFor   = 4 * time.Second
)

// server is a server on loopback.
type server struct {
	url  string
	http *http.Server
	done chan struct{}
}

func serve(ctx context.Context, handler http.Handler) (*server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{
		url: "http://" + listener.Addr().String(), http: &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second},
		done: make(chan struct{}),
	}
	go func() {
		_ = s.http.Serve(listener) // ends by close
		close(s.done)
	}()
	return s, nil
}

func (s *server) close() {
	_ = s.http.Close() // what it leaves open ends with us
	<-s.done
}

// transcriber is the speech recognition of the workers: it always understands the same.
func transcriber(w http.ResponseWriter, req *http.Request) {
	_, err := io.Copy(io.Discard, req.Body)
	if err == nil {
		err = json.NewEncoder(w).Encode(map[string]string{"text": said})
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the worker has gone
	}
}

// receiver is the customer's server. It refuses some webhooks at random and all of them now and then, until it is healed.
type receiver struct {
	onReport func(callID string)

	mu       sync.Mutex
	verifier *standardwebhooks.Webhook
	random   *rand.Rand
	begun    time.Time
	healed   bool
	taken    []receipt
	has      map[string]bool // events by id
	reports  map[string]bool // calls by id
	invalid  int
	refused  int
}

func newReceiver(seed uint64, onReport func(callID string)) *receiver {
	return &receiver{onReport: onReport, random: rand.New(rand.NewPCG(seed, 3)), begun: time.Now(), has: map[string]bool{},
		reports: map[string]bool{}}
}

func (r *receiver) trust(secret string) error {
	verifier, err := standardwebhooks.NewWebhook(secret)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifier = verifier
	return err
}

func (r *receiver) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.healed = true
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // cut off on its way: it comes again
	}
	event, status := r.take(req.Header, body)
	w.WriteHeader(status)
	if event.Type == reportEvent {
		r.onReport(event.CallID)
	}
}

func (r *receiver) take(header http.Header, body []byte) (event receipt, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	event, err := r.read(header, body)
	if err != nil {
		r.invalid++
		return receipt{}, http.StatusBadRequest
	}
	if !r.healed && (r.random.Float64() < refuseShare || time.Since(r.begun)%outageEvery > outageEvery-outageFor) {
		r.refused++
		return receipt{}, http.StatusServiceUnavailable
	}
	r.taken = append(r.taken, event)
	r.has[event.ID] = true
	if event.Type == reportEvent {
		r.reports[event.CallID] = true
	}
	return event, http.StatusNoContent
}

func (r *receiver) read(header http.Header, body []byte) (receipt, error) {
	if r.verifier == nil {
		return receipt{}, errors.New("no secret is known")
	}
	if err := r.verifier.Verify(body, header); err != nil {
		return receipt{}, err
	}
	var event struct {
		Message struct {
			Type     string
			Sequence int64
			Call     struct{ ID string }
		}
	}
	err := json.Unmarshal(body, &event)
	return receipt{ID: header.Get("webhook-id"), Type: event.Message.Type, CallID: event.Message.Call.ID,
		Sequence: event.Message.Sequence}, err
}

// reported reports whether the report of a call was taken.
func (r *receiver) reported(callID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reports[callID]
}

// knows reports whether the event was taken.
func (r *receiver) knows(eventID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.has[eventID]
}

func (r *receiver) got() (taken []receipt, invalid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]receipt(nil), r.taken...), r.invalid
}
