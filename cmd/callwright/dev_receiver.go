package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/worker/gateways"
)

// devEvent is an event as the demo reads it.
type devEvent struct {
	Message struct {
		Type            string  `json:"type"`
		Sequence        int64   `json:"sequence"`
		CallStatus      string  `json:"callStatus"`
		Role            string  `json:"role"`
		Transcript      string  `json:"transcript"`
		EndedReason     string  `json:"endedReason"`
		DurationSeconds float64 `json:"durationSeconds"`
		RecordingURL    string  `json:"recordingUrl"`
		Messages        []any   `json:"messages"`
		Call            struct {
			ID string `json:"id"`
		} `json:"call"`
	} `json:"message"`
}

// devReceiver is the customer's server of the demo: it checks signatures as any receiver should.
type devReceiver struct {
	url, secret string
	server      *http.Server
	served      chan error
	verifier    *standardwebhooks.Webhook
	events      chan devEvent
}

func newDevReceiver(ctx context.Context) (*devReceiver, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(gateways.Loopback(), "0"))
	if err != nil {
		return nil, fmt.Errorf("open webhook receiver: %w", err)
	}
	r := &devReceiver{
		url: "http://" + listener.Addr().String() + "/events", secret: hook.NewSecret(), served: make(chan error, 1),
		events: make(chan devEvent),
	}
	if r.verifier, err = standardwebhooks.NewWebhook(r.secret); err != nil {
		return nil, errors.Join(fmt.Errorf("use webhook secret: %w", err), listener.Close())
	}
	r.server = &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: r}
	go func() { r.served <- r.server.Serve(listener) }()
	return r, nil
}

// ServeHTTP implements http.Handler. An event is accepted when it was taken: until somebody follows, the sender waits.
func (r *devReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 4<<20))
	if err == nil {
		err = r.verifier.Verify(body, req.Header)
	}
	var event devEvent
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case r.events <- event:
		w.WriteHeader(http.StatusNoContent)
	case <-req.Context().Done(): // the sender, or this server, has gone
	}
}

func (r *devReceiver) close() error {
	err := r.server.Close()
	if serving := <-r.served; !errors.Is(serving, http.ErrServerClosed) {
		err = errors.Join(err, serving)
	}
	return err
}
