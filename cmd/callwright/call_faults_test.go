//go:build unix

package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// The far ends of allKinds.
const (
	bridgedCaller, consultingCaller = "+31612345620", "+31612346620"
	silentDesk                      = "+31201235520" // answers as deskNumber does, and says nothing
)

// allKinds are live calls of each kind on one worker: a caller who talks to a colleague, one who waits while a colleague is
// spoken to, and a page, to which somebody listens.
type allKinds struct {
	*platform
	outside            *carrier
	worker             *process
	bridged, consulted string
	page, listener     *page
}

func startAllKinds(t *testing.T, p *platform, workerDSN string) *allKinds {
	t.Helper()
	c := &allKinds{platform: p, outside: startReferless(t, simnet.Step{Wait: 10 * time.Minute})}
	env := p.env
	p.env = append(slices.Clip(env), "DATABASE_URL="+workerDSN)
	c.worker = p.startWorker(c.flags()...)
	p.env = env
	c.page = p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	c.page.call()
	c.bridged, c.consulted = p.direct(bridgedCaller), p.direct(consultingCaller)
	for _, id := range c.all() {
		p.waitStatus(id, "in-progress")
	}
	told := p.tell(c.bridged, map[string]any{"type": "transfer", "phone_number": deskNumber})
	require.Eventually(t, func() bool { return p.outcomes(c.bridged)[told.ID] == "done" }, time.Minute, 20*time.Millisecond)
	p.tell(c.consulted, map[string]any{"type": "transfer", "phone_number": silentDesk, "transfer_plan": map[string]any{
		"mode": "warm-transfer-wait-for-operator-to-speak-first-and-then-say-message", "message": "Jan is on the line.", "timeout": 600,
	}})
	require.Eventually(t, func() bool { return !c.outside.seen(silentDesk).AnsweredAt.IsZero() }, time.Minute, 20*time.Millisecond)
	c.listener = p.listen(t, c.page.id, "listen")
	return c
}

func (c *allKinds) flags() []string {
	return append(append(hearing(), c.outside.overCarrier()...), "--web-listen=127.0.0.1:0", "--trunk-peers=127.0.0.0/8")
}

func (c *allKinds) all() []string { return []string{c.page.id, c.bridged, c.consulted} }

// requireOver requires that each call ended as wanted, once, with its recording and its report, that nobody was rung twice, and
// that nothing is left: no leg, no listener, no far end that waits.
func (c *allKinds) requireOver(dsn, status string, reasons ...string) {
	c.t.Helper()
	for _, id := range c.all() {
		call := c.waitStatus(id, "completed", "failed")
		require.Equal(c.t, status, call.Status, "%+v", call)
		require.Contains(c.t, reasons, call.EndedReason)
		states := c.requireToldOnce(call)
		require.Equal(c.t, status, states[len(states)-1])
		got, recording := c.try(http.MethodGet, "/v1/calls/"+id+"/recording", nil)
		require.Equal(c.t, http.StatusOK, got, "%s", recording)
	}
	require.Len(c.t, c.legs(c.bridged), 1)
	require.Len(c.t, c.legs(c.consulted), 1)
	for _, number := range []string{bridgedCaller, consultingCaller, deskNumber, silentDesk} {
		require.Eventually(c.t, func() bool { return !c.outside.seen(number).EndedAt.IsZero() }, time.Minute, 20*time.Millisecond,
			"nobody says BYE to %s", number)
		require.Equal(c.t, 1, c.outside.times(number), "%s", number)
	}
	require.Equal(c.t, "left", c.listeners(c.page.id)[c.listener.id].Status)
	c.requireGapFree()
	c.requireNothingRuns(dsn)
	conn, err := pgx.Connect(c.t.Context(), dsn)
	require.NoError(c.t, err)
	defer conn.Close(context.WithoutCancel(c.t.Context()))
	var live int
	require.NoError(c.t, conn.QueryRow(c.t.Context(), `SELECT (SELECT count(*) FROM call WHERE ended_at IS NULL)
		+ (SELECT count(*) FROM call_leg WHERE ended_at IS NULL)
		+ (SELECT count(*) FROM call_listener WHERE ended_at IS NULL)`).Scan(&live))
	require.Zero(c.t, live)
}

// requireGoOn requires that all calls are live and obey.
func (c *allKinds) requireGoOn() {
	c.t.Helper()
	for _, id := range c.all() {
		require.Contains(c.t, []string{"in-progress", "forwarding"}, c.get(id).Status)
	}
	require.Equal(c.t, "joined", c.listeners(c.page.id)[c.listener.id].Status)
	received := c.listener.Received.Load()
	require.Eventually(c.t, func() bool { return c.listener.Received.Load() > received+25 }, time.Minute, 20*time.Millisecond)
	for _, id := range c.all() {
		c.hangUp(id)
	}
}

