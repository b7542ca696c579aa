//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/db/seal"
)

const (
	apiProcesses    = 2
	workerProcesses = 4
	rolledWorkers   = 2 // fewer make a drain of each shorter than the whole
	concurrentCalls = 120
	filesSpace      = 8 << 30 // bytes of the file system of recordings, where we may make one
	postgresSpace   = 4 << 30
)

// harness runs the product among faults.
type harness struct {
	options
	dir      string
	program  string // that is started
	next     string // that it is upgraded to, if it is
	env      []string
	postgres *postgres
	far      *farEnd
	tap      *tap
	speech   *server
	hooks    *server
	receiver *receiver
	driver   *driver
	balancer *balancer // nil: the driver asks one API process after the other

	filesDisk, postgresDisk *disk // nil: they are on a file system of others

	tasks   sync.WaitGroup
	done    counts
	current sync.Map     // faults that last, by their number in the plan
	working atomic.Value // string: what we do besides

	mu        sync.Mutex
	processes map[string]*process // by slot
	gone      []*process          // hosts that never come back
	launched  []*process          // all that there ever were
	made      int                 // processes so far
	stopped   bool                // nothing is started any more
	senders   map[string]uint16   // SIP ports of workers by Call-ID
	waiting   map[string][]chan *process
	losses    []loss
}

// loss is a worker that ended without a word.
type loss struct {
	fault string
	pid   int
	at    time.Time
}

func (h *harness) phase(text string) { h.working.Store(text) }

func (h *harness) doing() string {
	text, _ := h.working.Load().(string)
	return text
}

func (h *harness) filesDir() string    { return filepath.Join(h.dir, "files") }
func (h *harness) logsDir() string     { return filepath.Join(h.dir, "logs") }
func (h *harness) postgresDir() string { return filepath.Join(h.dir, "postgres") }

// setUp builds the program and starts everything but the load and the faults.
func (h *harness) setUp(ctx context.Context) (err error) {
	h.processes, h.senders, h.waiting = map[string]*process{}, map[string]uint16{}, map[string][]chan *process{}
	for _, folder := range []string{h.filesDir(), h.logsDir(), h.postgresDir()} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if !h.rolls() {
		h.filesDisk = h.mount(fullFiles, h.filesDir(), filesSpace)
		h.postgresDisk = h.mount(fullPostgres, h.postgresDir(), postgresSpace)
	}
	if err := h.build(ctx); err != nil {
		return err
	}
	if h.postgres, err = startPostgres(ctx, h.postgresDir()); err != nil {
		return err
	}
	if err := h.startPeers(ctx); err != nil {
		return err
	}
	if err := h.openAccount(ctx); err != nil {
		return err
	}
	workers := workerProcesses
	if h.rolls() {
		workers = rolledWorkers
		if h.balancer, err = newBalancer(ctx, h); err != nil {
			return err
		}
	}
	for i := range apiProcesses {
		if err := h.start(ctx, h.program, fmt.Sprintf("api-%d", i+1), false); err != nil {
			return err
		}
	}
	for i := range workers {
		if err := h.start(ctx, h.program, fmt.Sprintf("worker-%d", i+1), true); err != nil {
			return err
		}
	}
	return h.driver.setUp(ctx)
}

// mount makes the disk that a fault fills, where this machine allows that.
func (h *harness) mount(fault, folder string, size uint64) *disk {
	made, err := newDisk(folder, size)
	if err != nil {
		h.say("the fault %s is left out: %v", fault, err)
		return nil
	}
	return made
}

func (h *harness) build(ctx context.Context) error {
	h.program = h.binary
	if h.program == "" {
		h.program = filepath.Join(h.dir, "callwright")
		args := []string{"build", "-o", h.program}
		if h.from != "" {
			overlay, err := h.overlay(ctx)
			if err != nil {
				return err
			}
			args = append(args, "-overlay="+overlay)
		}
		output, err := exec.CommandContext(ctx, "go", append(args,
			"github.com/callwright/callwright/cmd/callwright")...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("build: %w: %s", err, output)
		}
	}
	if h.from != "" {
		h.program, h.next = h.from, h.program
	}
	return nil
}

