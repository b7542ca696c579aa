//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	workerProcesses = 3
	concurrentCalls = 60
	filesSpace      = 64 << 20 // bytes of the file system of recordings, where we may make one
)

// harness runs the product among faults.
type harness struct {
	options
	dir      string
	program  string
	env      []string
	postgres *postgres
	far      *farEnd
	tap      *tap
	speech   *server
	hooks    *server
	receiver *receiver
	driver   *driver
	disk     *disk // nil: recordings are on a file system of others
	tasks    sync.WaitGroup
	done     counts
	current  sync.Map     // faults that last, by their number in the plan
	working  atomic.Value // string: what we do besides

	mu        sync.Mutex
	processes map[string]*process // by slot
	gone      []*process          // hosts that never come back
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

func (h *harness) filesDir() string { return filepath.Join(h.dir, "files") }
func (h *harness) logsDir() string  { return filepath.Join(h.dir, "logs") }

// setUp builds the program and starts everything but the load and the faults.
func (h *harness) setUp(ctx context.Context) (err error) {
	h.processes, h.senders, h.waiting = map[string]*process{}, map[string]uint16{}, map[string][]chan *process{}
	for _, folder := range []string{h.filesDir(), h.logsDir()} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if h.disk, err = newDisk(h.filesDir(), filesSpace); err != nil {
		h.say("the fault full disk is left out: %v", err)
	}
	if err := h.build(ctx); err != nil {
		return err
	}
	if h.postgres, err = startPostgres(ctx, filepath.Join(h.dir, "postgres")); err != nil {
		return err
	}
	if err := h.startPeers(ctx); err != nil {
		return err
	}
	if err := h.openAccount(ctx); err != nil {
		return err
	}
	for i := range apiProcesses {
		if _, err := h.start(ctx, fmt.Sprintf("api-%d", i+1), false); err != nil {
			return err
		}
	}
	for i := range workerProcesses {
		if _, err := h.start(ctx, fmt.Sprintf("worker-%d", i+1), true); err != nil {
			return err
		}
	}
	return h.driver.setUp(ctx)
}

func (h *harness) build(ctx context.Context) error {
	h.program = h.binary
	if h.program != "" {
		return nil
	}
	h.program = filepath.Join(h.dir, "callwright")
	output, err := exec.CommandContext(ctx, "go", "build", "-o", h.program, "github.com/callwright/callwright/cmd/callwright").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w: %s", err, output)
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
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "CALLWRIGHT_SEAL_KEYS=" + sealKeys, "CALLWRIGHT_OPERATOR_PASSWORD=operator",
		"CALLWRIGHT_FILES_DIR=" + h.filesDir(), "CALLWRIGHT_ALLOW_NETWORKS=127.0.0.0/8", "CALLWRIGHT_MAIL=log", "GOTRACEBACK=all",
		"CALLWRIGHT_TRUNK_PROXY=" + h.tap.address(), "CALLWRIGHT_PUBLIC_IP=127.0.0.1",
		"CALLWRIGHT_RING_FOR=5s", "CALLWRIGHT_DRAIN=2s",
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
		{"account", "limits", h.driver.account, fmt.Sprintf("--max-concurrent-calls=%d", concurrentCalls)},
		{"account", "credit", h.driver.account, strconv.Itoa(grantedCredits), "--reason=chaos"},
		{"number", "add", "+31850000000"},
	} {
		if _, err := h.operate(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// operate runs a command of the operator.
func (h *harness) operate(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = append([]string{"DATABASE_URL=" + h.postgres.dsn}, h.env...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("callwright %v: %w: %s", args, err, output)
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

// start starts the process of a slot on a proxy of its own, and starts another one when it ends by itself.
func (h *harness) start(ctx context.Context, slot string, worker bool) (*process, error) {
	proxy, err := newProxy(ctx, h.postgres.socket)
	if err != nil {
		return nil, err
	}
	p := &process{slot: slot, worker: worker, proxy: proxy, exited: make(chan struct{})}
	if err := h.admit(ctx, p); err != nil {
		proxy.close()
		return nil, err
	}
	h.tasks.Go(func() { h.tend(ctx, p) })
	return p, nil
}

// admit launches the process, unless the harness is stopping.
func (h *harness) admit(ctx context.Context, p *process) error {
	args, env := []string{"api"}, h.env
	if p.worker {
		port, err := freeUDPPort(ctx)
		if err != nil {
			return err
		}
		p.sip = port
		args = []string{"worker", fmt.Sprintf("--sip-listen=127.0.0.1:%d", port)}
	} else {
		port, err := freePort(ctx)
		if err != nil {
			return err
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		p.url, args = "http://"+address, append(args, "--listen="+address)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return context.Canceled
	}
	h.made++
	p.name = fmt.Sprintf("%s.%d", p.slot, h.made)
	env = append([]string{"DATABASE_URL=" + h.postgres.through(p.proxy.port(), "chaos-"+p.slot)}, env...)
	var err error
	if p.cmd, p.log, err = launch(h.program, env, args, filepath.Join(h.logsDir(), p.name+".log")); err != nil {
		return err
	}
	h.processes[p.slot] = p
	return nil
}

// tend waits for the end of the process. An operator's supervisor starts another one when it ends by itself.
func (h *harness) tend(ctx context.Context, p *process) {
	err := p.cmd.Wait()
	close(p.exited)
	p.log.Close()
	if p.wasExpected() || ctx.Err() != nil {
		return
	}
	h.done.exits.Add(1)
	h.say("%s ended by itself: %v", p.name, err)
	h.replace(ctx, p, time.Second)
}

// replace starts the successor of a process in its slot.
func (h *harness) replace(ctx context.Context, p *process, after time.Duration) {
	sleep(ctx, after)
	if ctx.Err() != nil {
		return
	}
	if _, err := h.start(ctx, p.slot, p.worker); err != nil && !errors.Is(err, context.Canceled) {
		h.say("%s does not start: %v", p.slot, err)
	}
}

// healthy are the processes of a kind that no fault is on.
func (h *harness) healthy(worker bool) []*process {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []*process
	for _, p := range h.processes {
		if p.worker == worker && p.healthy() {
			found = append(found, p)
		}
	}
	return found
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
		p.proxy.close()
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
	if h.postgres != nil {
		errs = append(errs, h.postgres.close(ctx))
	}
	if h.disk != nil {
		errs = append(errs, h.disk.close())
	}
	return errors.Join(errs...)
}
