package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// runReceiver is a customer's server in the process of the far ends: it takes every event and notes when it came.
func runReceiver(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var (
		mu       sync.Mutex
		received notes
	)
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := time.Now().UnixNano()
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			mu.Lock()
			received.Answers = append(received.Answers, at)
			mu.Unlock()
			w.WriteHeader(http.StatusNoContent)
		})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Println(listener.Addr())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	if err := server.Close(); err != nil {
		return err
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	return json.NewEncoder(os.Stdout).Encode(map[string]*notes{behaviorReceive: &received})
}