// startPeers starts whom the product talks to.
func (h *harness) startPeers(ctx context.Context) (err error) {
	step := func(step, callID string) { h.seen(step, h.bySIPCall(callID)) }
	if h.far, err = newFarEnd(ctx, step); err != nil {
		return err
	}
	h.tap, err = newTap(ctx, h.far.address(), func(one ring) {
		h.mu.Lock()
		h.senders[one.CallID] = one.From
		h.mu.Unlock()
		step(stepInvite, one.CallID)
	})
	if err != nil {
		return err
	}
	if h.speech, err = serve(ctx, http.HandlerFunc(transcriber)); err != nil {
		return err
	}
	h.receiver = newReceiver(h.seed, func(string) { h.seen(stepReport, nil) })
	h.hooks, err = serve(ctx, h.receiver)
	return err
}

// openAccount runs the operator's commands.
func (h *harness) openAccount(ctx context.Context) error {
	sealKeys := seal.GenerateKey("chaos").Format()
	h.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "CALLWRIGHT_SEAL_KEYS=" + sealKeys,
		"CALLWRIGHT_OPERATOR_PASSWORD=operator-password",
		"CALLWRIGHT_FILES_DIR=" + h.filesDir(), "CALLWRIGHT_ALLOW_NETWORKS=127.0.0.0/8", "CALLWRIGHT_MAIL=log", "GOTRACEBACK=all",
		"CALLWRIGHT_TRUNK_PROXY=" + h.tap.address(), "CALLWRIGHT_TRUNK_PEERS=127.0.0.0/8", "CALLWRIGHT_PUBLIC_IP=127.0.0.1",
		"CALLWRIGHT_RING_FOR=5s", "CALLWRIGHT_DRAIN=" + h.drain().String(),
		"CALLWRIGHT_STT_PROVIDER=openai-compatible", "CALLWRIGHT_STT_BASE_URL=" + h.speech.url + "/v1", "CALLWRIGHT_STT_MODEL=chaos",
	}
	if _, err := h.operate(ctx, "migrate"); err != nil {
		return err
	}
	if _, err := h.postgres.pool.Exec(ctx, watching); err != nil {
		return fmt.Errorf("watch calls: %w", err)
	}
	output, err := h.operate(ctx, "account", "create", "chaos@example.com")
	if err != nil {
		return err
	}
	h.driver = newDriver(h)
	if h.driver.account, err = find(`account\s+(\S+)`, output); err != nil {
		return err
	}
	if output, err = h.operate(ctx, "key", "create", h.driver.account, "--requests-per-minute=1000000"); err != nil {
		return err
	}
	if h.driver.key, err = find(`key\s+(\S+)`, output); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"limits", h.driver.account, fmt.Sprintf("--max-concurrent-calls=%d", concurrentCalls), "--calls-per-number=none",
			"--daily-minutes=none", "--daily-texts=none"},
		{"account", "credit", h.driver.account, strconv.Itoa(grantedCredits), "--reason=chaos"},
		{"number", "add", number},
		{"number", "owner", number, h.driver.account},
	} {
		if _, err := h.operate(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// operate runs a command of the operator.
func (h *harness) operate(ctx context.Context, args ...string) (string, error) {
	return h.operateAs(ctx, h.program, args...)
}

func (h *harness) operateAs(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append([]string{"DATABASE_URL=" + h.postgres.dsn}, h.env...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("callwright %v: %w: %s", args, err, output)
	}
	return string(output), nil
}

func find(pattern, text string) (string, error) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%q is not in %s", pattern, text)
	}
	return found[1], nil
}

// tearDown ends every process that was started, by its pid.
func (h *harness) tearDown(ctx context.Context) error {
	h.mu.Lock()
	h.stopped = true
	all := append([]*process(nil), h.gone...)
	for _, p := range h.processes {
		all = append(all, p)
	}
	h.mu.Unlock()
	for _, p := range all {
		p.kill()
	}
	h.tasks.Wait()
	var errs []error
	if h.tap != nil {
		h.tap.close()
	}
	if h.far != nil {
		errs = append(errs, h.far.close(ctx))
	}
	for _, s := range []*server{h.speech, h.hooks} {
		if s != nil {
			s.close()
		}
	}
	if h.balancer != nil {
		h.balancer.close()
	}
	if h.postgres != nil {
		errs = append(errs, h.postgres.close(ctx))
	}
	for _, mounted := range []*disk{h.filesDisk, h.postgresDisk} {
		if mounted != nil {
			errs = append(errs, mounted.close())
		}
	}
	return errors.Join(errs...)
}
