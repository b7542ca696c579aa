package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/worker"
)

const (
	takeoverCalls = 40
	takeoverTalk  = 2 * time.Second
	takeoverPoll  = 20 * time.Millisecond
	stayFor       = time.Hour // far ends, which say nothing
)

// takeoverSeconds is how long the calls and jobs of a worker that is gone wait for another one: until its calls are ended and
// reported, and its jobs run again. Once the process is killed, and once its host vanishes: its sockets stay open and say
// nothing.
func takeoverSeconds(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t := &takeover{bench: b, program: filepath.Join(filepath.Dir(b.scratch), "callwright"), keys: seal.GenerateKey("bench").Format()}
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", t.program,
		"github.com/callwright/callwright/cmd/callwright").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, output)
	}
	if t.customer, err = newCustomer(ctx, b.pool, 0, greeter); err != nil {
		return err
	}
	if t.inserter, err = worker.NewInserter(b.pool, b.logger); err != nil {
		return err
	}
	if t.far, err = simnet.Start(ctx, simnet.Config{
		Listen: "127.0.0.1:0", Logger: b.logger, AnswerDelay: time.Millisecond,
		Scripts: simnet.Scripts{"default": {Steps: []simnet.Step{{Wait: stayFor}}}},
	}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.far.Close(context.WithoutCancel(ctx))) }()
	defer t.killAll()
	for range 2 {
		if err := t.launch(ctx); err != nil {
			return err
		}
	}
	if err := t.measure(ctx, "takeover_seconds_sigkill", func(victim *exec.Cmd) error { return victim.Process.Kill() }); err != nil {
		return err
	}
	if err := t.launch(ctx); err != nil {
		return err
	}
	return t.measure(ctx, "takeover_seconds_vanished", func(victim *exec.Cmd) error { return pauseProcess(victim.Process) })
}

// takeover runs real worker processes.
type takeover struct {
	*bench
	program  string
	keys     string
	customer *customer
	inserter queue.Inserter
	far      *simnet.Network
	running  []*exec.Cmd
	calls    int // so far
}

func (t *takeover) launch(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, t.program, "worker", "--sip-listen=127.0.0.1:0")
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(t.scratch), "DATABASE_URL=" + t.pool.Config().ConnString(),
		"CALLWRIGHT_SEAL_KEYS=" + t.keys, "CALLWRIGHT_FILES_DIR=" + t.scratch, "CALLWRIGHT_TRUNK_PROXY=" + t.far.Addr().String(),
		"CALLWRIGHT_PUBLIC_IP=127.0.0.1", "CALLWRIGHT_MAIL=log", "CALLWRIGHT_STT_PROVIDER=openai-compatible",
		"CALLWRIGHT_STT_BASE_URL=http://127.0.0.1:9/v1", "CALLWRIGHT_STT_MODEL=none", // nobody says anything
	}
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	t.running = append(t.running, cmd)
	return nil
}

func (t *takeover) killAll() {
	for _, cmd := range t.running {
		_ = cmd.Process.Kill() // it may have been killed
		_ = cmd.Wait()         // that is how it ended
	}
}

// measure has the newest worker, and others, hold calls and reports how long the fault that befalls it is felt.
func (t *takeover) measure(ctx context.Context, name string, fault func(victim *exec.Cmd) error) error {
	victim := t.running[len(t.running)-1]
	if err := t.occupy(ctx, victim); err != nil {
		return err
	}
	select { // there is something to salvage of each call
	case <-time.After(takeoverTalk):
	case <-ctx.Done():
		return ctx.Err()
	}
	left, err := t.holdings(ctx, victim)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := fault(victim); err != nil {
		return fmt.Errorf("end worker: %w", err)
	}
	if err := t.await(ctx, "the calls and jobs of a dead worker are not taken over", takenOver, left.process, left.calls,
		left.jobs); err != nil {
		return err
	}
	report(name, time.Since(began).Seconds(), "s")
	t.logger.InfoContext(ctx, "taken over", "calls", len(left.calls), "jobs", len(left.jobs))
	return nil
}

// occupied reports whether the process with the pid $1 holds a call that is under way, and no call waits or rings.
const occupied = `SELECT NOT EXISTS (SELECT FROM call WHERE status IN ('queued', 'dialing', 'ringing'))
	AND EXISTS (SELECT FROM call WHERE status = 'in-progress' AND worker_id LIKE '%-' || $1::text || '-%')`

// occupy places calls until the worker holds some of them.
func (t *takeover) occupy(ctx context.Context, victim *exec.Cmd) error {
	if err := t.await(ctx, "a worker does not begin", `SELECT EXISTS (SELECT FROM process_lease WHERE pid = $1::int)`,
		victim.Process.Pid); err != nil {
		return err
	}
	for {
		if err := t.place(ctx); err != nil {
			return err
		}
		if err := t.await(ctx, "calls are not placed",
			`SELECT NOT EXISTS (SELECT FROM call WHERE status IN ('queued', 'dialing', 'ringing'))`); err != nil {
			return err
		}
		var holds bool
		if err := t.pool.QueryRow(ctx, occupied, fmt.Sprint(victim.Process.Pid)).Scan(&holds); err != nil || holds {
			return err
		}
	}
}

func (t *takeover) place(ctx context.Context) error {
	return db.InTx(ctx, t.pool, func(tx pgx.Tx) error {
		for range takeoverCalls {
			t.calls++
			call, err := calls.InsertDirect(ctx, tx, &calls.DirectCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: t.customer.accountID, AssistantID: t.customer.assistantID,
				PhoneNumber: fmt.Sprintf("+316%06d99", t.calls), CustomData: []byte(`{}`),
			})
			if err != nil {
				return err
			}
			if err := calls.Enqueue(ctx, tx, t.inserter, call); err != nil {
				return err
			}
		}
		return nil
	})
}

// holdings are what a process holds.
type holdings struct {
	process string
	calls   []uuid.UUID
	jobs    []int64
}

func (t *takeover) holdings(ctx context.Context, victim *exec.Cmd) (*holdings, error) {
	left := &holdings{}
	err := t.pool.QueryRow(ctx, `SELECT worker_id, array_agg(id),
			coalesce((SELECT array_agg(id) FROM river_job WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = worker_id), '{}')
		FROM call WHERE status = 'in-progress' AND worker_id LIKE '%-' || $1::text || '-%' GROUP BY worker_id`,
		fmt.Sprint(victim.Process.Pid)).
		Scan(&left.process, &left.calls, &left.jobs)
	if err != nil {
		return nil, fmt.Errorf("list what a worker holds: %w", err)
	}
	return left, nil
}

// takenOver reports whether the calls $2 are reported and the jobs $3 of process $1 were worked by another one.
const takenOver = `SELECT
	NOT EXISTS (SELECT FROM unnest($2::uuid[]) AS lost (id) WHERE NOT EXISTS (
		SELECT FROM event WHERE event.call_id = lost.id AND event.type = 'end-of-call-report'))
	AND NOT EXISTS (SELECT FROM river_job WHERE id = ANY ($3::bigint[]) AND attempted_by[array_upper(attempted_by, 1)] = $1::text)`

// await waits until a query returns true.
func (t *takeover) await(ctx context.Context, failure, query string, args ...any) error {
	for {
		var holds bool
		if err := t.pool.QueryRow(ctx, query, args...).Scan(&holds); err != nil {
			return errors.Join(errors.New(failure), err)
		}
		if holds {
			return nil
		}
		select {
		case <-time.After(takeoverPoll):
		case <-ctx.Done():
			return errors.New(failure)
		}
	}
}
