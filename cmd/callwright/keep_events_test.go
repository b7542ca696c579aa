package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// eventsDir is where tests leave the events that a customer's server was sent, for checks by others' programs.
var eventsDir = flag.String("events", "", "leave the events that were received as files in this `folder`")

// keepEvents returns a server that leaves what it is sent as files, where that is wanted.
func keepEvents(t *testing.T, server http.Handler) http.Handler {
	t.Helper()
	if *eventsDir == "" {
		return server
	}
	require.NoError(t, os.MkdirAll(*eventsDir, 0o755))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(filepath.Join(*eventsDir, fmt.Sprintf("%s-%s.json", t.Name(), uuid.New())), body, 0o600)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		server.ServeHTTP(w, r)
	})
}
