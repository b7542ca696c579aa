//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// watching is ours in our private database: each step that the row of a call takes, with the time at which it was taken.
// The program under test knows nothing of it.
const watching = `
CREATE SCHEMA chaos;
CREATE TABLE chaos.step (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    call_id uuid NOT NULL, worker_id text, sip_call_id text, status text NOT NULL
);
CREATE INDEX step_call ON chaos.step (call_id);
CREATE FUNCTION chaos.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos.step (call_id, worker_id, sip_call_id, status) VALUES (NEW.id, NEW.worker_id, NEW.sip_call_id, NEW.status);
    PERFORM pg_notify('chaos', json_build_object('call', NEW.id, 'worker', NEW.worker_id, 'status', NEW.status)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_inserted AFTER INSERT ON public.call FOR EACH ROW EXECUTE FUNCTION chaos.note();
CREATE TRIGGER chaos_moved AFTER UPDATE ON public.call FOR EACH ROW
    WHEN ((OLD.status, OLD.worker_id, OLD.sip_call_id) IS DISTINCT FROM (NEW.status, NEW.worker_id, NEW.sip_call_id))
    EXECUTE FUNCTION chaos.note();`

// rowStep is a notification of a step.
type rowStep struct{ Call, Worker, Status string }

// watch reports the steps of calls until ctx ends, over a connection that it makes anew whenever it breaks.
func (h *harness) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if err := h.listen(ctx); err != nil {
			sleep(ctx, 100*time.Millisecond)
		}
	}
}

func (h *harness) listen(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, h.postgres.dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it is broken, or not needed any more
	if _, err := conn.Exec(ctx, "LISTEN chaos"); err != nil {
		return err
	}
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var step rowStep
		if err := json.Unmarshal([]byte(notification.Payload), &step); err != nil {
			return fmt.Errorf("read step: %w", err)
		}
		h.rowMoved(step)
	}
}

func (h *harness) rowMoved(step rowStep) {
	switch step.Status {
	case "queued":
		h.seen(stepQueued, nil)
	case "dialing":
		worker := h.byWorkerID(step.Worker)
		h.seen(stepClaim, worker)
		h.seen(stepLease, worker)
	case "completed", "busy", "no-answer", "voicemail", "failed":
		h.seen(stepEnded, h.byWorkerID(step.Worker))
	}
}

// workerPID is the process in the id of a worker, HOST-PID-RANDOM.
var workerPID = regexp.MustCompile(`-(\d+)-[0-9a-f]+$`)

// byWorkerID is the worker among those that run now.
func (h *harness) byWorkerID(id string) *process {
	p := h.everLaunched(id)
	return h.find(func(now *process) bool { return now == p })
}

// everLaunched is the worker of an id, also one that has ended.
func (h *harness) everLaunched(id string) *process {
	found := workerPID.FindStringSubmatch(id)
	if found == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range slices.Backward(h.launched) {
		if p.worker && strconv.Itoa(p.pid()) == found[1] {
			return p
		}
	}
	return nil
}

// bySIPCall is the worker that sent the INVITE.
func (h *harness) bySIPCall(callID string) *process {
	h.mu.Lock()
	port := h.senders[callID]
	h.mu.Unlock()
	return h.find(func(p *process) bool { return p.worker && p.sip == port })
}

func (h *harness) find(is func(*process) bool) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.processes {
		if is(p) {
			return p
		}
	}
	return nil
}
