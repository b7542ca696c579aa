package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
)

// outage is 60s where somebody looks at a long one.
var outage = flag.Duration("outage", 0, "how long Postgres stays away in TestPostgresAwayInMidCall, beside its start")

// TestPostgresAwayInMidCall has Postgres end at once, without a farewell, in the middle of two calls. One ends meanwhile, the
// other goes on and obeys when Postgres is back; who calls meanwhile is asked to come later. All that was said is recorded in
// order, each event comes once, no call lasts longer than it did, no process is taken for dead, and each says in two lines what
// was wrong.
func TestPostgresAwayInMidCall(t *testing.T) {
	t.Parallel()
	long(t)

	config := embedded.Config{Dir: filepath.Join(openDir(t), "postgres")}
	server, err := embedded.Start(t.Context(), config)
	require.NoError(t, err)
	p := startPlatform(t, server.DSN(), true)
	outside := startCarrier(t, nil)
	worker := p.startWorker(append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8")...)
	line := worker.address("SIP gateway")
	short, long := p.direct("+31612345605"), p.direct("+31612345612")
	for _, id := range []string{short, long} {
		p.waitStatus(id, "in-progress")
	}
	judge := p.startWorker()

	at, immediately := context.WithCancel(t.Context())
	immediately()
	require.ErrorIs(t, server.Stop(at), context.Canceled, "it was not asked politely")
	away := time.Now()
	require.Equal(t, http.StatusServiceUnavailable, p.statusOf("/v1/calls/"+long))
	worker.waitFor(`"msg":"call ended","call_id":"` + short + `"`)
	_, err = outside.Call(t.Context(), line, callerNumber, ourNumber, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	require.Positive(t, refused.RetryAfter)
	for time.Since(away) < *outage {
		require.Equal(t, http.StatusServiceUnavailable, p.statusOf("/readyz"))
		time.Sleep(min(time.Second, *outage-time.Since(away)))
	}
	require.Equal(t, http.StatusServiceUnavailable, p.statusOf("/readyz"))
	server, err = embedded.Start(t.Context(), config)
	require.NoError(t, err)
	back := time.Now()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, server.Stop(ctx))
	})

	ended := p.waitStatus(short, "completed", "failed")
	require.Equal(t, "completed", ended.Status)
	require.True(t, ended.EndedAt.Before(back), "it ended at %v, recorded after %v", ended.EndedAt, back)
	require.Less(t, ended.DurationSeconds, back.Sub(ended.StartedAt).Seconds())
	require.Contains(t, strings.Join(spokenBy(ended, "assistant"), " "), "Hello, this is")
	said := int(outage.Seconds()) / 15 // at least, meanwhile
	require.Eventually(t, func() bool { return len(p.get(long).Transcript) >= 3+2*said }, 30*time.Second, 20*time.Millisecond)
	p.hangUp(long)
	live := p.waitStatus(long, "completed", "failed")
	require.Equal(t, "manually-canceled", live.EndedReason, "commands reach a call that went on")
	for i, text := range spokenBy(live, "user") {
		require.Contains(t, text, remark(i), "in order, and nothing is missing")
	}

	for _, call := range []callRecord{ended, p.get(long)} {
		states := p.requireToldOnce(call)
		require.Equal(t, []string{"queued", "dialing", "ringing", "in-progress", "completed"}, states)
	}
	p.requireGapFree()
	p.requireNothingRuns(server.DSN())
	for _, process := range []*process{worker, judge, p.api} {
		text, _ := process.output.read()
		require.Equal(t, 1, strings.Count(text, `"msg":"database unavailable"`))
		require.Equal(t, 1, strings.Count(text, `"msg":"database available again"`))
		require.NotContains(t, text, "dead process")
		lines := regexp.MustCompile(`"level":"(WARN|ERROR)".*`).FindAllString(text, -1)
		require.Less(t, len(lines), 15, "%s", strings.Join(lines, "\n"))
	}
}

// remark is what who has much to say speaks of at the turn.
func remark(turn int) string {
	return []string{"a window", "a garden", "a table", "a river", "a letter", "a candle", "a mirror"}[turn%7]
}

// statusOf returns the status of a response, and requires that a 503 says when to come back.
func (p *platform) statusOf(path string) int {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(p.t, err)
	req.Header.Set("Authorization", "Bearer "+p.key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err)
	require.NoError(p.t, resp.Body.Close())
	if resp.StatusCode == http.StatusServiceUnavailable {
		require.NotEmpty(p.t, resp.Header.Get("Retry-After"))
	}
	return resp.StatusCode
}

// requireNothingRuns requires that no job stays behind as running. River returns such jobs after an hour.
func (p *platform) requireNothingRuns(dsn string) {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), dsn)
	require.NoError(p.t, err)
	defer conn.Close(context.WithoutCancel(p.t.Context()))
	require.Eventually(p.t, func() bool {
		var running int
		require.NoError(p.t, conn.QueryRow(p.t.Context(), "SELECT count(*) FROM river_job WHERE state = 'running'").Scan(&running))
		return running == 0
	}, time.Minute, 20*time.Millisecond)
}

func spokenBy(call callRecord, role string) (spoken []string) {
	for _, turn := range call.Transcript {
		if turn.Role == role {
			spoken = append(spoken, turn.Text)
		}
	}
	return spoken
}

// requireToldOnce requires that the customer's server was told of each state and each turn of a call once and in order. It
// returns the states.
func (p *platform) requireToldOnce(call callRecord) (states []string) {
	p.t.Helper()
	p.server.waitReport(p.t, call.CallID)
	texts := func(kind string) (got []string) {
		for _, event := range p.server.of(call.CallID, kind) {
			got = append(got, event.Message.CallStatus+event.Message.Transcript)
		}
		return got
	}
	var turns []string
	for _, step := range call.Timeline {
		states = append(states, step.Status)
	}
	for _, turn := range call.Transcript {
		turns = append(turns, turn.Text)
	}
	require.Eventually(p.t, func() bool { return slices.Equal(told(call), texts("status-update")) }, 30*time.Second,
		20*time.Millisecond)
	require.Eventually(p.t, func() bool { return slices.Equal(turns, texts("transcript")) }, 30*time.Second, 20*time.Millisecond,
		"said %q", turns)
	return states
}

// requireGapFree requires that the account's events are numbered from 1 without a gap.
func (p *platform) requireGapFree() {
	p.t.Helper()
	var events struct{ Data []struct{ Sequence int } }
	p.call(http.MethodGet, "/v1/events?limit=100", nil, http.StatusOK, &events)
	require.NotEmpty(p.t, events.Data)
	for i, event := range events.Data { // oldest first
		require.Equal(p.t, i+1, event.Sequence, fmt.Sprint(events.Data))
	}
}
