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
	"sync"
	"syscall"
)

// process is a running callwright on its own proxy.
type process struct {
	slot   string // such as worker-1: the place that a process has among those that run
	name   string // of this process alone
	worker bool
	runs   string // the program
	url    string // of an API process, or of a worker's probes
	sip    uint16 // port of a worker
	proxy  *proxy
	cmd    *exec.Cmd
	log    *os.File
	exited chan struct{}

	mu       sync.Mutex
	faulted  bool // a fault is on it
	expected bool // we ended it
}

// launch starts a callwright whose output goes to a file.
func launch(ctx context.Context, program string, env, args []string, logPath string) (*exec.Cmd, *os.File, error) {
	log, err := os.Create(logPath)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, args...) // tearDown ends it
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	if err := cmd.Start(); err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return cmd, log, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) signal(signal syscall.Signal) {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintf(os.Stderr, "signal %s: %v\n", p.name, err)
	}
}

// claim takes the process for a fault; only one is on it at a time.
func (p *process) claim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faulted || p.expected || !p.running() {
		return false
	}
	p.faulted = true
	return true
}

func (p *process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faulted = false
}

func (p *process) healthy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.faulted && !p.expected && p.running()
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// expect says that its end is our doing.
func (p *process) expect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = true
}

func (p *process) wasExpected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expected
}

// kill ends the process as the kernel does when memory is short.
func (p *process) kill() {
	p.expect()
	p.signal(syscall.SIGKILL)
	<-p.exited
}

// freePort is a TCP port on which nobody listens.
func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// freeUDPPort is one on which nobody waits for packets.
func freeUDPPort(ctx context.Context) (uint16, error) {
	conn, err := new(net.ListenConfig).ListenPacket(ctx, "udp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Port(), conn.Close()
}

// panicsIn names the logs that show a crash of the runtime or a data race.
func panicsIn(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, sign := range []string{"\npanic: ", "\nfatal error: ", "WARNING: DATA RACE"} {
			if at := bytes.Index(text, []byte(sign)); at >= 0 {
				line, _, _ := bytes.Cut(bytes.TrimSpace(text[at:]), []byte("\n"))
				found = append(found, fmt.Sprintf("%s: %s", filepath.Base(path), line))
			}
		}
	}
	return found, nil
}
