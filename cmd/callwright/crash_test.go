package main

import (
	"bytes"
	"context"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/simnet"
)

// carrier is the telephone network outside: the simulated one, run by the test so that it counts INVITEs by number.
type carrier struct {
	*simnet.Network
	mu      sync.Mutex
	invites map[string]int
}

func startCarrier(t *testing.T, scripts simnet.Scripts) *carrier {
	t.Helper()
	c := &carrier{invites: map[string]int{}}
	network, err := simnet.Start(context.WithoutCancel(t.Context()), simnet.Config{
		Listen: "127.0.0.1:0", TTS: flite.New(flite.Config{}), Scripts: scripts,
		OnInvite: c.count,
	})
	require.NoError(t, err)
	c.Network = network
	t.Cleanup(func() { c.close(t) })
	return c
}

func (c *carrier) count(invite simnet.Invite) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.invites[invite.To]++
}

func (c *carrier) close(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, c.Close(ctx))
}

func (c *carrier) times(number string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.invites[number]
}

// overCarrier are the flags of a worker whose live calls go to the carrier.
func (c *carrier) overCarrier() []string {
	return []string{"--trunk-proxy=" + c.Addr().String(), "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1"}
}

// TestWorkerKilled kills workers as a power cut would, while calls ring and while they are talked on: each call ends as
// failed, through our fault, is reported once, and nobody is rung twice.
func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	doomed := p.startWorker(outside.overCarrier()...)
	ringing, talking := p.direct("+31612345602"), p.direct("+31612345606")
	p.waitStatus(ringing, "ringing")
	p.waitStatus(talking, "in-progress")
	survivor := p.startWorker(outside.overCarrier()...)
	p.waitRecorded(talking, 2*time.Second)
	doomed.kill()

	for _, id := range []string{ringing, talking} {
		call := p.waitStatus(id, "failed")
		require.Equal(t, "platform", call.EndedFault)
		require.Equal(t, "worker-lost", call.EndedReason)
		report := p.server.waitReport(t, id)
		require.Equal(t, "platform", report.Message.EndedFault)
	}
	p.requireSalvaged(talking, 2*time.Second)
	// The survivor hung up in the dead worker's name, and it still works.
	require.Eventually(t, func() bool {
		for _, call := range outside.Calls() {
			if call.To == "+31612345606" {
				return !call.EndedAt.IsZero()
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, "nobody said BYE")
	after := p.direct("+31612345601")
	require.Equal(t, "busy", p.waitStatus(after, "busy", "failed").Status)
	require.Equal(t, 1, outside.times("+31612345602"))
	require.Equal(t, 1, outside.times("+31612345606"))

	require.NotContains(t, p.run("files", "check"), talking)
	p.call(http.MethodDelete, "/v1/calls/"+talking, nil, http.StatusNoContent, nil)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(p.files(), "recordings", p.account, talking+".wav"))
		return errors.Is(err, fs.ErrNotExist)
	}, time.Minute, 20*time.Millisecond, "the recording outlives its call")
	survivor.stop()
}

// TestKilledInMidConversation kills a worker after some turns. The report has all that was finished, and the recording all but
// the last moments.
func TestKilledInMidConversation(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	doomed := p.startWorker()
	id := p.direct("+31612345612")
	require.Eventually(t, func() bool { return len(spokenBy(p.get(id), "user")) >= 2 }, time.Minute, 20*time.Millisecond)
	survivor := p.startWorker()
	before := p.get(id)
	doomed.kill()
	killed := time.Now()

	lost := p.waitStatus(id, "failed")
	require.Equal(t, "worker-lost", lost.EndedReason)
	require.GreaterOrEqual(t, len(lost.Transcript), len(before.Transcript))
	require.Equal(t, before.Transcript, lost.Transcript[:len(before.Transcript)])
	said := p.server.waitReport(t, id).Message.Artifact.Messages
	require.Len(t, said, len(lost.Transcript))
	for i, turn := range lost.Transcript {
		require.Equal(t, turn.Text, said[i].Message)
	}
	p.requireSalvaged(id, killed.Sub(lost.StartedAt)-2*time.Second)
	survivor.stop()
}

// files returns the folder of the file store.
func (p *platform) files() string {
	const name = "CALLWRIGHT_FILES_DIR="
	at := slices.IndexFunc(p.env, func(setting string) bool { return strings.HasPrefix(setting, name) })
	return strings.TrimPrefix(p.env[at], name)
}

