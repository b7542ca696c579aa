package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestInstantAgentOfAKilledWorker kills a worker while it reads the website of an instant agent. Another worker makes the
// agent, once, before the request that waits for it gives up.
func TestInstantAgentOfAKilledWorker(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	reading := make(chan struct{}, 1)
	var reads atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/":
			http.NotFound(w, r)
		case reads.Add(1) == 1:
			reading <- struct{}{}
			<-r.Context().Done() // the end of the worker
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>Bakery</title><p>We bake cakes for your birthday, and they are all that you will want.</p>")
		}
	}))
	t.Cleanup(site.Close)
	var numbers struct {
		Data []struct{ ID, Number string }
	}
	p.call(http.MethodGet, "/v1/phone-numbers", nil, http.StatusOK, &numbers)

	doomed := p.startWorker()
	type answer struct {
		status int
		body   []byte
	}
	answers := make(chan answer, 1)
	go func() {
		status, body := p.try(http.MethodPost, "/instant-agents", map[string]any{
			"phone_number_id": numbers.Data[0].ID, "company_name": "Bakery", "website_url": site.URL,
		})
		answers <- answer{status, body}
	}()
	<-reading
	doomed.kill()
	survivor := p.startWorker()
	got := <-answers
	require.Equal(t, http.StatusCreated, got.status, "%s", got.body)
	var agent struct {
		PhoneNumber string `json:"phone_number"`
		AgentName   string `json:"agent_name"`
	}
	require.NoError(t, json.Unmarshal(got.body, &agent))
	require.Equal(t, numbers.Data[0].Number, agent.PhoneNumber)

	var assistants struct {
		Data []struct {
			Name        string `json:"assistant_name"`
			PhoneNumber string `json:"phone_number"`
			Content     string `json:"llm_content"`
		}
	}
	p.call(http.MethodGet, "/v1/assistants", nil, http.StatusOK, &assistants)
	require.Len(t, assistants.Data, 2, "the platform's and the instant one")
	require.Equal(t, agent.AgentName, assistants.Data[0].Name)
	require.Equal(t, agent.PhoneNumber, assistants.Data[0].PhoneNumber)
	require.Contains(t, assistants.Data[0].Content, "cakes for your birthday")
	require.Empty(t, assistants.Data[1].PhoneNumber, "the shared number has one assistant of an account")
	survivor.stop()
}
