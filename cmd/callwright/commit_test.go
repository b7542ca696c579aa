package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestConnectionLostAtCommit breaks the connection exactly at the commit of each step of a call's life, before Postgres hears of it
// and after: no call, event or report is lost or comes twice, and none fails for it.
func TestConnectionLostAtCommit(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	way := dbtest.Broken(t, dsn)
	p := startPlatformBehind(t, dsn, way.DSN, true)
	var calls []string
	for key, loss := range []dbtest.Loss{dbtest.Request, dbtest.Answer} {
		calls = append(calls, p.directOnce(fmt.Sprint(key), way.At("CallInsertDirectMany", loss)))
	}
	for range 3 {
		calls = append(calls, p.direct("+31612345605"))
	}
	var listed struct{ Data []callRecord }
	p.call(http.MethodGet, "/v1/calls", nil, http.StatusOK, &listed)
	require.Len(t, listed.Data, len(calls))

	broken := map[string]<-chan struct{}{}
	for _, query := range []string{
		"CallClaimMany", "CallSetInvitedMany", "CallRequeueMany", "CallProgressMany", "CallTurnInsertMany", "CallEndMany", "CallListByID",
		"EventNumber", "EventRecordAttempts", "JobSetStateIfRunningMany", "ProcessLeaseRenew",
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

// directOnce makes a direct call whose response is lost on its way from Postgres, and makes it again as a customer does.
func (p *platform) directOnce(key string, broken <-chan struct{}) string {
	p.t.Helper()
	post := func() (int, string) {
		body := fmt.Sprintf(`{"assistant_id": %q, "contact_phone_number": "+31612345605"}`, p.assistantID)
		req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/v1/calls/direct", strings.NewReader(body))
		require.NoError(p.t, err)
		req.Header.Set("Authorization", "Bearer "+p.key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(p.t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(p.t, err)
		return resp.StatusCode, string(text)
	}
	status, text := post()
	require.Equal(p.t, http.StatusServiceUnavailable, status, text)
	<-broken
	require.Eventually(p.t, func() bool {
		status, text = post()
		return status != http.StatusConflict // until Postgres knows that the first has ended
	}, time.Minute, 20*time.Millisecond)
	require.Equal(p.t, http.StatusCreated, status, text)
	again, same := post()
	require.Equal(p.t, http.StatusCreated, again)
	require.JSONEq(p.t, text, same)
	return find(p.t, `"call_id":"([^"]+)"`, text)
}
