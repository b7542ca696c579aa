//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestAccountDeletedInFullSwing deletes an account while its calls run, which is refused, and as soon as they are over: their
// reports are not sent yet, its server and websites hang, a number is kept registered, a program listens to its events. Nothing of
// it stays, and no worker stumbles over what is gone.
func TestAccountDeletedInFullSwing(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, false)
	registrar := startCarrier(t, nil)
	c := startAllKinds(t, p, dsn)
	hung := newHung(t)
	p.server.mu.Lock()
	p.server.hold = func() { <-hung.released }
	p.server.mu.Unlock()
	p.call(http.MethodPost, "/v1/sip-connections", map[string]any{
		"phone_number": "31201234567", "sip_username": "alice", "sip_password": "s3cret", "sip_proxy": registrar.Addr().String(),
		"provider_name": "Provider",
	}, http.StatusCreated, nil)
	c.worker.waitFor("SIP connection is registered")
	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": "+31612345601"}, http.StatusCreated, &contact)
	p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{"assistant_id": p.assistantID, "contact_id": contact.ID,
		"scheduled_time": time.Now().Add(time.Hour)}, http.StatusCreated, nil)
	p.call(http.MethodPost, "/v1/web-tokens",
		map[string]any{"assistant_id": p.assistantID, "origins": []string{pageOrigin}}, http.StatusCreated, nil)
	p.call(http.MethodPost, "/v1/knowledge-base/documents", map[string]any{"title": "Site", "url": hung.url + "/page"},
		http.StatusCreated, nil)
	agent := hung.ask(p, "/instant-agents", map[string]any{"phone_number_id": p.sharedNumberID(), "company_name": "Bakery",
		"website_url": hung.url})
	stream := p.openStream()
	<-hung.asked
	<-hung.asked

	remove := []string{"account", "delete", p.account, "--confirm=" + ownerEmail}
	output, status := runOnce(t, p.env, remove...)
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "3 calls are not over")
	c.requireGoOn()
	for _, id := range c.all() {
		p.waitStatus(id, "completed")
	}
	p.run(remove...)

	got, body := p.try(http.MethodGet, "/v1/calls", nil)
	require.Equal(t, http.StatusUnauthorized, got, "%s", body)
	answer := <-agent
	require.NotContains(t, []int{0, http.StatusCreated, http.StatusInternalServerError}, answer.status, "%s", answer.body)
	<-stream
	hung.release()
	c.worker.waitFor("SIP connection is taken back")
	c.worker.stop()
	p.requireNothingLeft(dsn)
	text, _ := c.worker.output.read()
	told := map[string]int{}
	for _, line := range regexp.MustCompile(`"level":"(?:WARN|ERROR)","msg":"([^"]*)"`).FindAllStringSubmatch(text, -1) {
		told[line[1]]++
	}
	for message, times := range told {
		require.Less(t, times, 4, "%s\n%v", message, told)
	}
	p.api.stop()
}

// requireNothingLeft requires that no row, no job and no file is left of the account.
func (p *platform) requireNothingLeft(dsn string) {
	p.t.Helper()
	ctx := context.WithoutCancel(p.t.Context())
	conn, err := pgx.Connect(ctx, dsn)
	require.NoError(p.t, err)
	defer conn.Close(ctx)
	tables, err := db.AccountTables(ctx, conn)
	require.NoError(p.t, err)
	left := map[string]int{}
	for _, table := range tables {
		var count int
		require.NoError(p.t, conn.QueryRow(ctx, "SELECT count(*) FROM "+table.Name+" WHERE account_id = $1", p.account).Scan(&count))
		if count > 0 {
			left[table.Name] = count
		}
	}
	require.Empty(p.t, left)
	var jobs []string
	rows, err := conn.Query(ctx, `SELECT kind || ' ' || args::text FROM river_job
		WHERE state NOT IN ('completed', 'cancelled') AND args <> '{}'`)
	require.NoError(p.t, err)
	jobs, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(p.t, err)
	require.Empty(p.t, jobs)
	var files []string
	folder := strings.TrimPrefix(p.env[3], "CALLWRIGHT_FILES_DIR=")
	require.NoError(p.t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	require.Empty(p.t, files)
}

// hung is a website that answers nobody before it is released.
type hung struct {
	url      string
	asked    chan struct{}
	released chan struct{}
	release  func()
}

func newHung(t *testing.T) *hung {
	t.Helper()
	h := &hung{asked: make(chan struct{}, 100), released: make(chan struct{})}
	h.release = sync.OnceFunc(func() { close(h.released) })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		h.asked <- struct{}{}
		select {
		case <-h.released:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Bakery</title><p>We bake cakes for your birthday, and they are all that you will want.</p>")
	}))
	h.url = site.URL
	t.Cleanup(site.Close)
	t.Cleanup(h.release)
	return h
}

// outcomeOf is what a request came to.
type outcomeOf struct {
	status int
	body   []byte
}

// ask makes a request that waits for the website.
func (*hung) ask(p *platform, path string, body map[string]any) <-chan outcomeOf {
	answers := make(chan outcomeOf, 1)
	go func() {
		status, text := p.try(http.MethodPost, path, body)
		answers <- outcomeOf{status, text}
	}()
	return answers
}

func (p *platform) sharedNumberID() string {
	p.t.Helper()
	var numbers struct {
		Data []struct{ ID, Origin string }
	}
	p.call(http.MethodGet, "/v1/phone-numbers", nil, http.StatusOK, &numbers)
	for _, number := range numbers.Data {
		if number.Origin == "default" {
			return number.ID
		}
	}
	p.t.Fatal("there is no shared number")
	return ""
}

// openStream reads the stream of events until the server ends it.
func (p *platform) openStream() <-chan struct{} {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/v1/events/stream", http.NoBody)
	require.NoError(p.t, err)
	req.Header.Set("Authorization", "Bearer "+p.key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err)
	require.Equal(p.t, http.StatusOK, resp.StatusCode)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body) // that it ends is what counts
	}()
	return ended
}