// TestCallsOfAllKindsLoseTheirWorker kills a worker, stops it as a suspended machine would be, and cuts it off from Postgres.
func TestCallsOfAllKindsLoseTheirWorker(t *testing.T) {
	t.Parallel()
	long(t)
	for name, fail := range map[string]func(t *testing.T, c *allKinds, way *silence){
		"Killed": func(_ *testing.T, c *allKinds, _ *silence) { c.worker.kill() },
		"Paused": func(t *testing.T, c *allKinds, _ *silence) {
			c.worker.signal(syscall.SIGSTOP)
			for _, id := range c.all() {
				c.waitStatus(id, "failed")
			}
			c.worker.signal(syscall.SIGCONT)
			c.worker.waitFor(`(taken for dead)`)
			c.page.see("hang-up", "")
			c.listener.see("hang-up", "")
		},
		"CutOff": func(t *testing.T, c *allKinds, way *silence) {
			way.setSilent(true)
			c.worker.waitFor(`(process lease has run out)`)
			c.page.see("hang-up", "")
			c.listener.see("hang-up", "")
			for _, id := range c.all() {
				c.waitStatus(id, "failed")
			}
			way.setSilent(false)
			c.worker.waitFor(`(taken for dead)`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := dbtest.DSN(t)
			way := startCut(t, dsn)
			c := startAllKinds(t, startPlatform(t, dsn, false), way.dsn)
			survivor := c.startWorker(c.flags()...)
			fail(t, c, way)
			c.requireOver(dsn, "failed", "worker-lost")
			for _, id := range []string{c.bridged, c.consulted} {
				require.Equal(t, "failed", c.legs(id)[0].Leg.Status)
			}
			again := c.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
			again.call()
			c.hangUp(again.id)
			c.waitStatus(again.id, "completed")
			survivor.stop()
			if name != "Killed" {
				c.worker.stop()
			}
		})
	}
}

// TestCallsOfAllKindsOutlivePostgres has Postgres end at once and come back.
func TestCallsOfAllKindsOutlivePostgres(t *testing.T) {
	t.Parallel()
	long(t)
	config := embedded.Config{Dir: filepath.Join(openDir(t), "postgres")}
	server, err := embedded.Start(t.Context(), config)
	require.NoError(t, err)
	c := startAllKinds(t, startPlatform(t, server.DSN(), false), server.DSN())
	judge := c.startWorker()
	at, immediately := context.WithCancel(t.Context())
	immediately()
	require.ErrorIs(t, server.Stop(at), context.Canceled)
	c.worker.waitFor(`(database unavailable)`)
	server, err = embedded.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := server.Stop(ctx); !errors.Is(err, context.Canceled) {
			require.NoError(t, err)
		}
	})
	require.Eventually(t, func() bool { return c.statusOf("/readyz") == http.StatusOK }, time.Minute, 50*time.Millisecond)
	c.requireGoOn()
	c.requireOver(server.DSN(), "completed", "manually-canceled", "assistant-forwarded-call")
	judge.stop()
	c.worker.stop()
}

// TestAPIKilledWhileAPageWaits kills the API process that a page waits for. The call that it has made ends by itself, is reported
// once, and keeps no place.
func TestAPIKilledWhileAPageWaits(t *testing.T) {
	t.Parallel()
	long(t)
	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	offer := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU}).offer()
	offer["assistant_id"] = p.assistantID
	answered := make(chan int, 1)
	go func() {
		status, _ := p.try(http.MethodPost, "/v1/calls/web", offer)
		answered <- status
	}()
	var id string
	require.Eventually(t, func() bool { return conn.QueryRow(t.Context(), "SELECT call_id FROM web_offer").Scan(&id) == nil },
		time.Minute, time.Millisecond)
	p.api.kill()
	require.Zero(t, <-answered)
	p.api = start(t, p.env, "api")
	p.url = "http://" + p.api.waitFor(`"serving","address":"([^"]+)"`)
	worker := webWorker(p)
	p.requireToldOnce(p.waitStatus(id, "missed", "failed")) // as a worker has answered it in time, or not
	require.Eventually(t, func() bool {
		var left int
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM web_offer WHERE offer <> ''").Scan(&left))
		return left == 0
	}, time.Minute, 50*time.Millisecond, "the offer is kept")
	again := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	again.call()
	p.hangUp(again.id)
	p.waitStatus(again.id, "completed")
	worker.stop()
}

// TestCallsOutliveWhatTheyAreMadeOf changes and deletes assistant, number, contacts and token while calls of all kinds are live:
// they go on as they began, obey, and are reported with what they had.
func TestCallsOutliveWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	long(t)
	dsn := dbtest.DSN(t)
	c := startAllKinds(t, startPlatform(t, dsn, false), dsn)
	contacts := map[string]bool{}
	for _, id := range c.all() {
		if contact := c.get(id).ContactID; contact != "" {
			contacts[contact] = true
		}
	}
	assistant := "/v1/assistants/" + c.assistantID
	c.call(http.MethodPatch, assistant, map[string]any{
		"assistant_name": "Somebody else", "first_message": "Hello?", "server": nil,
		"model": map[string]any{"messages": []any{map[string]any{"role": "system", "content": "Say nothing."}}},
	}, http.StatusOK, nil)
	c.call(http.MethodDelete, assistant+"/phone-number", nil, http.StatusOK, nil)
	for contact := range contacts {
		status, body := c.try(http.MethodDelete, "/v1/contacts/"+contact, nil)
		require.Contains(t, []int{http.StatusNoContent, http.StatusConflict}, status, "%s", body)
	}
	for _, id := range c.all() {
		status, body := c.try(http.MethodDelete, "/v1/calls/"+id, nil)
		require.Equal(t, http.StatusConflict, status, "%s", body)
	}
	c.call(http.MethodDelete, assistant, nil, http.StatusNoContent, nil)
	status, body := c.try(http.MethodPost, "/v1/calls/direct",
		map[string]any{"assistant_id": c.assistantID, "contact_phone_number": "+31612345601"})
	require.Equal(t, http.StatusNotFound, status, "%s", body)
	said := c.tell(c.page.id, map[string]any{"type": "say", "content": "Are you still there?"})
	require.Eventually(t, func() bool { return c.outcomes(c.page.id)[said.ID] == "done" }, time.Minute, 20*time.Millisecond)
	c.requireGoOn()
	c.requireOver(dsn, "completed", "manually-canceled", "assistant-forwarded-call")
	for _, id := range c.all() {
		require.Equal(t, c.assistantID, c.get(id).AssistantID)
	}
	c.worker.stop()
}
