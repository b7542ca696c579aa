//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/callwright/callwright/db/embedded"
	"github.com/callwright/callwright/db/seal"
)

const (
	readyPatience = 30 * time.Second
	stopPatience  = 20 * time.Second
	grantedCredit = 100_000
)

// harness runs the product.
type harness struct {
	options
	dir       string
	program   string
	env       []string
	postgres  *embedded.Server
	processes []*process
	url       string // of the API
	sip       string // address of the worker
	accounts  []*account
}

// account is one of a customer who attacks.
type account struct{ id, key string }

// process is a running callwright.
type process struct {
	name   string
	cmd    *exec.Cmd
	log    *os.File
	exited chan struct{}
}

func (h *harness) setUp(ctx context.Context) (err error) {
	if h.program = h.binary; h.program == "" {
		h.program = filepath.Join(h.dir, "callwright")
		output, err := exec.CommandContext(ctx, "go", "build", "-o", h.program,
			"github.com/callwright/callwright/cmd/callwright").CombinedOutput()
		if err != nil {
			return fmt.Errorf("build: %w: %s", err, output)
		}
	}
	if h.postgres, err = embedded.Start(ctx, embedded.Config{
		Dir: filepath.Join(h.dir, "postgres"), Settings: map[string]string{"fsync": "off"}, // nobody cuts the power
	}); err != nil {
		return err
	}
	h.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "DATABASE_URL=" + h.postgres.DSN(),
		"CALLWRIGHT_SEAL_KEYS=" + seal.GenerateKey("attack").Format(),
		"CALLWRIGHT_OPERATOR_PASSWORD=the operator's", "CALLWRIGHT_FILES_DIR=" + filepath.Join(h.dir, "files"), "CALLWRIGHT_MAIL=log",
		"CALLWRIGHT_DRAIN=1s", "CALLWRIGHT_RING_FOR=1s", "GOTRACEBACK=all",
	}
	if err := h.openAccounts(ctx); err != nil {
		return err
	}
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	listen := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if h.url, err = "http://"+listen, h.start(ctx, "api", "api", "--listen="+listen); err != nil {
		return err
	}
	h.sip = net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) // the same number, over UDP
	err = h.start(ctx, "worker", "worker", "--sip-listen="+h.sip, "--trunk-peers=127.0.0.1/32", "--web-listen=127.0.0.1:0",
		"--web-tcp-listen=127.0.0.1:0")
	if err != nil {
		return err
	}
	return h.waitReady(ctx)
}

// openAccounts runs the operator's commands: the limits are those of a paying customer, but for the rate.
func (h *harness) openAccounts(ctx context.Context) error {
	if _, err := h.operate(ctx, "migrate"); err != nil {
		return err
	}
	if _, err := h.operate(ctx, "number", "add", "+31850000000"); err != nil {
		return err
	}
	for _, name := range []string{"one", "two"} {
		output, err := h.operate(ctx, "account", "create", name+"@example.com")
		if err != nil {
			return err
		}
		made := &account{}
		if made.id, err = find(`account\s+(\S+)`, output); err != nil {
			return err
		}
		if _, err := h.operate(ctx, "account", "credit", made.id, strconv.Itoa(grantedCredit), "--reason=attack"); err != nil {
			return err
		}
		if _, err := h.operate(ctx, "account", "subscription", made.id, "active"); err != nil {
			return err
		}
		if output, err = h.operate(ctx, "key", "create", made.id, "--test", "--requests-per-minute=1000000"); err != nil {
			return err
		}
		if made.key, err = find(`key\s+(\S+)`, output); err != nil {
			return err
		}
		h.accounts = append(h.accounts, made)
	}
	return nil
}

// operate runs a command of the operator.
func (h *harness) operate(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = h.env
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("callwright %v: %w: %s", args, err, output)
	}
	return string(output), nil
}

func (h *harness) start(ctx context.Context, name string, args ...string) error {
	log, err := os.Create(filepath.Join(h.dir, name+".log"))
	if err != nil {
		return err
	}
	p := &process{name: name, log: log, exited: make(chan struct{})}
	p.cmd = exec.CommandContext(context.WithoutCancel(ctx), h.program, args...) // tearDown ends it
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = h.env, log, log
	if err := p.cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	h.processes = append(h.processes, p)
	go func() {
		_ = p.cmd.Wait() // the verdict looks whether it was us
		close(p.exited)
	}()
	return nil
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// waitReady returns when both processes do their work.
func (h *harness) waitReady(ctx context.Context) error {
	for until := time.Now().Add(readyPatience); ; {
		if _, err := new(net.Dialer).DialContext(ctx, "tcp", h.url[len("http://"):]); err == nil {
			if text, err := os.ReadFile(filepath.Join(h.dir, "worker.log")); err == nil && bytes.Contains(text, []byte(`"working"`)) {
				return nil
			}
		}
		ended := slices.IndexFunc(h.processes, func(p *process) bool { return !p.running() })
		if ended >= 0 || time.Now().After(until) || ctx.Err() != nil {
			return errors.Join(ctx.Err(), errors.New("the product does not start: "+h.tail()))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (h *harness) tail() string {
	var all []byte
	for _, p := range h.processes {
		text, err := os.ReadFile(p.log.Name())
		if err != nil {
			text = []byte(err.Error())
		}
		all = fmt.Appendf(all, "\n%s: %s", p.name, text[max(0, len(text)-2000):])
	}
	return string(all)
}

// panics are how a log tells of one, whether it was survived or not.
var panics = regexp.MustCompile(`(?i)\bpanic\b|\nfatal error: |DATA RACE|nil pointer dereference`)

// verdict is about the processes: each still runs, and ends when it is told to.
func (h *harness) verdict() error {
	var broken []error
	for _, p := range h.processes {
		if !p.running() {
			broken = append(broken, fmt.Errorf("%s has ended", p.name))
			continue
		}
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			broken = append(broken, fmt.Errorf("stop %s: %w", p.name, err))
		}
		select {
		case <-p.exited:
		case <-time.After(stopPatience):
			broken = append(broken, fmt.Errorf("%s does not stop", p.name))
		}
	}
	for _, p := range h.processes {
		text, err := os.ReadFile(p.log.Name())
		if err != nil {
			return err
		}
		if at := panics.FindIndex(text); at != nil {
			broken = append(broken, fmt.Errorf("the log of %s: %s", p.name, text[max(0, at[0]-200):min(len(text), at[1]+2000)]))
		}
	}
	if err := errors.Join(broken...); err != nil {
		return err
	}
	h.say("held: both processes run, no answer was wrong, no log tells of a panic")
	return nil
}

// tearDown ends what was started, by its pid.
func (h *harness) tearDown(ctx context.Context) error {
	var errs []error
	for _, p := range h.processes {
		if p.running() {
			errs = append(errs, p.cmd.Process.Kill())
		}
		<-p.exited
		errs = append(errs, p.log.Close())
	}
	if h.postgres != nil {
		errs = append(errs, h.postgres.Stop(ctx))
	}
	if h.keep {
		h.say("kept: %s", h.dir)
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, os.RemoveAll(h.dir))...)
}

// freePort is one on which nobody listens.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

func find(pattern, text string) (string, error) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%q is not in %s", pattern, text)
	}
	return found[1], nil
}