// drafts returns the files that are being written, of which name a call.
func (p *platform) drafts(callID string) []string {
	p.t.Helper()
	drafts, err := filepath.Glob(filepath.Join(p.files(), ".unfinished", "*."+callID+".*"))
	require.NoError(p.t, err)
	return drafts
}

const recordedBytesPerSecond = 2 * 2 * audio.Rate

// waitRecorded waits until a live call is recorded for so long.
func (p *platform) waitRecorded(callID string, length time.Duration) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		drafts := p.drafts(callID)
		if len(drafts) == 0 {
			return false
		}
		info, err := os.Stat(drafts[0])
		return err == nil && float64(info.Size()) > length.Seconds()*recordedBytesPerSecond
	}, patience, 20*time.Millisecond, "the call is not recorded while it goes on")
}

// requireSalvaged requires that at least so much of the recording of a call whose worker was killed is there when its
// report is, which says how much is missing.
func (p *platform) requireSalvaged(callID string, length time.Duration) {
	p.t.Helper()
	artifact := p.server.waitReport(p.t, callID).Message.Artifact
	require.Contains(p.t, artifact.RecordingURL, "/v1/recordings/")
	require.NotNil(p.t, artifact.RecordingMissingSeconds)
	status, file := p.try(http.MethodGet, "/v1/calls/"+callID+"/recording", nil)
	require.Equal(p.t, http.StatusOK, status)
	require.EqualValues(p.t, len(file)-44, encoding.LittleEndian.Uint32(file[40:]), "the header says how much there is")
	recording, err := audio.ReadWAV(bytes.NewReader(file))
	require.NoError(p.t, err)
	recorded := float64(len(recording.Channels[0])) / audio.Rate
	require.GreaterOrEqual(p.t, recorded, length.Seconds())
	require.InDelta(p.t, p.get(callID).DurationSeconds, recorded+*artifact.RecordingMissingSeconds, 0.5)
	require.Eventually(p.t, func() bool { return len(p.drafts(callID)) == 0 }, time.Minute, 20*time.Millisecond, "its draft stays")
}

// TestWorkerKilledBetweenClaimAndInvite kills a worker at whatever point of placing many calls it has reached. A call
// that was claimed is never placed again; one that was not is placed by the next worker.
func TestWorkerKilledBetweenClaimAndInvite(t *testing.T) {
	t.Parallel()
	long(t)

	const calls = 60
	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	doomed := p.startWorker(outside.overCarrier()...)
	ids := map[string]string{}
	for i := range calls {
		number := fmt.Sprintf("+316123%03d01", i)
		ids[number] = p.direct(number)
		if i == calls/2 {
			doomed.kill()
		}
	}
	survivor := p.startWorker(outside.overCarrier()...)
	for number, id := range ids {
		call := p.waitStatus(id, "busy", "failed")
		if call.Status == "failed" {
			require.Equal(t, "worker-lost", call.EndedReason)
		}
		require.LessOrEqual(t, outside.times(number), 1, "%s was rung twice", number)
		p.server.waitReport(t, id)
	}
	survivor.stop()
}

// TestLeaderKilled kills the worker that leads River: what it scheduled is taken over at once, not when its term ends.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	first, second := p.startWorker(), p.startWorker()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	leader := func() (id string) {
		err := conn.QueryRow(t.Context(), "SELECT coalesce((SELECT leader_id FROM river_leader), '')").Scan(&id)
		require.NoError(t, err)
		return id
	}
	require.Eventually(t, func() bool { return leader() != "" }, time.Minute, 20*time.Millisecond)
	before := leader()
	for _, worker := range []*process{first, second} {
		if fmt.Sprintf("-%d-", worker.cmd.Process.Pid) == find(t, `(-\d+-)[0-9a-f]+$`, before) {
			worker.kill()
		}
	}
	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": "+31612345601"}, http.StatusCreated, &contact)
	var scheduled struct {
		ID        string
		Processed bool
		CallID    string `json:"call_id"`
	}
	p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{
		"assistant_id": p.assistantID, "contact_id": contact.ID, "scheduled_time": time.Now().Add(time.Second),
	}, http.StatusCreated, &scheduled)
	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.Processed
	}, 10*time.Second, 20*time.Millisecond, "River's own term of a leader is 15 s")
	require.NotEqual(t, before, leader())
	require.Equal(t, "busy", p.waitStatus(scheduled.CallID, "busy", "failed").Status)
}

