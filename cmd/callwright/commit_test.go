package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestConnectionLostAtCommit breaks the connection exactly at the commit of each step of a call's life, before Postgres hears of
// it and after: no call, event or report is lost or comes twice, and none fails for it.
func TestConnectionLostAtCommit(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	way := dbtest.Broken(t, dsn)
	p := startPlatformBehind(t, dsn, way.DSN, true)
	var calls []string
	for key, loss := range []dbtest.Loss{dbtest.Request, dbtest.Answer} {
		text := p.once(fmt.Sprint("call ", key), "/v1/calls/direct", p.callTo("+31612345605"), way.At("CallInsertDirectMany", loss))
		calls = append(calls, find(t, `"call_id":"([^"]+)"`, text))
		text = p.once(fmt.Sprint("contact ", key), "/v1/contacts", object{"phone_number": fmt.Sprint("+3161234560", key)},
			way.At("ContactInsertMany", loss))
		p.once(fmt.Sprint("later ", key), "/v1/scheduled-calls", p.callLater(find(t, `"contact_id":"([^"]+)"`, text)),
			way.At("ScheduledCallInsertMany", loss))
	}
	p.requireTotals(2, 2)
	for range 3 {
		calls = append(calls, p.direct("+31612345605"))
	}
	var listed struct{ Data []callRecord }
	p.call(http.MethodGet, "/v1/calls", nil, http.StatusOK, &listed)
	require.Len(t, listed.Data, len(calls))

	broken := map[string]<-chan struct{}{}
	for _, query := range []string{
		"CallClaimMany", "CallSetInvitedMany", "CallRequeueMany", "CallProgressMany", "CallTurnInsertMany", "CallEndMany",
		"CallListByID",
		"EventNumberFree", "EventRecordAttempts", "JobSetStateIfRunningMany", "ProcessLeaseRenew",
	} {
		broken[query+" unheard"], broken[query+" unanswered"] = way.At(query, dbtest.Request), way.At(query, dbtest.Answer)
	}
	p.env = append(slices.Clip(p.env), "DATABASE_URL="+way.DSN)
	p.startWorker()
	for name, happened := range broken {
		select {
		case <-happened:
		case <-time.After(time.Minute):
			t.Fatal("no connection was lost at", name)
		}
	}
	for _, id := range calls {
		call := p.waitStatus(id, "completed", "failed")
		require.Equal(t, "completed", call.Status, "%+v", call)
		states := p.requireToldOnce(call)
		again := slices.Index(states, "ringing") - 2 // how often it was claimed and given back
		require.Equal(t, append(slices.Repeat([]string{"queued", "dialing"}, 1+again/2), "ringing", "in-progress", "completed"), states)
	}
	p.requireGapFree()
	p.requireNothingRuns(dsn)
}

// once makes a request whose response is lost on its way from Postgres, and makes it again as a customer does. It returns the
// response.
func (p *platform) once(key, path string, in any, broken <-chan struct{}) string {
	p.t.Helper()
	status, text := p.post(p.url, key, path, in)
	require.Equal(p.t, http.StatusServiceUnavailable, status, text)
	<-broken
	text = p.again(p.url, key, path, in)
	status, same := p.post(p.url, key, path, in)
	require.Equal(p.t, http.StatusCreated, status)
	require.JSONEq(p.t, text, same)
	return text
}

// again makes a request until Postgres knows that the same one before has ended. It returns the response.
func (p *platform) again(url, key, path string, in any) (text string) {
	p.t.Helper()
	var status int
	require.Eventually(p.t, func() bool {
		status, text = p.post(url, key, path, in)
		return status != http.StatusConflict
	}, time.Minute, 20*time.Millisecond)
	require.Equal(p.t, http.StatusCreated, status, text)
	return text
}

// post makes a request that can be repeated by its key. Status 0: nobody answered.
func (p *platform) post(url, key, path string, in any) (int, string) {
	p.t.Helper()
	body, err := json.Marshal(in)
	require.NoError(p.t, err)
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, url+path, bytes.NewReader(body))
	require.NoError(p.t, err)
	req.Header.Set("Authorization", "Bearer "+p.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	return resp.StatusCode, string(text)
}
