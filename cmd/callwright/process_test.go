package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// binary builds the program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "callwright-test-binary-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "callwright")
	output, err := exec.Command("go", "build", raceFlag, "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, output)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	// -parallel has the last word.
	if err := flag.Set("test.parallel", strconv.Itoa(perProcessor*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	status := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // the system's temporary folder is cleaned anyway
	}
	os.Exit(status)
}

// long marks a test that kills, pauses, cuts off or restores processes and waits for what the others make of it, or that looks at many
// calls: -short leaves it out.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}

// patience is how long a test waits for what must come: a machine that does other work besides may need minutes.
const patience = 3 * time.Minute

// process is a running callwright.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	output *output
	exited chan struct{}
	err    error
}

// output collects what a process prints and lets a test wait for a line.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.changed
}

// start runs callwright with arguments; env adds to a bare environment.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	p := &process{t: t, cmd: exec.Command(path, args...), output: &output{changed: make(chan struct{})}, exited: make(chan struct{})}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=halt_on_error=1"}, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	require.NoError(t, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.exited
		if t.Failed() {
			text, _ := p.output.read()
			t.Logf("output of callwright %v:\n%s", args, text)
		}
	})
	return p
}

func (p *process) signal(signal syscall.Signal) {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("signal process: %v", err)
	}
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.exited
}

// stop asks for a graceful end and waits for it.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.wait()
}

// wait waits for the process to end with status 0.
func (p *process) wait() {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatal("process does not end")
	}
	text, _ := p.output.read()
	require.NoError(p.t, p.err, text)
}

// waitFor waits for output that matches and returns its first group.
func (p *process) waitFor(pattern string) string {
	p.t.Helper()
	expression := regexp.MustCompile(pattern)
	deadline := time.After(patience)
	for {
		text, changed := p.output.read()
		if found := expression.FindStringSubmatch(text); found != nil {
			return found[len(found)-1]
		}
		select {
		case <-changed:
		case <-p.exited:
			if text, _ := p.output.read(); !expression.MatchString(text) {
				p.t.Fatalf("process ended without printing %q: %v\n%s", pattern, p.err, text)
			}
		case <-deadline:
			p.t.Fatalf("process does not print %q\n%s", pattern, text)
		}
	}
}

// runOnce runs callwright to its end and returns its output and exit status.
func runOnce(t *testing.T, env []string, args ...string) (string, int) {
	t.Helper()
	p := start(t, env, args...)
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatal("process does not end")
	}
	text, _ := p.output.read()
	return text, p.cmd.ProcessState.ExitCode()
}

// client is a customer's program.
type client struct {
	t   *testing.T
	url string
	key string
}

// call makes a request, requires the status and reads the answer into out.
func (c *client) call(method, path string, in any, status int, out any) {
	c.t.Helper()
	code, answer := c.try(method, path, in)
	require.Equal(c.t, status, code, "%s %s: %s", method, path, answer)
	if out != nil {
		require.NoError(c.t, json.Unmarshal(answer, out), "%s", answer)
	}
}

// try returns status 0 when nobody answered.
func (c *client) try(method, path string, in any) (int, []byte) {
	c.t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		require.NoError(c.t, err)
		body = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	require.NoError(c.t, err)
	req.Header.Set("Authorization", "Bearer "+c.key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode, answer
}