// TestJobsOfAKilledWorker kills a worker in the middle of a delivery. The event arrives through another worker, under the
// same webhook-id, long before River would have rescued the job.
func TestJobsOfAKilledWorker(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	held, release := make(chan struct{}, 16), make(chan struct{})
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { close(release) }) })
	p.server.mu.Lock()
	p.server.hold = func() {
		held <- struct{}{}
		<-release
	}
	p.server.mu.Unlock()
	doomed := p.startWorker()
	id := p.direct("+31612345601")
	<-held // the first delivery is under way
	doomed.kill()
	once.Do(func() { close(release) })
	survivor := p.startWorker()
	call := p.waitStatus(id, "busy", "failed")
	p.server.waitReport(t, id)
	require.Eventually(t, func() bool { return len(p.server.of(id, "status-update")) == len(told(call)) }, 20*time.Second,
		20*time.Millisecond)
	survivor.stop()
}

// TestReceiverDown has a customer's server fail for a while: everything arrives once it is back.
func TestReceiverDown(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	p.startWorker()
	var mu sync.Mutex
	refused := 0
	p.server.mu.Lock()
	p.server.respond = func() int {
		mu.Lock()
		defer mu.Unlock()
		if refused < 4 {
			refused++
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	}
	p.server.mu.Unlock()
	id := p.direct("+31612345601")
	p.server.waitReport(t, id)
	require.Eventually(t, func() bool { return len(p.server.of(id, "status-update")) == 2 }, time.Minute, 20*time.Millisecond)

	var events struct {
		Data []struct{ ID, Type, Delivery string }
	}
	require.Eventually(t, func() bool { // it is noted only after it arrived
		p.call(http.MethodGet, "/v1/events?limit=100", nil, http.StatusOK, &events)
		return !slices.ContainsFunc(events.Data, func(e struct{ ID, Type, Delivery string }) bool { return e.Delivery != "delivered" })
	}, time.Minute, 20*time.Millisecond)
	attempts := 0
	for _, event := range events.Data {
		var log struct{ Data []struct{ Attempt int } }
		p.call(http.MethodGet, "/v1/events/"+event.ID+"/deliveries", nil, http.StatusOK, &log)
		attempts += len(log.Data)
	}
	// The first refusal is an attempt; a probe that fails before its event's time is none.
	require.GreaterOrEqual(t, attempts, len(events.Data)+1, "attempts are in the log")
	require.LessOrEqual(t, attempts, len(events.Data)+4, "and nothing else is")
}

// openDir is a temporary folder that the unprivileged user of a private Postgres may enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "callwright-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// TestPostgresRestarts restarts the database under requests and calls: requests fail meanwhile, no accepted call is
// lost, and all processes recover by themselves.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	long(t)

	config := embedded.Config{Dir: filepath.Join(openDir(t), "postgres")}
	server, err := embedded.Start(t.Context(), config)
	require.NoError(t, err)
	p := startPlatform(t, server.DSN(), true)
	p.startWorker()

	var mu sync.Mutex
	var accepted []string
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			status, body := p.try(http.MethodPost, "/v1/calls/direct",
				map[string]any{"assistant_id": p.assistantID, "contact_phone_number": "+31612345601"})
			switch {
			case status == http.StatusCreated:
				mu.Lock()
				accepted = append(accepted, find(t, `"call_id":"([^"]+)"`, string(body)))
				mu.Unlock()
			case status < 500:
				t.Errorf("status %d while Postgres restarts: %s", status, body)
				return
			}
		}
	}()
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(accepted)
	}
	require.Eventually(t, func() bool { return count() > 10 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, server.Stop(t.Context()))
	before := count()
	server, err = embedded.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, server.Stop(ctx))
	})
	require.Eventually(t, func() bool { return count() > before+10 }, time.Minute, 10*time.Millisecond,
		"no requests are answered after the restart")
	close(stop)
	<-stopped
	for _, id := range accepted {
		p.waitStatus(id, "busy", "failed")
		p.server.waitReport(t, id)
	}
}
